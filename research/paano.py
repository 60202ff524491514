"""Vectors of an untrained PaAno encoder (batch-norm statistics from 8 batches), to verify the known figures with."""

import numpy as np
import torch
from series import Case
from torch import nn

torch.set_num_threads(1)


def encoder() -> nn.Sequential:
    torch.manual_seed(2000)
    layers: list[nn.Module] = []
    for a, b, k in ((1, 128, 7), (128, 256, 5), (256, 128, 3), (128, 64, 3)):
        layers += [
            nn.Conv1d(a, b, k, padding="same", bias=False),
            nn.BatchNorm1d(b, momentum=None),
            nn.ReLU(),
        ]
    return nn.Sequential(*layers)


def vectors(case: Case, width: int) -> np.ndarray:
    net = encoder()
    patches = torch.from_numpy(np.lib.stride_tricks.sliding_window_view(case.values, width).copy())
    patches = patches - patches.mean(1, keepdim=True)
    patches = (patches / torch.sqrt(patches.var(1, unbiased=False, keepdim=True) + 1e-5)).float()[:, None]
    n = case.train - width + 1
    shuffled = torch.from_numpy(np.random.default_rng(0).permutation(n))
    with torch.no_grad():
        net.train()
        for _ in range(8):
            net(patches[shuffled[torch.randint(0, n, (min(512, n),))]])
        net.eval()
        return torch.cat([net(block).mean(2) for block in patches.split(256)]).numpy()
