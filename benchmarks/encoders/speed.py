"""How fast the encoders are, against the plain way of computing the same, in one run.

    python benchmarks/encoders/speed.py

One CPU thread; seconds are of processor time, the least of several tries, so that other work on the machine
disturbs little. On a GPU the same lines run with `--device cuda` and wall time.
"""

import argparse
import platform
import time
from collections.abc import Callable
from datetime import date

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import nn
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from paiad.encoders import paano
from paiad.encoders.paano import Heads, Lesson, PaAno, near_to
from paiad.encoders.ts2vec import WINDOW, Crops, Net, TS2Vec, crop_loss, pieces
from paiad.layers.patch_convolutions import mean_over_patches
from paiad.training import Repeated, strided

STEPS = 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--tries", type=int, default=5)
    given = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{date.today()}, {platform.machine()}, torch {torch.__version__}, {_name_of(given.device)}")
    paano_encoding(given.device, given.tries)
    ts2vec_encoding(given.device, given.tries)
    paano_training(given.device, given.tries)
    ts2vec_training(given.device, given.tries)


def paano_encoding(device: str, tries: int) -> None:
    values = _walk(STEPS + 63)
    encoder = PaAno(iterations=0, input="z-scored", device=device).fit(values)
    layers = [paano.Layer(layer.weight.to(device), layer.bias.to(device)) for layer in encoder._layers]
    patches = strided(encoder.scaling(values), 64, device=torch.device(device))

    def plain() -> np.ndarray:
        with torch.inference_mode():
            return torch.cat([mean_over_patches(layers, part) for part in patches.split(128)]).cpu().numpy()

    _compare(f"PaAno, {STEPS} patches, z-scored input", plain, lambda: encoder.encode(values), device, tries)
    apart = PaAno(iterations=0, device=device).fit(values)
    taken = _seconds(lambda: apart.encode(values), device, tries)
    print(f"PaAno, {STEPS} patches, each normalised by itself: {taken:.3f} s")


def ts2vec_encoding(device: str, tries: int) -> None:
    values = _walk(STEPS)
    encoder = TS2Vec(iterations=1, device=device).fit(values[:300])
    net = encoder._net.to(device)
    filled = np.pad(encoder.scaling(values), (WINDOW - 1, 0), constant_values=np.nan)
    windows = torch.tensor(sliding_window_view(filled, WINDOW).copy(), dtype=torch.float32, device=device)
    mask = torch.ones_like(windows[:256], dtype=torch.bool)

    def plain() -> np.ndarray:
        with torch.inference_mode():
            parts = [net(part, mask[: len(part)])[:, -1] for part in windows.split(256)]
            return torch.cat(parts).cpu().numpy()

    _compare(f"TS2Vec, {STEPS} steps", plain, lambda: encoder.encode(values), device, max(2, tries // 2))


def paano_training(device: str, tries: int) -> None:
    """Steps after the pretext task has ended, which are nine in ten."""
    for width in (64, 96):
        patches = strided(_walk(2000), width, device=torch.device(device), dtype=torch.float64)
        in_float32 = PaAno(width=width, precision="float32")
        plain = _training_step(in_float32, patches, _one_dimensional().to(device))
        eager = _seconds(plain, device, tries)
        print(
            f"PaAno training step, patch {width}: one-dimensional convolutions float32 {eager:.3f} s", end=""
        )
        for precision in ("float32", "bfloat16"):
            ours = _training_step(PaAno(width=width, precision=precision), patches)
            taken = _seconds(ours, device, tries)
            print(f", channels last {precision} {taken:.3f} s ({taken / eager:.2f})", end="")
        print(f"; {_convolutions(ours) if device == 'cpu' else ''}")


def _convolutions(step: Callable[[], None]) -> str:
    """What of a step's time is theirs, and how fast they are."""
    with FlopCounterMode(display=False) as counter:
        step()
    counts = counter.get_flop_counts()["Global"]
    work = sum(count for operation, count in counts.items() if "convolution" in str(operation))
    with profile(activities=[ProfilerActivity.CPU]) as found:
        step()
    times = {row.key: row.self_cpu_time_total for row in found.key_averages()}
    theirs = sum(time for name, time in times.items() if "convolution" in name)
    share, rate = theirs / sum(times.values()), work / theirs / 1e3
    return f"convolutions take {share:.2f} of the last, at {rate:.0f} GFLOP/s"


def ts2vec_training(device: str, tries: int) -> None:
    rows = pieces(_walk(1000)).to(device)
    torch.manual_seed(0)
    net = Net(normalise_windows=False).to(device)
    crops = Crops.drawn(TS2Vec(), rows.cpu())
    begins, borders = crops.begins[0].to(device), crops.borders[0].tolist()
    optimizer = torch.optim.AdamW(net.parameters())

    def step() -> None:
        optimizer.zero_grad()
        crop_loss(net, rows, begins, borders).backward()
        optimizer.step()

    print(f"TS2Vec training step, 1,000 values: {_seconds(step, device, tries):.3f} s")


def _training_step(
    recipe: PaAno, patches: torch.Tensor, stack: nn.Module | None = None
) -> Callable[[], None]:
    torch.manual_seed(0)
    heads = Heads()
    if stack is not None:
        heads.stack = _Flat(stack)
    heads.to(patches.device)
    lesson = Lesson(recipe, heads, patches)
    optimizer = torch.optim.AdamW(heads.parameters())
    batches = iter(Repeated(recipe.batches(patches), 10_000))

    def step() -> None:
        optimizer.zero_grad()
        rows = next(batches)
        lesson.loss(rows, near_to(rows, len(patches))).backward()
        optimizer.step()

    return step


class _Flat(nn.Module):
    """One-dimensional modules where two-dimensional ones are expected."""

    def __init__(self, stack: nn.Module) -> None:
        super().__init__()
        self.stack = stack

    def forward(self, patches: torch.Tensor) -> torch.Tensor:
        return self.stack(patches[:, :, 0])[:, :, None]


def _one_dimensional() -> nn.Sequential:
    """The encoder as one would first write it."""
    blocks: list[nn.Module] = []
    for before, after, kernel in zip(paano.CHANNELS[:-1], paano.CHANNELS[1:], paano.KERNELS, strict=True):
        convolution = nn.Conv1d(before, after, kernel, padding="same", bias=False)
        blocks += [convolution, nn.BatchNorm1d(after), nn.ReLU()]
    return nn.Sequential(*blocks)


def _compare(
    what: str, plain: Callable[[], np.ndarray], ours: Callable[[], np.ndarray], device: str, tries: int
) -> None:
    apart = np.abs(plain() - ours()).max() / np.abs(plain()).max()
    slow, fast = _seconds(plain, device, tries), _seconds(ours, device, tries)
    print(
        f"{what}: plainly {slow:.3f} s, ours {fast:.3f} s: {slow / fast:.1f} x, relative difference {apart:.1e}"
    )


def _seconds(work: Callable[[], object], device: str, tries: int) -> float:
    clock = time.process_time if device == "cpu" else time.perf_counter
    work()
    taken = []
    for _ in range(tries):
        _settle(device)
        begin = clock()
        work()
        _settle(device)
        taken.append(clock() - begin)
    return min(taken)


def _settle(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def _walk(length: int) -> np.ndarray:
    return np.cumsum(np.random.default_rng(0).normal(size=length))


def _name_of(device: str) -> str:
    if device == "cuda":
        return torch.cuda.get_device_name()
    with open("/proc/cpuinfo") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "cpu")


if __name__ == "__main__":
    main()
