"""DCdetector: two attentions over a window, between its patches and inside them, and how far they disagree.

**Nothing in it is trained.** As its authors' loss was run for the paper, two losses are added that are each other's
negative, so every gradient is exactly zero and no step moves a weight; and the window embedding, whose output
is what the bank is made of, does not even reach the loss, because attention maps are all that is compared. The
embedding is a random projection of three neighbouring values plus a code of the place in the window. It is
built here as it was run, because the paper's tables hold it; the amplitude terms are what makes it useful.

Since training provably changes nothing (`epochs=3`, the authors' number, gives the same bits), none is done
by default.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paiad.contracts import Change, Detector, Encoder, Learner, Reach, Scorer, checked_train
from paiad.cover import Cover
from paiad.devices import computing
from paiad.layers.blocks import blocks, unblocked
from paiad.layers.instance_norm import instance_normalised
from paiad.layers.token_embedding import TokenEmbedding
from paiad.layers.weights import to_arrays, with_arrays
from paiad.placing import Device
from paiad.progress import track
from paiad.series import as_values
from paiad.settings import check_settings
from paiad.shapes import Scores, Values, Vectors
from paiad.training import Repeated, Shuffled, strided, train

WIDTH = 100
PATCH = 5
FEATURES = 256
LAYERS = 3
TEMPERATURE = 50.0
LEAST_TRAINING = 110  # below this the authors' run gives a score of zero everywhere
LEARNING_RATE = 1e-4
BATCH = 64
MOST_BATCHES = 100  # an epoch
LOG_FLOOR = 1e-4  # added inside logarithms

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DCdetector(Detector):
    """The native score: where in its window the two attentions agree most. A window's scores sum to 1.

    >>> scorer = DCdetector().fit(np.sin(np.arange(200.0)))
    >>> scorer.score(np.sin(np.arange(150.0))).shape
    (150,)
    """

    epochs: int = 0
    device: Device = "auto"
    seed: int = 2000

    def __post_init__(self) -> None:
        check_settings(self, may_be_zero=("seed", "epochs"))

    def fit(self, train: Values) -> "DCdetectorScorer":
        train = checked_train(train, 1, "DCdetector")
        scorer = DCdetectorScorer(_weights(train, self), self.device, np.zeros(len(train)))
        return DCdetectorScorer(scorer.weights, self.device, scorer.score(train))


@dataclass(frozen=True, eq=False)
class DCdetectorScorer(Scorer):
    """Random (see above) attentions; without weights, a score of zero everywhere."""

    weights: dict[str, np.ndarray]
    device: Device
    calibration: Scores

    def score(self, values: Values) -> Scores:
        values = as_values(values, "values to score")
        if not self.weights:
            return np.zeros(len(values))
        with computing(self.device) as place, torch.inference_mode():
            windows = torch.tensor(blocks(values, WIDTH), device=place)
            parts = track(torch.split(windows, BATCH), "scoring with DCdetector")
            found = torch.cat([agreement(self._net.to(place)(instance_normalised(part))) for part in parts])
        return unblocked(found.cpu().numpy().astype(np.float64), len(values))

    @property
    def ignores(self) -> frozenset[Change]:
        return frozenset(("shift", "scale"))

    @cached_property
    def _net(self) -> "DualAttention":
        return with_arrays(DualAttention(), self.weights)


@dataclass(frozen=True)
class WindowEmbedding(Learner):
    """DCdetector's window embedding, one vector a step: an untrained random projection (see above)."""

    epochs: int = 0
    device: Device = "auto"
    seed: int = 2000

    def __post_init__(self) -> None:
        check_settings(self, may_be_zero=("seed", "epochs"))

    def fit(self, train: Values) -> Encoder:
        train = checked_train(train, 1, "DCdetector")
        weights = _weights(train, self)
        if not weights:
            return Silent(Cover(1))
        return WindowEncoder(Cover(1), weights["window.project.weight"], self.device)


@dataclass(frozen=True, eq=False)
class WindowEncoder(Encoder):
    """Each step by its value and its neighbours' in a window of 100 that wraps around, and by its place there."""

    cover: Cover
    weight: np.ndarray
    device: Device = "auto"

    def encode(self, values: Values) -> Vectors:
        self.cover.extract(values)
        embed = with_arrays(TokenEmbedding(1, FEATURES, WIDTH), {"project.weight": self.weight})
        with computing(self.device) as place, torch.inference_mode():
            windows = instance_normalised(torch.tensor(blocks(values, WIDTH), device=place))
            found = embed.to(place)(windows[:, :, None])
        return unblocked(found.cpu().numpy(), len(values))

    @property
    def reach(self) -> Reach | None:
        return None  # windows are counted from the start of the series

    @property
    def ignores(self) -> frozenset[Change]:
        return frozenset(("shift", "scale"))


@dataclass(frozen=True)
class Silent(Encoder):
    """Every step alike, so that a bank gives zero everywhere: what is left where there is too little to train on."""

    cover: Cover

    def encode(self, values: Values) -> Vectors:
        return np.zeros((len(values), 1))


def _weights(train: Values, recipe: DCdetector | WindowEmbedding) -> dict[str, np.ndarray]:
    if len(train) < LEAST_TRAINING:
        _log.warning(
            "DCdetector needs %d training values, got %d: its score is 0 everywhere",
            LEAST_TRAINING,
            len(train),
        )
        return {}
    with computing(recipe.device, recipe.seed) as place:
        net = DualAttention().to(place)
        if recipe.epochs:
            _train(net, instance_normalised(strided(train, WIDTH, device=place)), recipe)
        return to_arrays(net)


def _train(net: "DualAttention", windows: Tensor, recipe: DCdetector | WindowEmbedding) -> None:
    shuffled = Shuffled(len(windows), BATCH, recipe.seed, windows.device)
    train(
        net,
        lambda rows: summed_losses(net(windows[rows])),
        Repeated(shuffled, min(MOST_BATCHES, len(shuffled))),
        recipe.epochs,
        torch.optim.Adam(net.parameters(), LEARNING_RATE),
        what="training DCdetector",
    )


class DualAttention(nn.Module):
    """Per layer, attention of a window's steps to each other: between its patches, and inside them.

    The layers do not build on each other: each looks at the same two embeddings with its own projections.
    The window embedding is computed by the original only as attention's values, which nothing reads.
    """

    def __init__(self) -> None:
        super().__init__()
        self.window = TokenEmbedding(1, FEATURES, WIDTH)
        self.patches = TokenEmbedding(PATCH, FEATURES, WIDTH // PATCH)
        self.places = TokenEmbedding(WIDTH // PATCH, FEATURES, PATCH)
        self.queries = nn.ModuleList(nn.Linear(FEATURES, FEATURES) for _ in range(LAYERS))
        self.keys = nn.ModuleList(nn.Linear(FEATURES, FEATURES) for _ in range(LAYERS))

    def forward(self, windows: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Normalised windows [batch, time] to a pair of maps [batch, time, time] a layer, between and inside."""
        patches = windows.reshape(len(windows), -1, PATCH)
        between, inside = self.patches(patches), self.places(windows.reshape(len(windows), PATCH, -1))
        return [
            (
                _attention(query(between), key(between))
                .repeat_interleave(PATCH, 1)
                .repeat_interleave(PATCH, 2),
                _attention(query(inside), key(inside)).repeat(1, WIDTH // PATCH, WIDTH // PATCH),
            )
            for query, key in zip(self.queries, self.keys, strict=True)
        ]


def _attention(queries: Tensor, keys: Tensor) -> Tensor:
    return F.softmax(queries @ keys.transpose(1, 2) / queries.shape[2] ** 0.5, dim=2)


def divergence(one: Tensor, other: Tensor) -> Tensor:
    """Kullback-Leibler divergence of each row, [batch, time]."""
    return (one * (torch.log(one + LOG_FLOOR) - torch.log(other + LOG_FLOOR))).sum(2)


def _pairs(maps: list[tuple[Tensor, Tensor]]) -> Iterator[tuple[Tensor, Tensor]]:
    """The maps of each layer; rows of the inside one are made to sum to 1, as the authors do."""
    for between, inside in maps:
        yield between, inside / inside.sum(2, keepdim=True)


def agreement(maps: list[tuple[Tensor, Tensor]]) -> Tensor:
    """The native score [batch, time]: softmax over the window of minus the divergences of the two branches."""
    apart = sum(divergence(between, inside) + divergence(inside, between) for between, inside in _pairs(maps))
    return F.softmax(-TEMPERATURE * torch.as_tensor(apart), dim=1)


def branch_losses(maps: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    """Symmetrised divergence of the branches, once with gradients to the one between patches, once to the other."""
    to_between, to_inside = [], []
    for between, inside in _pairs(maps):
        fixed_between, fixed_inside = between.detach(), inside.detach()
        to_between.append(divergence(between, fixed_inside).mean() + divergence(fixed_inside, between).mean())
        to_inside.append(divergence(inside, fixed_between).mean() + divergence(fixed_between, inside).mean())
    return torch.stack(to_between).mean(), torch.stack(to_inside).mean()


def summed_losses(maps: list[tuple[Tensor, Tensor]]) -> Tensor:
    """What the authors' run minimises: each branch's loss minus the other's, both added, which is zero."""
    to_between, to_inside = branch_losses(maps)
    return (to_inside - to_between) + (to_between - to_inside)
