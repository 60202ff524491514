"""PaAno: a small convolutional encoder of patches, trained on the series at hand for 200 steps, or not at all.

Four convolutions with batch norm, averaged over the patch, give 64 numbers a patch. Two tasks train it: a patch
lies nearer to the one a step or two away than to the farthest of its batch (triplet), and it can be told whether
another patch is the one directly before it (pretext, in the first tenth of the steps only).

Worth knowing: the authors scale the triplet's gradient by 0.01 and its value by 0.1. Untrained (`iterations=0`:
random weights, batch-norm statistics measured on training patches), the encoder detects about as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paiad.contracts import Change, Encoder, Learner, checked_train
from paiad.cover import Cover
from paiad.devices import choose_device, computing
from paiad.layers.instance_norm import instance_normalised
from paiad.layers.patch_convolutions import (
    Layer,
    convolution_stack,
    folded,
    mean_over_patches,
    mean_over_series,
)
from paiad.layers.weights import to_arrays
from paiad.placing import Device
from paiad.progress import track
from paiad.scaling import UNSCALED, ZScore
from paiad.settings import check_settings
from paiad.shapes import Values, Vectors
from paiad.training import Repeated, Shuffled, strided, train

CHANNELS = (1, 128, 256, 128, 64)
KERNELS = (7, 5, 3, 3)
PROJECTION = 256
MARGIN = 0.5
TRIPLET_WEIGHT = 1 / 10  # the authors' for one channel
TRIPLET_GRADIENT = 0.01  # its gradient, not its value, is scaled by this
PRETEXT_SHARE = 0.1  # of the steps, while the pretext task fades out
OTHERS = 5  # random patches each patch is told apart from
CALIBRATION_BATCHES = 8
AT_ONCE = 128  # patches a convolution call, so that activations stay in the cache of a CPU
SHARED_AT_ONCE = 1024  # the same where patches share their convolutions
ON_GPU = 8  # times as many on a GPU

Input = Literal["patch-normalised", "z-scored"]
Precision = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True)
class PaAno(Learner):
    """Recipe of a PaAno encoder.

    `input` says what the encoder sees: "patch-normalised" (each patch by its own mean and variance; level and
    amplitude are gone before the first layer) or "z-scored" (the series by its training mean and deviation).
    `precision` is that of the convolutions in training ("auto": bfloat16 where the processor multiplies in it,
    which is up to four times as fast and finds as much); encoding is in float32.

    >>> encoder = PaAno(width=16, iterations=0).fit(np.sin(np.arange(200.0)))
    >>> encoder.encode(np.sin(np.arange(50.0))).shape
    (35, 64)
    """

    width: int = 64
    iterations: int = 200
    batch: int = 512
    learning_rate: float = 1e-4
    final_learning_rate: float = 1e-5
    weight_decay: float = 1e-4
    input: Input = "patch-normalised"
    precision: Precision = "auto"
    device: Device = "auto"
    seed: int = 2000

    def __post_init__(self) -> None:
        check_settings(self, may_be_zero=("seed", "iterations"))

    def fit(self, train: Values) -> "PaAnoEncoder":
        train = checked_train(train, self.width + 1, "PaAno")
        scaling = self.scaling_of(train)
        with computing(self.device, self.seed) as place:
            patches = strided(scaling(train), self.width, device=place, dtype=torch.float64)
            heads = Heads().to(place)
            if self.iterations:
                Lesson(self, heads, patches).train()
            else:
                self._calibrate(heads.stack, patches)
            return self.encoder(heads, scaling)

    def fit_many(self, trains: Sequence[Values]) -> list[Encoder]:
        if choose_device(self.device).type == "cpu" or not self.iterations:
            return [self.fit(train) for train in trains]
        from paiad.encoders.paano_together import fitted_together

        return list[Encoder](fitted_together(self, trains))

    def scaling_of(self, train: Values) -> ZScore:
        """What is done to a whole series before it is cut into patches."""
        return ZScore.of(train) if self.input == "z-scored" else UNSCALED

    def encoder(self, heads: "Heads", scaling: ZScore) -> "PaAnoEncoder":
        """What is kept of trained or calibrated heads."""
        return PaAnoEncoder(Cover(self.width), to_arrays(heads.stack), scaling, self.input, self.device)

    def batches(self, patches: Tensor) -> Shuffled:
        """Row numbers of `patches`, in batches."""
        return Shuffled(len(patches), self.batch, self.seed, patches.device, drop_last=True)

    def _calibrate(self, stack: nn.Sequential, patches: Tensor) -> None:
        """Batch-norm statistics of untrained weights: the plain average over a few batches."""
        for block in stack:
            if isinstance(block, nn.BatchNorm2d):
                block.momentum = None
        with torch.no_grad():
            for rows in Repeated(self.batches(patches), CALIBRATION_BATCHES):
                stack(as_input(patches[rows], self.input)[:, None, None])


@dataclass(frozen=True, eq=False)
class PaAnoEncoder(Encoder):
    """A trained or calibrated encoder: 64 numbers a patch."""

    cover: Cover
    weights: dict[str, np.ndarray]
    scaling: ZScore
    input: Input
    device: Device = "auto"

    def encode(self, values: Values) -> Vectors:
        shares = self.input == "z-scored"
        with computing(self.device) as place, torch.inference_mode():
            layers = [Layer(layer.weight.to(place), layer.bias.to(place)) for layer in self._layers]
            patches = strided(self.scaling(values), self.cover.width, device=place, dtype=torch.float64)
            at_once = (SHARED_AT_ONCE if shares else AT_ONCE) * (ON_GPU if place.type == "cuda" else 1)
            parts = track(torch.split(patches, at_once), "encoding")
            encoded = self._all_at_once if shares else self._one_by_one
            return torch.cat([encoded(part, layers) for part in parts]).cpu().numpy()

    @cached_property
    def _layers(self) -> list[Layer]:
        return folded(self.weights)

    @property
    def ignores(self) -> frozenset[Change]:
        """With normalised patches, level and scale, as long as variances stay well above 1e-5."""
        return frozenset(("shift", "scale") if self.input == "patch-normalised" else ())

    def _one_by_one(self, patches: Tensor, layers: list[Layer]) -> Tensor:
        """Each patch is normalised by itself, so overlapping patches share nothing."""
        return mean_over_patches(layers, as_input(patches, self.input))

    def _all_at_once(self, patches: Tensor, layers: list[Layer]) -> Tensor:
        series = torch.cat((patches[:, 0], patches[-1, 1:])).to(torch.float32)
        return mean_over_series(layers, series, self.cover.width)


def as_input(patches: Tensor, how: Input) -> Tensor:
    """What the convolutions see of float64 patches [patches, width]."""
    return instance_normalised(patches) if how == "patch-normalised" else patches.to(torch.float32)


class Heads(nn.Module):
    """The encoder with what only training needs: a projection for the triplets, a classifier for the pretext."""

    def __init__(self) -> None:
        super().__init__()
        features = CHANNELS[-1]
        self.stack = convolution_stack(CHANNELS, KERNELS)
        self.project = nn.Sequential(
            nn.Linear(features, PROJECTION), nn.ReLU(), nn.Linear(PROJECTION, PROJECTION)
        )
        self.follows = nn.Linear(2 * features, 1)

    def forward(self, patches: Tensor) -> Tensor:
        """Vectors [patches, 64] of prepared patches [patches, width]."""
        found = self.stack(patches[:, None, None]).float()
        # A pooling, not a mean: its gradient comes back in channels-last memory, as the convolutions want it.
        return F.avg_pool2d(found, (1, found.shape[3])).flatten(1)


@dataclass(frozen=True)
class Plan:
    """All that is random in one training, drawn beforehand, one row a step.

    `rows` [steps, batch] are the patches looked at, `near` a neighbour of each, `others` [pretext steps, batch,
    OTHERS] places in the batch, and `pretext` [steps] how much the pretext task counts.
    """

    rows: Tensor
    near: Tensor
    others: Tensor
    pretext: Tensor

    @classmethod
    def drawn(cls, recipe: PaAno, patches: Tensor) -> "Plan":
        """A plan for a training on `patches`, drawn from torch's generator of their device."""
        rows = torch.stack(list(Repeated(recipe.batches(patches), recipe.iterations)))
        fading = 1 - torch.arange(recipe.iterations) / (PRETEXT_SHARE * recipe.iterations)
        pretext = fading.clamp(min=0.0)
        steps = int(torch.count_nonzero(pretext))
        others = random_others((steps, rows.shape[1]), OTHERS, rows.device)
        return cls(rows, near_to(rows, len(patches)), others, pretext.to(rows.device))

    @property
    def pretext_steps(self) -> int:
        """How many of the steps, the first, know the pretext task."""
        return len(self.others)


@dataclass
class Lesson:
    """One training: the heads, and the patches [patches, width] they learn from."""

    recipe: PaAno
    heads: Heads
    patches: Tensor

    def train(self) -> None:
        """Train the heads in place."""
        recipe, plan = self.recipe, Plan.drawn(self.recipe, self.patches)
        optimizer = torch.optim.AdamW(
            self.heads.parameters(), recipe.learning_rate, weight_decay=recipe.weight_decay
        )
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(
            optimizer, recipe.iterations, recipe.final_learning_rate
        )

        def loss(step: Tensor) -> Tensor:
            at = int(step)
            if at < plan.pretext_steps:
                return self.early_loss(plan.rows[at], plan.near[at], plan.others[at], plan.pretext[at])
            return self.loss(plan.rows[at], plan.near[at])

        steps = torch.arange(recipe.iterations).unbind()
        train(self.heads, loss, steps, 1, optimizer, step_schedule=schedule, what="training PaAno")

    def loss(self, rows: Tensor, near: Tensor) -> Tensor:
        """Triplet loss of the patches `rows`."""
        return self._triplets(self.encoded(rows), self.encoded(near))

    def early_loss(self, rows: Tensor, near: Tensor, others: Tensor, pretext: Tensor) -> Tensor:
        """The same, with the pretext loss weighted by `pretext`."""
        vectors = self.encoded(rows)
        total = self._triplets(vectors, self.encoded(near))
        return total + pretext * self.pretext_loss(rows, vectors, others)

    def _triplets(self, vectors: Tensor, near: Tensor) -> Tensor:
        loss = triplet_loss(self.heads.project(vectors), self.heads.project(near))
        return gradient_scaled(loss * TRIPLET_WEIGHT, TRIPLET_GRADIENT)

    def encoded(self, rows: Tensor) -> Tensor:
        """Vectors of patches by row number."""
        reduced = reduces(self.recipe.precision, rows.device)
        with torch.autocast(rows.device.type, torch.bfloat16, enabled=reduced, cache_enabled=False):
            return self.heads(as_input(self.patches[rows], self.recipe.input))

    def pretext_loss(self, rows: Tensor, vectors: Tensor, others: Tensor) -> Tensor:
        """Is the other patch the one that ends where this one starts?

        Patches at the very start have none before them and do not count; something is encoded in its place all
        the same, because shapes that never change can be recorded as a CUDA graph.
        """
        known = (rows >= self.recipe.width).to(vectors.dtype)
        counts = known / known.sum().clamp(min=1)
        before = self.encoded((rows - self.recipe.width).clamp(min=0))
        true = self.heads.follows(torch.cat((vectors, before), 1))[:, 0]
        pairs = torch.cat((vectors[:, None].expand(-1, OTHERS, -1), vectors[others]), 2)
        false = self.heads.follows(pairs)[:, :, 0]
        return (counts * (F.softplus(-true) + F.softplus(false).mean(1))).sum()


def reduces(precision: Precision, place: torch.device) -> bool:
    """Whether convolutions are to be in bfloat16 there.

    >>> reduces("bfloat16", torch.device("cpu"))
    True
    """
    if precision == "auto":
        if place.type == "cuda":
            return torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.backends.cpu.get_cpu_capability() == "AVX512"
    return precision == "bfloat16"


def near_to(rows: Tensor, patches: int) -> Tensor:
    """For each row, one of the rows one or two before or after it, within `patches`."""
    steps = torch.tensor([-2, -1, 1, 2], device=rows.device)
    step = steps[torch.randint(4, rows.shape, device=rows.device)]
    outside = (rows + step < 0) | (rows + step >= patches)
    return (rows + torch.where(outside, -step, step)).clamp(0, patches - 1)


def triplet_loss(anchors: Tensor, positives: Tensor) -> Tensor:
    """Mean of relu(distance to the own positive - largest distance to another's + margin), in cosine distance.

    The largest, so the *farthest* "negative" counts: odd, but it is what the authors ran.
    """
    distance = 1 - F.normalize(anchors, dim=1) @ F.normalize(positives, dim=1).T
    own = distance.diagonal()
    other = distance.masked_fill(torch.eye(len(own), dtype=torch.bool, device=own.device), -torch.inf)
    return F.relu(own - other.max(1).values + MARGIN).mean()


def gradient_scaled(value: Tensor, factor: float) -> Tensor:
    """The same value, whose gradient is `factor` times as large."""
    return value * factor + (value * (1 - factor)).detach()


def random_others(batches: tuple[int, int], wanted: int, device: torch.device) -> Tensor:
    """For each row of (how many, how large) batches, `wanted` random rows [how many, how large, wanted] but itself."""
    count = batches[1]
    step = torch.randint(1, max(count, 2), (*batches, wanted), device=device)
    return (torch.arange(count, device=device)[:, None] + step) % count
