"""Distances of an untrained PaAno encoder (batch-norm statistics from 8 batches), for the leads' rows."""

import csv
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from series import load
from terms import cached, distances

torch.set_num_threads(1)


def encoder():
    torch.manual_seed(2000)
    layers = []
    for a, b, k in ((1, 128, 7), (128, 256, 5), (256, 128, 3), (128, 64, 3)):
        layers += [nn.Conv1d(a, b, k, padding="same", bias=False), nn.BatchNorm1d(b, momentum=None), nn.ReLU()]
    return nn.Sequential(*layers)


def vectors(case, w):
    net = encoder()
    p = torch.from_numpy(np.lib.stride_tricks.sliding_window_view(case.values.astype(np.float64), w).copy())
    p = p - p.mean(1, keepdim=True)
    p = (p / torch.sqrt(p.var(1, unbiased=False, keepdim=True) + 1e-5)).float()[:, None]
    n = case.train - w + 1
    pick = torch.from_numpy(np.random.default_rng(0).permutation(n))
    with torch.no_grad():
        net.train()
        for _ in range(8):
            net(p[pick[torch.randint(0, n, (min(512, n),))]])
        net.eval()
        return torch.cat([net(b).mean(2) for b in p.split(256)]).numpy()


if __name__ == "__main__":
    rows = [r for r in csv.DictReader(open(Path(__file__).with_name("split.csv"))) if r["half"] == sys.argv[1]]
    cases = sorted((load(r["file"]) for r in rows), key=lambda c: len(c.values))
    for w in map(int, sys.argv[3].split(",")):
        for case in cases:
            if len(case.values) <= int(sys.argv[2]):
                t = time.time()
                cached(f"paano-{w}", case.name, lambda: distances(vectors(case, w), case, w))
                print(w, case.name, round(time.time() - t, 1), flush=True)
