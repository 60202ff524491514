"""A stack of dilated residual convolutions, and its last step over every window of a series, computed sparingly.

The last step of a window depends on few others: a convolution that reaches 2^i steps needs every 2^i-th step
only. And as long as a step has not yet felt an end of the window (each convolution carries the zeros beyond
the ends further in), it has the same value in every window that holds it. `Sweep` asks for the last step and
computes what that needs: shared steps once a series, the others once a window.
"""

from collections.abc import Sequence
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor, nn

KERNEL = 3


class Block(nn.Module):
    """Two convolutions with GELU before each, and what came in added; at the end of a stack through a projection."""

    def __init__(self, before: int, after: int, dilation: int, last: bool) -> None:
        super().__init__()
        self.dilation = dilation
        self.first = _convolution(before, after, dilation)
        self.second = _convolution(after, after, dilation)
        self.bypass = nn.Conv1d(before, after, 1) if last or before != after else None

    def forward(self, values: Tensor) -> Tensor:
        """[batch, features, time]."""
        kept = values if self.bypass is None else self.bypass(values)
        return kept + self.second(F.gelu(self.first(F.gelu(values))))


def _convolution(before: int, after: int, dilation: int) -> nn.Conv1d:
    return nn.Conv1d(before, after, KERNEL, padding=dilation, dilation=dilation)


def dilated_stack(features: int, depth: int, output: int) -> nn.Sequential:
    """`depth` blocks of `features`, then one of `output`; the reach doubles from block to block."""
    widths = [features] * (depth + 1) + [output]
    return nn.Sequential(*(Block(widths[i], widths[i + 1], 2**i, last=i == depth) for i in range(depth + 1)))


class Sweep:
    """The last step of a stack over all windows of `width` steps of one series.

    `steps` [time, features] enter the stack if each window of them is a view of the series; `windows`
    [windows, width, features] where windows differ in more (each normalised by itself, say): then nothing
    can be shared. With `blank_last` the last step of every window is zero on entering.

    A stage is what stands between two convolutions: 0 is what enters, 2 i + 1 and 2 i + 2 are inside and
    after block i.
    """

    def __init__(self, stack: nn.Sequential, given: Tensor, width: int, blank_last: bool = False) -> None:
        self.blocks: list[Block] = list(stack)  # type: ignore[arg-type]
        self.given, self.width, self.blank_last = given, width, blank_last
        self.shares = given.ndim == 2
        self.count = len(given) - width + 1 if self.shares else len(given)
        self.known: dict[tuple[int, int], Tensor] = {}
        self.active: dict[tuple[int, int], Tensor] = {}
        self.dense: list[Tensor] = [given]
        self.dense_active: list[Tensor] = []

    def last_steps(self) -> Tensor:
        """[windows, output]."""
        return self._at(2 * len(self.blocks), self.width - 1)

    @cached_property
    def _reach(self) -> list[int]:
        """How far from a window's ends a step of each stage feels them."""
        reach = [0]
        for block in self.blocks:
            reach += [reach[-1] + block.dilation, reach[-1] + 2 * block.dilation]
        return reach

    @cached_property
    def _taps(self) -> list[list[Tensor]]:
        """Per convolution, one matrix [before, after] a tap."""
        return [[weight.T.contiguous() for weight in c.weight.unbind(2)] for c in self._convolutions]

    @cached_property
    def _convolutions(self) -> list[nn.Conv1d]:
        return [convolution for block in self.blocks for convolution in (block.first, block.second)]

    def _is_shared(self, stage: int, step: int) -> bool:
        reach = self._reach[stage]
        return self.shares and reach <= step < self.width - reach - (
            self.blank_last and step + reach >= self.width - 1
        )

    def _at(self, stage: int, step: int) -> Tensor:
        """One step of every window at a stage, [windows, features]."""
        if self._is_shared(stage, step):
            begin = step - self._reach[stage]
            return self._dense(stage)[begin : begin + self.count]
        if (stage, step) not in self.known:
            self.known[stage, step] = self._entering(step) if stage == 0 else self._convolved(stage, step)
        return self.known[stage, step]

    def _active(self, stage: int, step: int) -> Tensor:
        """The same after GELU."""
        if self._is_shared(stage, step):
            begin = step - self._reach[stage]
            return self._dense_active(stage)[begin : begin + self.count]
        if (stage, step) not in self.active:
            self.active[stage, step] = F.gelu(self._at(stage, step))
        return self.active[stage, step]

    def _entering(self, step: int) -> Tensor:
        given = self.given[step : step + self.count] if self.shares else self.given[:, step]
        return torch.zeros_like(given) if self.blank_last and step == self.width - 1 else given

    def _convolved(self, stage: int, step: int) -> Tensor:
        block = self.blocks[(stage - 1) // 2]
        sources = (step - block.dilation, step, step + block.dilation)
        terms = [
            (self._active(stage - 1, source), tap)
            for source, tap in zip(sources, self._taps[stage - 1], strict=True)
            if 0 <= source < self.width
        ]
        total = _matrix_products(self._bias(stage), terms)
        return total if stage % 2 else total + self._past(block, self._at(stage - 2, step))

    def _dense(self, stage: int) -> Tensor:
        """All steps of the series that windows share at a stage: those from `reach` on, to as far from the end."""
        while len(self.dense) <= stage:
            self._extend_dense(len(self.dense))
        return self.dense[stage]

    def _extend_dense(self, stage: int) -> None:
        block = self.blocks[(stage - 1) // 2]
        length = len(self.dense[stage - 1]) - 2 * block.dilation
        active = self._dense_active(stage - 1)
        terms = [
            (active[k * block.dilation : k * block.dilation + length], tap)
            for k, tap in enumerate(self._taps[stage - 1])
        ]
        total = _matrix_products(self._bias(stage), terms)
        if stage % 2 == 0:
            begin = 2 * block.dilation
            total += self._past(block, self.dense[stage - 2][begin : begin + length])
        self.dense.append(total)

    def _dense_active(self, stage: int) -> Tensor:
        while len(self.dense_active) <= stage:
            self.dense_active.append(F.gelu(self._dense(len(self.dense_active))))
        return self.dense_active[stage]

    def _bias(self, stage: int) -> Tensor:
        bias = self._convolutions[stage - 1].bias
        assert bias is not None
        return bias

    def _past(self, block: Block, values: Tensor) -> Tensor:
        return (
            values
            if block.bypass is None
            else F.linear(values, block.bypass.weight[:, :, 0], block.bypass.bias)
        )


def _matrix_products(bias: Tensor, terms: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
    (values, tap), *others = terms
    total = torch.addmm(bias, values, tap)
    for values, tap in others:
        total.addmm_(values, tap)
    return total
