"""Many PaAno encoders trained on one GPU, a few side by side, every step one launch.

Every series is trained from the same draws as by `PaAno.fit` on that device; only sums are rounded differently.
"""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import torch

from paiad.contracts import checked_train
from paiad.devices import choose_device, computing
from paiad.encoders.paano import Heads, Lesson, PaAno, PaAnoEncoder, Plan
from paiad.encoders.recording import Lane, forget, through_lanes
from paiad.shapes import Values
from paiad.training import strided

LANES = 4


def fitted_together(recipe: PaAno, trains: Sequence[Values]) -> list[PaAnoEncoder]:
    """An encoder for each training part, as `recipe.fit` gives them."""
    place = choose_device(recipe.device)
    checked = [checked_train(train, recipe.width + 1, "PaAno") for train in trains]
    batches = [min(recipe.batch, len(train) - recipe.width + 1) for train in checked]
    longest = max((len(train) for train in checked), default=0)
    with computing(recipe.device):
        return through_lanes(
            checked,
            batches,
            lambda batch: PaAnoLane(recipe, batch, longest, place),
            recipe.iterations,
            LANES,
            "training PaAno, a few series at once",
        )


class PaAnoLane(Lane[PaAnoEncoder]):
    """A lane for series that are trained in batches of one size."""

    def __init__(self, recipe: PaAno, batch: int, longest: int, place: torch.device) -> None:
        super().__init__(place)
        self.recipe = recipe
        self.scaling = recipe.scaling_of(np.zeros(2))
        self.heads = Heads().to(place).train()
        self.values = torch.zeros(longest, dtype=torch.float64, device=place)
        self.lesson = Lesson(recipe, self.heads, self.values.unfold(0, recipe.width, 1))
        with torch.random.fork_rng(devices=[]):
            like = Plan.drawn(recipe, torch.zeros(batch, 1))
        self.plan = Plan(*(torch.zeros_like(part, device=place) for part in _parts(like)))
        self.rates = _cosine(recipe).to(place)
        self.rate = self.rates[0].clone()
        on_gpu = place.type == "cuda"
        self.optimizer = torch.optim.AdamW(
            self.heads.parameters(),
            self.rate,
            weight_decay=recipe.weight_decay,
            capturable=on_gpu,
            fused=True if on_gpu else None,
            foreach=None if on_gpu else False,
        )
        self._early = self.recorded(partial(self._run, early=True))
        self._late = self.recorded(partial(self._run, early=False))

    def begin(self, train: Values) -> None:
        recipe = self.recipe
        self.scaling = recipe.scaling_of(train)
        with self.on_stream(), torch.no_grad(), computing(recipe.device, recipe.seed):
            fresh = Heads().state_dict()
            scaled = self.scaling(train)
            plan = Plan.drawn(recipe, strided(scaled, recipe.width, device=self.place, dtype=torch.float64))
            self.values[: len(scaled)].copy_(torch.from_numpy(np.ascontiguousarray(scaled)))
            for held, drawn in zip(_parts(self.plan), _parts(plan), strict=True):
                held.copy_(drawn)
            for name, held in self.heads.state_dict().items():
                held.copy_(fresh[name])
            forget(self.optimizer)
            self.at.zero_()

    def step(self, number: int) -> None:
        with self.on_stream():
            (self._early if number < self.plan.pretext_steps else self._late)()

    def end(self) -> PaAnoEncoder:
        self.settle()
        return self.recipe.encoder(self.heads, self.scaling)

    def _run(self, early: bool) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        self.rate.copy_(self.of_step(self.rates))
        rows, near = self.of_step(self.plan.rows), self.of_step(self.plan.near)
        if early:
            others, pretext = self.of_step(self.plan.others), self.of_step(self.plan.pretext)
            loss = self.lesson.early_loss(rows, near, others, pretext)
        else:
            loss = self.lesson.loss(rows, near)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.at.add_(1)


def _parts(plan: Plan) -> tuple[torch.Tensor, ...]:
    return plan.rows, plan.near, plan.others, plan.pretext


def _cosine(recipe: PaAno) -> torch.Tensor:
    """The learning rate of every step, as `CosineAnnealingLR` gives it."""
    turn = torch.arange(recipe.iterations, dtype=torch.float64) * (math.pi / recipe.iterations)
    fall = recipe.learning_rate - recipe.final_learning_rate
    return (recipe.final_learning_rate + fall * (1 + torch.cos(turn)) / 2).to(torch.float32)
