"""Many TS2Vec encoders trained on one GPU, a few side by side, every step one launch.

The two crops of a step have another length each time, which cannot be recorded. So both lie in buffers of one length,
in their places on the series; what lies outside a crop is held at zero after every convolution, which is what the
zeros beyond a crop's ends are; and contrasts pass over what is not shared. Losses and gradients are those of
`crop_loss`, crops are drawn as there; only masks and dropout are drawn elsewhere.
"""

from collections.abc import Sequence
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paiad.contracts import checked_train
from paiad.devices import choose_device, computing
from paiad.encoders.recording import Lane, forget, through_lanes
from paiad.encoders.ts2vec import (
    DROPOUT,
    INSTANCE_WEIGHT,
    LONGEST_PIECE,
    OUTPUT,
    SHORTEST_CROP,
    SHOWN,
    Crops,
    Net,
    TS2Vec,
    TS2VecEncoder,
    pieces,
)
from paiad.layers.dilated import Block
from paiad.scaling import UNSCALED, ZScore
from paiad.shapes import Values

LANES = 4
SIZES = (640, 1152, 2176, LONGEST_PIECE)  # of buffers, in steps; a series takes the smallest it fits in
# In what is recorded, numbers reach the GPU by `masked_fill`; `where` would copy them, which cannot be recorded.
NOWHERE = -1e30  # likeness of what does not count; minus infinity would leave NaN where nothing counts


def fitted_together(recipe: TS2Vec, trains: Sequence[Values]) -> list[TS2VecEncoder]:
    """An encoder for each training part, as `recipe.fit` gives them but for other masks and dropout."""
    place = choose_device(recipe.device)
    checked = [checked_train(train, SHORTEST_CROP, "TS2Vec") for train in trains]
    cut = [pieces(train).shape for train in checked]
    kinds = [(count, _size(time)) for count, time in cut]
    longest = {
        kind: max(time for (_, time), k in zip(cut, kinds, strict=True) if k == kind) for kind in kinds
    }
    with computing(recipe.device, recipe.seed):
        return through_lanes(
            checked,
            kinds,
            lambda kind: TS2VecLane(recipe, kind[0], longest[kind], kind[1], place),
            recipe.iterations,
            LANES,
            "training TS2Vec, a few series at once",
        )


def _size(time: int) -> int:
    return next(size for size in SIZES if min(time, LONGEST_PIECE) <= size)


class TS2VecLane(Lane[TS2VecEncoder]):
    """A lane for series of so many pieces that fit in buffers of one size."""

    def __init__(self, recipe: TS2Vec, count: int, longest: int, size: int, place: torch.device) -> None:
        super().__init__(place)
        self.recipe, self.size = recipe, size
        self.scaling = UNSCALED
        self.net = Net(recipe.normalise_windows).to(place).train()
        self.rows = torch.zeros(count, longest, device=place)
        batch = min(recipe.batch, count)
        with torch.random.fork_rng(devices=[]):
            like = Crops.drawn(recipe, torch.zeros(count, SHORTEST_CROP))
        self.crops = Crops(*(torch.zeros_like(part, device=place) for part in _parts(like)))
        self.crops.borders.copy_(torch.tensor([0, 0, SHORTEST_CROP, SHORTEST_CROP]))
        # Drawing inside a recorded step would tie the lanes to each other's draws; so chance is drawn once a
        # training, and every step reads it from another place on.
        self.shown = torch.ones(recipe.iterations, 2 * batch, size, dtype=torch.bool, device=place)
        self.chance = torch.ones(2 * 2 * batch * size * OUTPUT, dtype=torch.bool, device=place)
        self.places = torch.zeros(recipe.iterations, dtype=torch.int64, device=place)
        self.means = [torch.zeros_like(weight) for weight in self.net.parameters()]
        self.optimizer = torch.optim.AdamW(
            self.net.parameters(),
            recipe.learning_rate,
            capturable=place.type == "cuda",
            fused=True if place.type == "cuda" else None,
        )
        self._replay = self.recorded(self._run)

    def begin(self, train: Values) -> None:
        recipe = self.recipe
        self.scaling = ZScore.of(train)
        with self.on_stream(), torch.no_grad(), computing(recipe.device, recipe.seed):
            fresh = Net(recipe.normalise_windows).state_dict()
            rows = pieces(self.scaling(train))
            self.rows[:, : rows.shape[1]].copy_(rows)
            for held, drawn in zip(_parts(self.crops), _parts(Crops.drawn(recipe, rows)), strict=True):
                held.copy_(drawn)
            self.shown.copy_(torch.rand(self.shown.shape, device=self.place) < SHOWN)
            self.chance.copy_(torch.rand(self.chance.shape, device=self.place) >= DROPOUT)
            self.places.copy_(torch.randint(len(self.chance) // 2, self.places.shape, device=self.place))
            for name, held in self.net.state_dict().items():
                held.copy_(fresh[name])
            for mean, weight in zip(self.means, self.net.parameters(), strict=True):
                mean.copy_(weight)
            forget(self.optimizer)
            self.at.zero_()

    def step(self, number: int) -> None:
        with self.on_stream():
            self._replay()

    def end(self) -> TS2VecEncoder:
        self.settle()
        names = (name for name, _ in self.net.named_parameters())
        means = (mean.cpu().numpy().copy() for mean in self.means)
        return self.recipe.encoder(dict(zip(names, means, strict=True)), self.scaling)

    def _run(self) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        chosen = self.rows.index_select(0, self.of_step(self.crops.rows))
        begins, borders = self.of_step(self.crops.begins), self.of_step(self.crops.borders)
        kept = self.chance[self.of_step(self.places) + self._counted].view(-1, self.size, OUTPUT)
        crops = Buffered(chosen, begins, borders, self.size)
        loss = crops.loss(self.net, self.of_step(self.shown), kept / (1 - DROPOUT))
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        with torch.no_grad():  # the mean of the weights at the start and after every step
            apart = torch._foreach_sub(list(self.net.parameters()), self.means)
            torch._foreach_mul_(apart, 1 / (self.at[0] + 2))
            torch._foreach_add_(self.means, apart)
        self.at.add_(1)

    @cached_property
    def _counted(self) -> Tensor:
        return torch.arange(len(self.chance) // 2, device=self.place)


class Buffered:
    """Two crops of each row [batch, time], both in buffers of `size` steps, in their places on the series."""

    def __init__(self, rows: Tensor, begins: Tensor, borders: Tensor, size: int) -> None:
        far_left, self.left, right, far_right = borders.unbind()
        self.shared = right - self.left
        self.step = torch.arange(size, device=rows.device)
        crops = torch.stack(
            (
                (self.step >= far_left) & (self.step < right),
                (self.step >= self.left) & (self.step < far_right),
            )
        )
        self.inside = crops[:, None].expand(-1, len(rows), -1).reshape(-1, size)  # [2 * batch, size]
        taken = rows.gather(1, (begins[:, None] + self.step).clamp(0, rows.shape[1] - 1))
        self.values = taken.repeat(2, 1).masked_fill(~self.inside, torch.nan)

    def loss(self, net: Net, shown: Tensor, kept: Tensor) -> Tensor:
        """As `crop_loss`, given which steps are shown [2 * batch, size] and what dropout leaves [..., 320]."""
        entering = net.entering(self.values).masked_fill(~shown[..., None], 0.0)
        found = within(net.stack, entering, self.inside[..., None].to(entering.dtype)) * kept
        one, two = found.index_select(1, (self.left + self.step).clamp(max=len(self.step) - 1)).chunk(2)
        return contrast_of_first(one, two, self.shared)


def within(stack: nn.Sequential, values: Tensor, inside: Tensor) -> Tensor:
    """A dilated stack of [rows, time, features], where what is not `inside` [rows, time, 1] is beyond the ends."""
    for block in stack:
        assert isinstance(block, Block)
        bypass = block.bypass
        kept = values if bypass is None else F.linear(values, bypass.weight[:, :, 0], bypass.bias)
        found = convolved(F.gelu(values), block.first) * inside
        values = (kept + convolved(F.gelu(found), block.second)) * inside
    return values


def convolved(values: Tensor, convolution: nn.Conv1d) -> Tensor:
    """A dilated convolution of [rows, time, features] as one product with its three taps side by side."""
    reach, time = convolution.dilation[0], values.shape[1]
    weight, bias = convolution.weight, convolution.bias
    if reach >= time:
        return F.linear(values, weight[:, :, 1], bias)
    wide = F.pad(values, (0, 0, reach, reach))
    seen = torch.cat((wide[:, :time], values, wide[:, 2 * reach :]), 2)
    return F.linear(seen, weight.transpose(1, 2).flatten(1), bias)


def contrast_of_first(one: Tensor, two: Tensor, count: Tensor) -> Tensor:
    """`hierarchical_contrast` of the first `count` steps (a number on the device) of views [batch, time, features]."""
    total, levels = one.new_zeros(()), one.new_zeros(())
    while True:
        there = torch.arange(one.shape[1], device=one.device) < count
        if len(one) > 1:
            total = total + INSTANCE_WEIGHT * _between_instances(one, two, there, count)
        if one.shape[1] > 1:
            total = total + (1 - INSTANCE_WEIGHT) * (count > 1) * _between_steps(one, two, there, count)
        levels = levels + (count > 0)
        half = one.shape[1] // 2
        if half == 0:
            return total / levels
        one, two = (torch.maximum(x[:, 0 : 2 * half : 2], x[:, 1 : 2 * half : 2]) for x in (one, two))
        count = count.div(2, rounding_mode="floor")


def _between_steps(one: Tensor, two: Tensor, there: Tensor, count: Tensor) -> Tensor:
    both, counts = torch.cat((one, two), 1), there.repeat(2)
    missing = one.new_zeros(len(counts)).masked_fill(~counts, NOWHERE).expand(len(both), 1, -1)
    likeness = torch.baddbmm(missing, both, both.transpose(1, 2))
    likeness.diagonal(dim1=1, dim2=2).fill_(NOWHERE)
    lost = likeness.logsumexp(2) - (one * two).sum(2).repeat(1, 2)
    return lost.masked_fill(~counts, 0.0).sum() / (2 * len(one) * count.clamp(min=1))


def _between_instances(one: Tensor, two: Tensor, there: Tensor, count: Tensor) -> Tensor:
    both = torch.cat((one, two), 0).transpose(0, 1)  # [time, 2 * batch, features]
    likeness = both @ both.transpose(1, 2)
    likeness.diagonal(dim1=1, dim2=2).fill_(NOWHERE)
    lost = likeness.logsumexp(2) - (one * two).sum(2).T.repeat(1, 2)
    return lost.masked_fill(~there[:, None], 0.0).sum() / (2 * len(one) * count.clamp(min=1))


def _parts(crops: Crops) -> tuple[Tensor, ...]:
    return crops.rows, crops.begins, crops.borders
