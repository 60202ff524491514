"""Pre-train `tspulse-mini` on generated series alone, and write its folder of weights.

    python research/tspulse_mini/train.py --out OUT --minutes 6
    python research/tspulse_mini/train.py --judge FOLDER

The model class is granite's, smaller than the published TSPulse. What it learns are the five terms of the model's own
loss: hidden values by the time head and by the spectrum head, the spectrum, its form, and the values after the
window. Half of every batch has values hidden anywhere, single or by patches; the other half just one of the last 12
patches, which is how the detector asks. Every window counts the same, however much of it is hidden. Windows come from
series of `paiad.corpus`, every second one with another laid over it.

The learning rate falls with the minutes gone by, so that any machine uses its time to the end. With `--steps` it
falls with the steps, and the same seed gives the same weights on the same machine. Interrupted, the same command
goes on from its checkpoint; the weights so far are written with every line of the log. With `--judge` nothing is
trained: what the weights in a folder miss of the same held-out windows is printed.
"""

import argparse
import copy
import json
import math
import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # so that the GPU adds in one order

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor
from tsfm_public.models.tspulse import TSPulseConfig, TSPulseForReconstruction

from paiad.corpus import LENGTH, generated

SETTINGS = {
    "context_length": 512,
    "patch_length": 8,
    "patch_stride": 8,
    "mask_block_length": 8,
    "num_input_channels": 1,
    "d_model": 24,
    "decoder_d_model": 24,
    "num_layers": 4,
    "decoder_num_layers": 1,
    "patch_register_tokens": 8,
    "register_mixer_layers": 1,
    "prediction_length": 8,
    "decoder_mode": "common_channel",
    "scaling": "revin",
    "mask_type": "user",
    "loss_apply_mode": "mask",
    "fuse_fft": True,
    "fft_time_add_forecasting_pt_loss": True,
    "dropout": 0.0,
    "head_dropout": 0.0,
}
CONTEXT, PATCH, AHEAD = 512, 8, 8
LAST = 12  # patches at the end that the detector hides one by one
MOST_HIDDEN = 0.4
LAID_OVER = 0.5  # share of windows with another laid over them
LEAST_VARIANCE = 1e-5  # as the model's own normalisation has it
WARM_UP = 0.03
FARTHEST = 10.0  # spreads of the window, of what is to be forecast: after a flat window it would be hundreds
WEIGHT_DECAY = 0.01
CLIP = 1.0
HELD_OUT_SERIES = 768
HELD_OUT_SEED = 1_000_003  # of series, windows and masks that training never draws


def main() -> None:
    given = _arguments()
    place = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    others = series_pool(HELD_OUT_SERIES, HELD_OUT_SEED + given.seed, given.processes)
    held_out = HeldOut.of(Windows(others.to(place)), given.held_out)
    if given.judge:
        judge(given.judge, held_out, place)
    else:
        pretrain(given, held_out, place)


def judge(folders: list[Path], held_out: "HeldOut", place: torch.device) -> None:
    print(f"share of held-out variance missed: by a straight line {held_out.missed_by_a_line():.4f}")
    for folder in folders:
        model = TSPulseForReconstruction.from_pretrained(folder).to(place)
        print(f"{folder}: {held_out(model)}", flush=True)


def pretrain(given: argparse.Namespace, held_out: "HeldOut", place: torch.device) -> None:
    given.out.mkdir(parents=True, exist_ok=True)
    say = Log(given.out / "train.log")
    begin = time.perf_counter()
    pool = Windows(series_pool(given.series, given.seed, given.processes).to(place))
    say(f"{machine(place)}; torch {torch.__version__}; {time.strftime('%Y-%m-%d')}")
    say(f"{given.series} series of {LENGTH} values made in {time.perf_counter() - begin:.0f} s")

    torch.manual_seed(given.seed)
    model = TSPulseForReconstruction(TSPulseConfig(**SETTINGS)).to(place)
    count = sum(weight.numel() for weight in model.parameters())
    length = f"{given.steps} steps" if given.steps else f"{given.minutes:g} minutes"
    say(f"{count} weights; {length} of batches of {given.batch}, rate {given.rate:g}, seed {given.seed}")
    say(f"share of held-out variance missed: by a straight line {held_out.missed_by_a_line():.4f}")

    done = Training(model, pool, given).run(held_out, say)
    say(f"{done} steps, {time.perf_counter() - begin:.0f} s in all")


# Data -------------------------------------------------------------------------------------------------------


def series_pool(count: int, seed: int, processes: int) -> Tensor:
    """Series 0 to `count` of a seed, [count, LENGTH]."""
    jobs = [(first, min(first + 256, count), seed) for first in range(0, count, 256)]
    if processes < 2:
        return torch.from_numpy(np.concatenate([_some(job) for job in jobs]))
    with multiprocessing.get_context("fork").Pool(
        processes
    ) as workers:  # spawned ones would load torch again
        return torch.from_numpy(np.concatenate(workers.map(_some, jobs)))


def _some(job: tuple[int, int, int]) -> np.ndarray:
    first, end, seed = job
    return np.stack([generated(number, seed).astype(np.float32) for number in range(first, end)])


@dataclass
class Windows:
    """Batches of windows and of the values after them, from a pool of series [series, length]."""

    pool: Tensor

    def batch(self, size: int, number: int) -> tuple[Tensor, Tensor]:
        """Windows [size, CONTEXT] and what follows each [size, AHEAD]: the same for the same number."""
        draw = generator(2 * number, self.pool.device)
        drawn = self._drawn(size, draw)
        over = self._drawn(size, draw) * torch.rand(size, 1, generator=draw, device=drawn.device)
        laid = torch.rand(size, 1, generator=draw, device=drawn.device) < LAID_OVER
        both = drawn + torch.where(laid, over, 0.0)
        window = both[:, :CONTEXT]
        spread = (window.var(1, unbiased=False, keepdim=True) + LEAST_VARIANCE).sqrt()
        both = (both - window.mean(1, keepdim=True)) / spread
        return both[:, :CONTEXT], both[:, CONTEXT:].clamp(-FARTHEST, FARTHEST)

    def _drawn(self, size: int, draw: torch.Generator) -> Tensor:
        series, length = self.pool.shape
        place = self.pool.device
        row = torch.randint(series, (size, 1), generator=draw, device=place)
        start = torch.randint(length - CONTEXT - AHEAD + 1, (size, 1), generator=draw, device=place)
        return self.pool[row, start + torch.arange(CONTEXT + AHEAD, device=place)]


def hidden_anywhere(size: int, draw: torch.Generator) -> Tensor:
    """Masks of what is seen [size, CONTEXT]: up to 40 % hidden, a random part of that by whole patches."""
    place = draw.device
    share = MOST_HIDDEN * torch.rand(size, 1, generator=draw, device=place)
    by_patch = torch.rand(size, 1, generator=draw, device=place)
    patches = torch.rand(size, CONTEXT // PATCH, generator=draw, device=place) < share * by_patch
    points = torch.rand(size, CONTEXT, generator=draw, device=place) < share * (1 - by_patch)
    return ~(patches.repeat_interleave(PATCH, 1) | points)


def one_of_the_last_hidden(size: int, draw: torch.Generator) -> Tensor:
    """Masks of what is seen [size, CONTEXT]: all but one of the last 12 patches."""
    from_end = torch.arange(CONTEXT - 1, -1, -1, device=draw.device) // PATCH
    return from_end != torch.randint(LAST, (size, 1), generator=draw, device=draw.device)


def generator(number: int, place: torch.device) -> torch.Generator:
    return torch.Generator(place).manual_seed(number)


# Training ---------------------------------------------------------------------------------------------------


class Training:
    """Steps of AdamW from wherever the checkpoint is."""

    def __init__(self, model: TSPulseForReconstruction, pool: Windows, given: argparse.Namespace) -> None:
        self.model, self.pool, self.given = model, pool, given
        hide_quickly(model)
        place = pool.pool.device
        self.rate = torch.zeros((), device=place)
        self.optimizer = torch.optim.AdamW(
            model.parameters(),
            self.rate,
            weight_decay=WEIGHT_DECAY,
            fused=True,
            capturable=place.type == "cuda",
        )
        self.windows = torch.zeros(given.batch, CONTEXT, device=place)
        self.after = torch.zeros(given.batch, AHEAD, device=place)
        self.seen = torch.ones(given.batch, CONTEXT, dtype=torch.bool, device=place)
        self.learn: Callable[[], Tensor] = self._learn
        self.checkpoint = given.out / "checkpoint.pt"
        self.done, self.seconds = 0, 0.0

    def run(self, held_out: "HeldOut", say: "Log") -> int:
        """The number of steps done."""
        self._resume(say)
        if self.rate.is_cuda:
            self.learn = self._recorded()
        first, before = self.done, self.seconds
        begin = reported = time.perf_counter()
        while self.share < 1:
            loss = self.step()
            now = time.perf_counter()
            self.seconds = before + now - begin
            if now - reported >= self.given.report or self.share >= 1:
                so_far = (
                    f"{self.seconds:5.0f} s  step {self.done}  {(self.done - first) / (now - begin):.1f}/s"
                )
                say(f"{so_far}  loss {float(loss):.4f}  {held_out(self.model)}")
                reported = time.perf_counter()
                self._keep()
        self.checkpoint.unlink(missing_ok=True)
        return self.done

    @property
    def share(self) -> float:
        """How much of the training is done."""
        return self.done / self.given.steps if self.given.steps else self.seconds / (60 * self.given.minutes)

    def step(self) -> Tensor:
        self.rate.fill_(self.given.rate * pace(self.share))
        number = self.given.seed * 10_000_000 + self.done
        windows, after = self.pool.batch(self.given.batch, number)
        self.windows.copy_(windows)
        self.after.copy_(after)
        self.seen.copy_(masks(len(windows), 2 * number + 1, windows.device))
        loss = self.learn()
        self.done += 1
        return loss

    def _learn(self) -> Tensor:
        """One step on what is in the buffers; passed over where a gradient is not finite."""
        self.optimizer.zero_grad(set_to_none=True)
        loss = batch_loss(self.model, self.windows, self.after, self.seen)
        loss.backward()
        size = torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        self.optimizer.found_inf = (~size.isfinite()).float()
        self.optimizer.step()
        return loss.detach()

    def _recorded(self) -> Callable[[], Tensor]:
        """A step as one launch: launching its two thousand kernels takes longer than they do."""
        windows, after = self.pool.batch(self.given.batch, 0)
        self.windows.copy_(windows)
        self.after.copy_(after)
        before = copy.deepcopy(self.optimizer.state_dict()["state"])
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        # What the model makes on the CPU, or compares there, could not be recorded.
        with torch.device(self.rate.device), patch.object(torch, "equal", lambda one, other: True):
            with torch.cuda.stream(stream):
                for _ in range(3):  # at a rate of zero, so that no weight moves
                    self._learn()
            torch.cuda.current_stream().wait_stream(stream)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                loss = self._learn()
        for number, state in self.optimizer.state_dict()["state"].items():
            for name, held in state.items():
                held.copy_(before[number][name]) if before else held.zero_()

        def replay() -> Tensor:
            graph.replay()
            return loss

        return replay

    def _keep(self) -> None:
        write(self.model, self.given.out)
        state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save(state | {"done": self.done, "seconds": self.seconds}, self.checkpoint)

    def _resume(self, say: "Log") -> None:
        if self.checkpoint.exists():
            state = torch.load(self.checkpoint, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            for group in self.optimizer.param_groups:
                group["lr"] = self.rate
            self.done, self.seconds = state["done"], state["seconds"]
            say(f"goes on after step {self.done}")


def masks(size: int, number: int, place: torch.device) -> Tensor:
    """What is seen of each window of a batch [size, CONTEXT]: the two ways to hide, each in half of it."""
    draw = generator(number, place)
    return torch.cat([hidden_anywhere(size // 2, draw), one_of_the_last_hidden(size - size // 2, draw)])


def batch_loss(model: TSPulseForReconstruction, windows: Tensor, after: Tensor, seen: Tensor) -> Tensor:
    """The terms of the model's own loss, with the hidden values averaged window by window.

    Unlike the model's own, nothing in it makes a GPU wait for the CPU.
    """
    answer = model(windows[:, :, None], past_observed_mask=seen[:, :, None], return_loss=False)
    hidden = (~seen).float()
    hidden = hidden / hidden.sum(1, keepdim=True).clamp(min=1) / len(windows)
    filled_in = (answer.reconstruction_outputs[:, :, 0], answer.reconstructed_ts_from_fft[:, :, 0])
    losses = [((one - windows).square() * hidden).sum() for one in filled_in]
    losses.append(F.mse_loss(answer.fft_reconstruction_outputs, answer.original_past_values_fft))
    losses.append(model.ces_loss(answer.original_fft_softmax, answer.fft_softmax_preds))
    losses.append(F.mse_loss(answer.forecast_output[:, :, 0], after))
    return torch.stack(losses).sum()


def hide_quickly(model: TSPulseForReconstruction) -> None:
    """Let the model lay its mask token over hidden values by repeating it.

    It looks every step's value of the token up; the gradient of that adds a million numbers into eight.
    """
    masker = model.backbone.time_masker

    def laid(tensor: Tensor, past_observed_mask: Tensor, patch_length: int) -> tuple[Tensor, Tensor]:
        token = masker.mask_token.repeat(tensor.shape[1] // patch_length)[None, :, None]
        return tensor * past_observed_mask + token * ~past_observed_mask, ~past_observed_mask

    masker.mask_with_past_observed = laid


def pace(share: float) -> float:
    """The learning rate as a share of its peak: a short rise, then half a cosine down to nothing."""
    if share < WARM_UP:
        return (share + 1e-4) / WARM_UP
    return 0.5 * (1 + math.cos(math.pi * (share - WARM_UP) / (1 - WARM_UP)))


@dataclass
class HeldOut:
    """Windows of series that are not trained on, each with one of its last patches hidden."""

    windows: Tensor
    after: Tensor
    seen: Tensor

    @classmethod
    def of(cls, source: Windows, count: int) -> "HeldOut":
        windows, after = source.batch(count, HELD_OUT_SEED)
        return cls(windows, after, one_of_the_last_hidden(count, generator(HELD_OUT_SEED, windows.device)))

    def __call__(self, model: TSPulseForReconstruction) -> str:
        """What each head misses of the variance of what is hidden from it."""
        model.eval()
        with torch.no_grad():
            found = [
                model(x[:, :, None], past_observed_mask=mask[:, :, None], return_loss=False)
                for x, mask in zip(self.windows.split(1024), self.seen.split(1024), strict=True)
            ]
        model.train()
        time_head = self._missed(torch.cat([one.reconstruction_outputs[:, :, 0] for one in found]))
        spectrum = self._missed(torch.cat([one.reconstructed_ts_from_fft[:, :, 0] for one in found]))
        ahead = torch.cat([one.forecast_output[:, 0, 0] for one in found])
        forecast = float((ahead - self.after[:, 0]).square().sum() / self.after[:, 0].square().sum())
        return f"held out: time {time_head:.4f} fft {spectrum:.4f} forecast {forecast:.4f}"

    def missed_by_a_line(self) -> float:
        """The same for a straight line between the values before and after what is hidden."""
        rows = []
        for window, seen in zip(self.windows.cpu().numpy(), self.seen.cpu().numpy(), strict=True):
            at = np.flatnonzero(seen)
            rows.append(np.interp(np.arange(CONTEXT), at, window[at]))
        return self._missed(torch.tensor(np.array(rows), device=self.windows.device))

    def _missed(self, filled_in: Tensor) -> float:
        hidden = ~self.seen
        wrong = (filled_in - self.windows)[hidden].square().sum()
        return float(wrong / self.windows[hidden].square().sum())


# Output -----------------------------------------------------------------------------------------------------


def write(model: TSPulseForReconstruction, folder: Path) -> None:
    """A folder that granite's `from_pretrained` reads."""
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    settings = {"architectures": ["TSPulseForReconstruction"], "model_type": "tspulse", **SETTINGS}
    (folder / "config.json").write_text(json.dumps(settings, indent=2) + "\n")


@dataclass
class Log:
    """Printed and kept."""

    path: Path

    def __call__(self, line: str) -> None:
        print(line, flush=True)
        with self.path.open("a") as file:
            file.write(line + "\n")


def machine(place: torch.device) -> str:
    return torch.cuda.get_device_name() if place.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=Path, help="the folder to train into")
    what.add_argument("--judge", type=Path, nargs="+", help="folders of weights to judge, without training")
    parser.add_argument("--minutes", type=float, default=6.0, help="of training, beside making the series")
    parser.add_argument("--steps", type=int, help="in place of minutes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--series", type=int, default=49_152)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=4e-3, help="peak learning rate")
    parser.add_argument("--held-out", type=int, default=4096, help="windows")
    parser.add_argument("--report", type=float, default=10.0, help="seconds between lines")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="that make series")
    return parser.parse_args()


if __name__ == "__main__":
    main()
