"""A training step recorded once as a CUDA graph and replayed, for nets too small to keep a GPU busy.

A step of a small net is over before Python has launched the next, so most of a GPU's time would pass waiting. A step
that always has the same shapes and finds its data in the same memory can be recorded; a replay costs one launch. A
*lane* is such memory with its recording. Series go through a lane one after another, and lanes run side by side.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Generic, TypeVar

import torch
from torch import Tensor

from paiad.progress import track
from paiad.shapes import Values

WARM_UP = 3  # unrecorded steps, in which libraries choose their ways and the optimizer makes its memory

Learnt = TypeVar("Learnt")


class Lane(ABC, Generic[Learnt]):
    """Where one series at a time is trained, always in the same memory."""

    def __init__(self, place: torch.device) -> None:
        self.place = place
        on_gpu = place.type == "cuda"
        self.stream = torch.cuda.Stream(place) if on_gpu else None  # type: ignore[no-untyped-call]
        self.at = torch.zeros(1, dtype=torch.int64, device=place)  # the step to come

    @abstractmethod
    def begin(self, train: Values) -> None:
        """Put a series, fresh weights and what is drawn for the training in place."""

    @abstractmethod
    def step(self, number: int) -> None:
        """One step of training; on a GPU it is only launched."""

    @abstractmethod
    def end(self) -> Learnt:
        """What has been learnt, once the GPU is done with it."""

    def on_stream(self) -> AbstractContextManager[object]:
        """What is launched inside waits for nothing but this lane's own work."""
        return torch.cuda.stream(self.stream)

    def settle(self) -> None:
        """Wait for all that was launched."""
        if self.stream is not None:
            self.stream.synchronize()

    def recorded(self, run: Callable[[], None]) -> Callable[[], None]:
        """`run` as one launch. It is run a few times before; on a CPU it is simply given back."""
        if self.stream is None:
            return run
        self.stream.wait_stream(torch.cuda.current_stream())
        with self.on_stream():
            for _ in range(WARM_UP):
                self.at.zero_()
                run()
            self.at.zero_()
        self.stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            run()
        return graph.replay

    def of_step(self, table: Tensor) -> Tensor:
        """The row of a table [steps, ...] that belongs to the step to come."""
        return table.index_select(0, self.at)[0]


def forget(optimizer: torch.optim.Optimizer) -> None:
    """Make an optimizer as new, in the memory it has."""
    for memory in optimizer.state.values():
        for held in memory.values():
            held.zero_()


Kind = TypeVar("Kind", bound=Hashable)


def through_lanes(
    trains: Sequence[Values],
    kinds: Sequence[Kind],
    make: Callable[[Kind], Lane[Learnt]],
    steps: int,
    lanes: int,
    what: str,
) -> list[Learnt]:
    """What lanes learn of each series, in order. Series of one kind go through the same lanes, `lanes` at once."""
    made: dict[int, Learnt] = {}
    turns = list(_turns(kinds, lanes))
    known: Kind | None = None
    side_by_side: list[Lane[Learnt]] = []
    with _fastest():
        for kind, turn in track(turns, what):
            if kind != known:
                side_by_side.clear()  # gives their memory back before others take it
                side_by_side += [make(kind) for _ in turn]
                known = kind
            together = list(zip(side_by_side, turn, strict=False))
            for lane, index in together:
                lane.begin(trains[index])
            for step in range(steps):
                for lane, _ in together:
                    lane.step(step)
            made |= {index: lane.end() for lane, index in together}
    return [made[index] for index in range(len(trains))]


def _turns(kinds: Sequence[Kind], lanes: int) -> Iterator[tuple[Kind, list[int]]]:
    members: dict[Kind, list[int]] = {}
    for index, kind in enumerate(kinds):
        members.setdefault(kind, []).append(index)
    for kind, indices in members.items():
        for start in range(0, len(indices), lanes):
            yield kind, indices[start : start + lanes]


@contextmanager
def _fastest() -> Iterator[None]:
    """Let products be in TF32, as convolutions are by default, and cuDNN try which of its ways is fastest.

    Trying pays where the same shapes come thousands of times.
    """
    cudnn, cublas = torch.backends.cudnn, torch.backends.cuda.matmul
    before = cudnn.benchmark, cublas.allow_tf32
    cudnn.benchmark, cublas.allow_tf32 = True, True
    try:
        yield
    finally:
        cudnn.benchmark, cublas.allow_tf32 = before
