"""Tuning TSPulse to the training part of a series, with its authors' schedule."""

import logging
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from paiad.devices import computing
from paiad.encoders.tspulse_model import Pulse, PulseNet
from paiad.placing import Device
from paiad.settings import check_settings
from paiad.shapes import Values
from paiad.training import Patience, Shuffled, strided, train

FILLED_IN = 12  # patches at a window's end, each hidden once
LEAST_SAMPLES = 100
MOST_SAMPLES = 100_000
FEW_SAMPLES, SMALL_BATCH = 500, 8
SHORT, SHORT_EPOCHS = 3_000, 5  # training parts below this many values are not split
VALIDATION_SHARE = 0.2
PATIENCE = Patience(5, 1e-5)

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FineTuning:
    """AdamW on a one-cycle schedule; the best epoch on the last fifth of the training part is kept.

    A training part of less than 3,000 values is not split: it validates itself, for at most 5 epochs. Of
    less than a window, or of less than 100 samples, nothing is learnt and the model stays as it was.
    """

    epochs: int = 20
    batch: int = 256
    learning_rate: float = 1e-4
    seed: int = 42

    def __post_init__(self) -> None:
        check_settings(self)

    def tune(self, pulse: Pulse, values: Values, device: Device = "auto") -> Pulse:
        """The model tuned to scaled training values."""
        split = len(values) >= SHORT
        cut = int(len(values) * (1 - VALIDATION_SHARE)) if split else len(values)
        rows = sample_rows(cut, pulse.context, self.seed)
        if len(rows) < LEAST_SAMPLES:
            _log.warning("TSPulse is not tuned: %d samples are fewer than %d", len(rows), LEAST_SAMPLES)
            return pulse
        first = cut * FILLED_IN  # sample of the part held out
        held_out = first + sample_rows(len(values) - cut, pulse.context, self.seed) if split else rows
        with computing(device, self.seed) as place:
            net = pulse.fresh().to(place)
            judged = Judged(net, strided(values, pulse.context, device=place), pulse.patch)
            epochs = self.epochs if split else min(self.epochs, SHORT_EPOCHS)
            self._train(
                judged, torch.from_numpy(rows).to(place), torch.from_numpy(held_out).to(place), epochs
            )
        return pulse.trained(net)

    def _train(self, judged: "Judged", rows: Tensor, held_out: Tensor, epochs: int) -> None:
        size = SMALL_BATCH if len(rows) < FEW_SAMPLES else self.batch
        batches = Shuffled(len(rows), size, self.seed, rows.device)
        optimizer = torch.optim.AdamW(judged.net.parameters(), self.learning_rate)
        train(
            judged.net,
            lambda chosen: judged.loss(rows[chosen]),
            batches,
            epochs,
            optimizer,
            step_schedule=torch.optim.lr_scheduler.OneCycleLR(
                optimizer, self.learning_rate, total_steps=epochs * len(batches) + 1
            ),
            validation=lambda: judged.mean_loss(held_out, size),
            patience=PATIENCE,
            what="tuning TSPulse",
        )


@dataclass
class Judged:
    """The loss of samples; sample `12 w + p` is window `w` with its p-th of the last 12 patches hidden."""

    net: PulseNet
    windows: Tensor
    patch: int

    def loss(self, samples: Tensor) -> Tensor:
        """Mean loss of samples by number."""
        from_end = torch.arange(self.windows.shape[1] - 1, -1, -1, device=samples.device) // self.patch
        observed = from_end[None] != (samples % FILLED_IN)[:, None]
        return self.net.loss(self.windows[samples // FILLED_IN], observed)

    def mean_loss(self, samples: Tensor, size: int) -> float:
        """The same in batches."""
        parts = torch.split(samples, size)
        return sum(float(self.loss(part)) * len(part) for part in parts) / len(samples)


def sample_rows(length: int, context: int, seed: int) -> np.ndarray:
    """Numbers of the samples in so many values; a random part of them where there are more than 100,000."""
    count = max(0, length - context + 1) * FILLED_IN
    if count <= MOST_SAMPLES:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).choice(count, MOST_SAMPLES, replace=False))
