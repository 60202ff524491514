"""Many PaAno encoders trained on one GPU.

A step of this small net is over before Python has launched the next, so most of a GPU's time would pass waiting. Here
a step is recorded once as a CUDA graph, in a few lanes; then a series after another goes through each lane, its
weights, its values and its plan copied to where the recording expects them, and the lanes run side by side.

Every series is trained from the same draws as by `PaAno.fit` on that device; only sums are rounded differently.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
import torch

from paiad.contracts import checked_train
from paiad.devices import choose_device, computing
from paiad.encoders.paano import Heads, Lesson, PaAno, PaAnoEncoder, Plan
from paiad.progress import track
from paiad.shapes import Values
from paiad.training import strided

LANES = 4
WARM_UP = 3  # unrecorded steps, in which libraries choose their ways and the optimizer makes its memory


def fitted_together(recipe: PaAno, trains: Sequence[Values]) -> list[PaAnoEncoder]:
    """An encoder for each training part, as `recipe.fit` gives them."""
    place = choose_device(recipe.device)
    checked = [checked_train(train, recipe.width + 1, "PaAno") for train in trains]
    made: dict[int, PaAnoEncoder] = {}
    with computing(recipe.device), _free_choice():
        lanes: list[Lane] = []
        for batch, turn in track(_turns(recipe, checked), "training PaAno, a few series at once"):
            if not lanes or lanes[0].batch != batch:
                lanes.clear()  # gives their memory back before others take it
                longest = max(len(train) for train in checked)
                lanes += [Lane(recipe, batch, longest, place) for _ in turn]
            for lane, index in zip(lanes, turn, strict=False):
                lane.begin(checked[index])
            for step in range(recipe.iterations):
                for lane, _ in zip(lanes, turn, strict=False):
                    lane.step(step)
            made |= {index: lane.end() for lane, index in zip(lanes, turn, strict=False)}
    return [made[index] for index in range(len(checked))]


def _turns(recipe: PaAno, trains: Sequence[Values]) -> list[tuple[int, list[int]]]:
    """Which series go through the lanes at once: as many as there are lanes, all with batches of one size."""
    by_batch: dict[int, list[int]] = {}
    for index, train in enumerate(trains):
        by_batch.setdefault(min(recipe.batch, len(train) - recipe.width + 1), []).append(index)
    return [
        (batch, members[start : start + LANES])
        for batch, members in by_batch.items()
        for start in range(0, len(members), LANES)
    ]


@contextmanager
def _free_choice() -> Iterator[None]:
    """Let cuDNN try which of its ways is fastest; it pays where the same shapes come thousands of times."""
    before = torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = True
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = before


class Lane:
    """Where one series at a time is trained, always in the same memory."""

    def __init__(self, recipe: PaAno, batch: int, longest: int, place: torch.device) -> None:
        self.recipe, self.batch, self.place = recipe, batch, place
        self.heads = Heads().to(place).train()
        self.values = torch.zeros(longest, dtype=torch.float64, device=place)
        self.lesson = Lesson(recipe, self.heads, self.values.unfold(0, recipe.width, 1))
        self.rates = _cosine(recipe).to(place)
        self.rate = self.rates[0].clone()
        self.at = torch.zeros(1, dtype=torch.int64, device=place)  # the step to come
        with torch.random.fork_rng(devices=[]):
            like = Plan.drawn(recipe, torch.zeros(batch, 1))
        self.plan = Plan(*(torch.zeros_like(part, device=place) for part in _parts(like)))
        on_gpu = place.type == "cuda"
        self.optimizer = torch.optim.AdamW(
            self.heads.parameters(),
            self.rate,
            weight_decay=recipe.weight_decay,
            capturable=on_gpu,
            fused=True if on_gpu else None,
            foreach=None if on_gpu else False,
        )
        self.stream = torch.cuda.Stream(place) if on_gpu else None  # type: ignore[no-untyped-call]
        self.scaling = recipe.scaling_of(np.zeros(2))
        self._early, self._late = self._recorded(early=True), self._recorded(early=False)

    def begin(self, train: Values) -> None:
        """Put a series, fresh weights and a fresh plan in place."""
        self.scaling = self.recipe.scaling_of(train)
        with torch.cuda.stream(self.stream), computing(self.recipe.device, self.recipe.seed):
            fresh = Heads()
            scaled = self.scaling(train)
            plan = Plan.drawn(
                self.recipe, strided(scaled, self.recipe.width, device=self.place, dtype=torch.float64)
            )
            self.values[: len(scaled)].copy_(torch.from_numpy(np.ascontiguousarray(scaled)))
            for held, drawn in zip(_parts(self.plan), _parts(plan), strict=True):
                held.copy_(drawn)
            with torch.no_grad():
                for name, held in self.heads.state_dict().items():
                    held.copy_(fresh.state_dict()[name])
            for memory in self.optimizer.state.values():
                for held in memory.values():
                    held.zero_()
            self.at.zero_()

    def step(self, number: int) -> None:
        """One step of training; on a GPU it is only launched."""
        with torch.cuda.stream(self.stream):
            (self._early if number < self.plan.pretext_steps else self._late)()

    def end(self) -> PaAnoEncoder:
        """What has been learnt, once the GPU is done with it."""
        if self.stream is not None:
            self.stream.synchronize()
        return self.recipe.encoder(self.heads, self.scaling)

    def _recorded(self, early: bool) -> Callable[[], None]:
        run = partial(self._run, early)
        if self.stream is None:
            return run
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            for _ in range(WARM_UP):
                self.at.zero_()
                run()
            self.at.zero_()
        self.stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            run()
        return graph.replay

    def _run(self, early: bool) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        self.rate.copy_(self.rates.index_select(0, self.at)[0])
        rows, near = (part.index_select(0, self.at)[0] for part in (self.plan.rows, self.plan.near))
        if early:
            others, pretext = (
                part.index_select(0, self.at)[0] for part in (self.plan.others, self.plan.pretext)
            )
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
