"""TS2Vec: dilated convolutions trained so that a step's vector is the same in two random crops around it.

The vector of step t is the last step of the encoding of the window [t - 200, t] alone, so it never looks ahead.
Its own anomaly score asks how much that vector changes when the last value is hidden.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
import torch.nn.functional as F
from numpy.lib.stride_tricks import sliding_window_view
from torch import Tensor, nn

from paiad.contracts import Change, Detector, Encoder, Learner, Reach, Scorer, checked_train
from paiad.cover import Cover
from paiad.devices import choose_device, computing
from paiad.layers.dilated import Sweep, dilated_stack
from paiad.layers.weights import to_arrays, with_arrays
from paiad.placing import Device
from paiad.progress import track
from paiad.scaling import ZScore
from paiad.series import as_values
from paiad.settings import check_settings
from paiad.shapes import Scores, Values, Vectors
from paiad.training import Repeated, Shuffled, train

HIDDEN = 64
OUTPUT = 320
DEPTH = 10
WINDOW = 201
DROPOUT = 0.1
LONGEST_PIECE = 3_000
INSTANCE_WEIGHT = 0.5  # alpha: between the two contrasts of the loss
SHORTEST_CROP = 2
SHOWN = 0.5  # share of the steps that the net sees in training
MOVING_AVERAGE = 21
AT_ONCE = {"cpu": 1024, "cuda": 16_384}  # windows
VARIANCE_FLOOR = 1e-5


@dataclass(frozen=True)
class TS2Vec(Learner):
    """Recipe of a TS2Vec encoder: 320 numbers a step.

    With `normalise_windows` every crop and every window is normalised by its own mean and variance on entering
    the net (the paper's ablation): level and amplitude are gone, and encoding takes longer, because windows
    then share nothing.

    >>> encoder = TS2Vec(iterations=1).fit(np.sin(np.arange(100.0)))
    >>> encoder.encode(np.sin(np.arange(50.0))).shape
    (50, 320)
    """

    iterations: int = 200
    batch: int = 8
    learning_rate: float = 1e-3
    normalise_windows: bool = False
    device: Device = "auto"
    seed: int = 2000

    def __post_init__(self) -> None:
        check_settings(self, may_be_zero=("seed", "iterations"))

    def fit(self, train: Values) -> "TS2VecEncoder":
        if self._records:
            return self._recorded([train])[0]
        train = checked_train(train, SHORTEST_CROP, "TS2Vec")
        scaling = ZScore.of(train)
        with computing(self.device, self.seed) as place:
            net = Net(self.normalise_windows).to(place)
            average = _Average(net)
            if self.iterations:
                _train(self, net, average, pieces(scaling(train)).to(place))
            return self.encoder(to_arrays(average.net), scaling)

    def fit_many(self, trains: Sequence[Values]) -> list[Encoder]:
        return list[Encoder](self._recorded(trains) if self._records else map(self.fit, trains))

    @property
    def _records(self) -> bool:
        """On a GPU even a single training is faster in a lane, whose steps are recorded."""
        return self.iterations > 0 and choose_device(self.device).type == "cuda"

    def _recorded(self, trains: Sequence[Values]) -> "list[TS2VecEncoder]":
        from paiad.encoders.ts2vec_together import fitted_together

        return fitted_together(self, trains)

    def encoder(self, weights: dict[str, np.ndarray], scaling: ZScore) -> "TS2VecEncoder":
        """What is kept of a training."""
        return TS2VecEncoder(Cover(1), weights, scaling, self.normalise_windows, self.device)


@dataclass(frozen=True, eq=False)
class TS2VecEncoder(Encoder):
    """A trained TS2Vec encoder."""

    cover: Cover
    weights: dict[str, np.ndarray]
    scaling: ZScore
    normalise_windows: bool = False
    device: Device = "auto"

    context = WINDOW - 1

    def encode(self, values: Values) -> Vectors:
        self.cover.extract(values)
        return self._of_stretches(values, self._last_steps)

    def surprise(self, values: Values) -> Scores:
        """How far (L1) each step's vector moves when its value is hidden."""
        return self._of_stretches(
            values,
            lambda stretch: (
                (self._last_steps(stretch) - self._last_steps(stretch, blank_last=True))
                .abs()
                .sum(1, dtype=torch.float64)
            ),
        )

    @property
    def ignores(self) -> frozenset[Change]:
        return frozenset(("shift", "scale") if self.normalise_windows else ())

    def _of_stretches(self, values: Values, found: Callable[[Tensor], Tensor]) -> np.ndarray:
        """What is found of a stretch of the series after another; each begins with the steps of a whole window."""
        scaled = np.pad(self.scaling(values), (WINDOW - 1, 0), constant_values=np.nan)
        with computing(self.device) as place, torch.inference_mode():
            self._net.to(place)
            series = torch.tensor(scaled, dtype=torch.float32, device=place)
            at_once = AT_ONCE[place.type]
            begins = track(range(0, len(values), at_once), "encoding")
            parts = [found(series[begin : begin + at_once + WINDOW - 1]) for begin in begins]
            return torch.cat(parts).cpu().numpy()

    def _last_steps(self, stretch: Tensor, blank_last: bool = False) -> Tensor:
        given = stretch.unfold(0, WINDOW, 1) if self.normalise_windows else stretch
        return Sweep(self._net.stack, self._net.entering(given), WINDOW, blank_last).last_steps()

    @cached_property
    def _net(self) -> "Net":
        return with_arrays(Net(self.normalise_windows), self.weights)


@dataclass(frozen=True)
class MaskedTS2Vec(Detector):
    """TS2Vec's own score: how much more than lately a step's vector changes when its value is hidden.

    The change is given relative to its mean over the 21 steps before: 1 is twice as much as lately.
    """

    learner: TS2Vec = TS2Vec()

    def __post_init__(self) -> None:
        check_settings(self)

    def fit(self, train: Values) -> "MaskedTS2VecScorer":
        return self.around(self.learner.fit(train), train)

    def around(self, encoder: "TS2VecEncoder", train: Values) -> "MaskedTS2VecScorer":
        """The score of an encoder that is there already."""
        return MaskedTS2VecScorer(encoder, relative_to_lately(encoder.surprise(np.asarray(train))))


@dataclass(frozen=True, eq=False)
class MaskedTS2VecScorer(Scorer):
    encoder: TS2VecEncoder
    calibration: Scores

    def score(self, values: Values) -> Scores:
        values = as_values(values, "values to score")
        return relative_to_lately(self.encoder.surprise(values))

    @property
    def reach(self) -> Reach | None:
        return Reach(WINDOW - 1 + MOVING_AVERAGE, 0)

    @property
    def ignores(self) -> frozenset[Change]:
        return self.encoder.ignores


def relative_to_lately(errors: Scores, steps: int = MOVING_AVERAGE) -> Scores:
    """Each error minus, and divided by, the mean of those before it (of at most `steps`); the first is 0.

    >>> relative_to_lately(np.array([1.0, 1.0, 3.0]))
    array([0., 0., 2.])
    """
    windows = sliding_window_view(np.concatenate((np.zeros(steps), errors[:-1])), steps)
    known = np.minimum(np.arange(len(errors)), steps)
    lately = windows.sum(axis=1) / np.maximum(known, 1)
    return np.divide(errors - lately, lately, out=np.zeros(len(errors)), where=lately > 0)


class Net(nn.Module):
    """Steps, each to 64 numbers (zeros where masked or missing), then the dilated stack."""

    def __init__(self, normalise_windows: bool) -> None:
        super().__init__()
        self.normalise_windows = normalise_windows
        self.input = nn.Linear(1, HIDDEN)
        self.stack = dilated_stack(HIDDEN, DEPTH, OUTPUT)
        self.dropout = nn.Dropout(DROPOUT)

    def entering(self, values: Tensor) -> Tensor:
        """[..., time] to [..., time, 64]; missing values (NaN) become zeros."""
        missing = values.isnan()
        if self.normalise_windows:
            values = _normalised(values, missing)
        return self.input(values.nan_to_num()[..., None]).masked_fill(missing[..., None], 0.0)

    def forward(self, values: Tensor, mask: Tensor) -> Tensor:
        """Vectors [batch, time, 320] of values [batch, time], those outside the mask hidden."""
        entering = self.entering(values).masked_fill(~mask[..., None], 0.0)
        return self.dropout(self.stack(entering.transpose(1, 2)).transpose(1, 2))


def _normalised(values: Tensor, missing: Tensor) -> Tensor:
    count = (~missing).sum(-1, keepdim=True).clamp(min=1)
    centred = values - values.nansum(-1, keepdim=True) / count
    return centred / torch.sqrt(centred.square().nansum(-1, keepdim=True) / count + VARIANCE_FLOOR)


def pieces(values: Values, longest: int = LONGEST_PIECE) -> Tensor:
    """A series cut into as many equal pieces as fit in `longest` each, [pieces, time]; the last filled with NaN.

    >>> pieces(np.arange(5.0), longest=2)
    tensor([[0., 1., 2.],
            [3., 4., nan]])
    """
    count = max(1, len(values) // longest)
    length = -(-len(values) // count)
    filled = np.full(count * length, np.nan)
    filled[: len(values)] = values
    return torch.tensor(filled.reshape(count, length), dtype=torch.float32)


class _Average:
    """The mean of the weights at the start and after every step."""

    def __init__(self, net: Net) -> None:
        self.live = net
        self.model = torch.optim.swa_utils.AveragedModel(net)
        self.step()

    def step(self) -> None:
        self.model.update_parameters(self.live)

    @property
    def net(self) -> nn.Module:
        return self.model.module


@dataclass(frozen=True)
class Crops:
    """All that is random in one training but masks and dropout, drawn beforehand, one row a step.

    `rows` [steps, batch] are the pieces looked at, `begins` [steps, batch] where in each the first crop could begin
    at the earliest, and `borders` [steps, 4], counted from there, where the first crop begins, the second
    begins, the first ends and the second ends: the two share the steps between.
    """

    rows: Tensor
    begins: Tensor
    borders: Tensor

    @classmethod
    def drawn(cls, recipe: TS2Vec, pieces: Tensor) -> "Crops":
        """Crops of pieces [pieces, time], drawn from torch's generator of the CPU."""
        batch = min(recipe.batch, len(pieces))
        shuffled = Shuffled(len(pieces), batch, recipe.seed, drop_last=True)
        rows = torch.stack(list(Repeated(shuffled, recipe.iterations)))
        drawn = [_crop(pieces.shape[1], batch) for _ in range(recipe.iterations)]
        return cls(rows, torch.stack([begins for begins, _ in drawn]), torch.tensor([b for _, b in drawn]))


def _crop(time: int, batch: int) -> tuple[Tensor, tuple[int, int, int, int]]:
    """Begins [batch] and borders of two random crops of pieces of `time` steps (a stretch of those too long)."""
    stretch = _random(0, max(0, time - LONGEST_PIECE))
    time = min(time, LONGEST_PIECE)
    shared = _random(SHORTEST_CROP, time)
    left = _random(0, time - shared)
    right = left + shared
    far_left, far_right = _random(0, left), _random(right, time)
    begins = stretch + torch.randint(-far_left, time - far_right + 1, (batch,))
    return begins, (far_left, left, right, far_right)


def _random(least: int, most: int) -> int:
    """A random whole number, both ends included."""
    return int(torch.randint(least, most + 1, ()))


def _train(recipe: TS2Vec, net: Net, average: _Average, rows: Tensor) -> None:
    crops = Crops.drawn(recipe, rows)
    chosen, begins, borders = crops.rows, crops.begins, crops.borders.tolist()

    def loss(step: Tensor) -> Tensor:
        at = int(step)
        return crop_loss(net, rows[chosen[at]], begins[at], borders[at])

    train(
        net,
        loss,
        torch.arange(recipe.iterations).unbind(),
        1,
        torch.optim.AdamW(net.parameters(), recipe.learning_rate),
        step_schedule=average,
        what="training TS2Vec",
    )


def crop_loss(net: Net, rows: Tensor, begins: Tensor, borders: Sequence[int]) -> Tensor:
    """Two crops of each row that overlap in the same steps, encoded with random masks, and contrasted there."""
    far_left, left, right, far_right = borders
    one = _encoded(net, _cut(rows, begins + far_left, right - far_left))[:, left - far_left :]
    two = _encoded(net, _cut(rows, begins + left, far_right - left))[:, : right - left]
    return hierarchical_contrast(one, two)


def _cut(rows: Tensor, begins: Tensor, length: int) -> Tensor:
    return rows.gather(1, begins[:, None] + torch.arange(length, device=rows.device))


def _encoded(net: Net, crops: Tensor) -> Tensor:
    mask = torch.rand(crops.shape, device=crops.device) < SHOWN
    return net(crops, mask)


def hierarchical_contrast(one: Tensor, two: Tensor) -> Tensor:
    """Mean over ever coarser steps (max-pooled by 2 down to a single one) of the two contrasts.

    `one` and `two` are [batch, time, features], views of the same steps.
    """
    losses = []
    while one.shape[1] > 1:
        losses.append(
            INSTANCE_WEIGHT * contrast(one.transpose(0, 1), two.transpose(0, 1))
            + (1 - INSTANCE_WEIGHT) * contrast(one, two)
        )
        one, two = (F.max_pool1d(x.transpose(1, 2), 2).transpose(1, 2) for x in (one, two))
    losses.append(INSTANCE_WEIGHT * contrast(one.transpose(0, 1), two.transpose(0, 1)))
    return torch.stack(losses).mean()


def contrast(one: Tensor, two: Tensor) -> Tensor:
    """How badly each item is told from the others of its group by its other view (InfoNCE, dot products).

    `one` and `two` are [groups, items, features]; a group of a single item has nothing to be told from.
    """
    items = one.shape[1]
    if items == 1:
        return one.new_zeros(())
    both = torch.cat((one, two), 1)
    likeness = both @ both.transpose(1, 2)
    itself = torch.eye(2 * items, dtype=torch.bool, device=both.device)
    partner = torch.arange(2 * items, device=both.device).roll(items)
    return F.cross_entropy(likeness.masked_fill(itself, -torch.inf).flatten(0, 1), partner.repeat(len(both)))
