"""Batch norm followed by ReLU, in one go where a CPU trains in bfloat16.

There torch passes over the activations six times for the two, forward and back; here it is four times. Everywhere
else the two are torch's own.
"""

import numpy as np
import torch
from numba import njit
from torch import Tensor, nn

BLOCK = 64  # rows added up in float32 before they go into a sum in float64

Rows = np.ndarray
"""Activations [rows, channels] in bfloat16, as the 16 bits they are."""


class RectifiedNorm(nn.BatchNorm2d):
    """`BatchNorm2d`, then ReLU: the same statistics, parameters and gradients."""

    def forward(self, values: Tensor) -> Tensor:
        if not self._at_once(values):
            return super().forward(values).relu_()
        assert self.num_batches_tracked is not None
        self.num_batches_tracked.add_(1)
        return _AtOnce.apply(values, self.weight, self.bias, self)  # type: ignore[no-untyped-call]

    def _at_once(self, values: Tensor) -> bool:
        return (
            self.training
            and self.momentum is not None  # else the average over all batches
            and values.dtype == torch.bfloat16
            and not values.is_cuda
            and torch.get_num_threads() == 1  # torch's own way takes all the threads it is given
            and values.is_contiguous(memory_format=torch.channels_last)
        )

    def seen(self, mean: np.ndarray, variance: np.ndarray, count: int) -> None:
        """Move the running statistics towards those of a batch of so many steps."""
        assert self.momentum is not None
        assert self.running_mean is not None
        assert self.running_var is not None
        with torch.no_grad():
            self.running_mean.lerp_(torch.from_numpy(mean).float(), self.momentum)
            unbiased = variance * (count / max(count - 1, 1))
            self.running_var.lerp_(torch.from_numpy(unbiased).float(), self.momentum)


class _AtOnce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values: Tensor, weight: Tensor, bias: Tensor, norm: RectifiedNorm) -> Tensor:  # type: ignore[no-untyped-def]
        rows = _rows(values)
        nothing, one = np.zeros(rows.shape[1], np.float32), np.ones(rows.shape[1], np.float32)
        total, squares = _sums(rows, rows, nothing, one)  # where all is let pass
        mean = total / len(rows)
        variance = np.maximum(squares / len(rows) - mean**2, 0.0)
        norm.seen(mean, variance, len(rows))
        spread = np.sqrt(variance + norm.eps)
        scale = weight.detach().numpy() / spread
        shift = bias.detach().numpy() - mean * scale
        made = torch.empty_like(values)
        _rectify(rows, scale.astype(np.float32), shift.astype(np.float32), _rows(made))
        ctx.save_for_backward(values)
        ctx.known = mean, spread, scale, shift
        return made

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:  # type: ignore[no-untyped-def]
        (values,) = ctx.saved_tensors
        mean, spread, scale, shift = ctx.known
        narrow = scale.astype(np.float32), shift.astype(np.float32)
        rows, coming = _rows(values), _rows(gradient.contiguous(memory_format=torch.channels_last))
        of_shift, of_values = _sums(rows, coming, *narrow)
        of_scale = (of_values - mean * of_shift) / spread
        slope = -scale * of_scale / (spread * len(rows))
        level = -scale * of_shift / len(rows) - slope * mean
        made = torch.empty_like(values)
        _pass_back(rows, coming, *narrow, slope.astype(np.float32), level.astype(np.float32), _rows(made))
        return made, torch.from_numpy(of_scale).float(), torch.from_numpy(of_shift).float(), None


def _rows(values: Tensor) -> Rows:
    """[batch, channels, height, width] in channels-last memory as [rows, channels]; the same memory."""
    rows = values.detach().permute(0, 2, 3, 1).reshape(-1, values.shape[1])
    return rows.view(torch.int16).numpy().view(np.uint16)


@njit(cache=True, nogil=True, inline="always")
def _wide(bits):  # type: ignore[no-untyped-def]
    """A bfloat16 as a float32."""
    return np.uint32(np.uint32(bits) << np.uint32(16)).view(np.float32)


@njit(cache=True, nogil=True, inline="always")
def _narrow(value):  # type: ignore[no-untyped-def]
    """The nearest bfloat16, ties to even."""
    bits = np.uint32(np.float32(value).view(np.uint32))
    odd = np.uint32((bits >> np.uint32(16)) & np.uint32(1))
    return np.uint16(np.uint32(bits + np.uint32(0x7FFF) + odd) >> np.uint32(16))


@njit(cache=True, nogil=True, inline="always")
def _passed(coming, value, scale, shift):  # type: ignore[no-untyped-def]
    """What ReLU lets pass where `value` went in; a NaN passes, so that a training that diverges is seen to."""
    return np.float32(0) if value * scale + shift <= 0 else coming


@njit(cache=True, nogil=True)
def _sums(rows: Rows, coming: Rows, scale: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By channel, sums over the rows of what passes of `coming`, and of that times the values."""
    channels = rows.shape[1]
    total, products = np.zeros(channels), np.zeros(channels)
    some, some_products = np.empty(channels, np.float32), np.empty(channels, np.float32)
    for begin in range(0, len(rows), BLOCK):
        some[:] = 0
        some_products[:] = 0
        for row in range(begin, min(begin + BLOCK, len(rows))):
            for channel in range(channels):
                value = _wide(rows[row, channel])
                passed = _passed(_wide(coming[row, channel]), value, scale[channel], shift[channel])
                some[channel] += passed
                some_products[channel] += passed * value
        for channel in range(channels):
            total[channel] += some[channel]
            products[channel] += some_products[channel]
    return total, products


@njit(cache=True, nogil=True)
def _rectify(rows: Rows, scale: np.ndarray, shift: np.ndarray, out: Rows) -> None:
    for row in range(len(rows)):
        for channel in range(rows.shape[1]):
            scaled = _wide(rows[row, channel]) * scale[channel] + shift[channel]
            out[row, channel] = _narrow(np.float32(0) if scaled <= 0 else scaled)


@njit(cache=True, nogil=True)
def _pass_back(
    rows: Rows,
    coming: Rows,
    scale: np.ndarray,
    shift: np.ndarray,
    slope: np.ndarray,
    level: np.ndarray,
    out: Rows,
) -> None:
    for row in range(len(rows)):
        for channel in range(rows.shape[1]):
            value = _wide(rows[row, channel])
            passed = _passed(_wide(coming[row, channel]), value, scale[channel], shift[channel])
            out[row, channel] = _narrow(passed * scale[channel] + value * slope[channel] + level[channel])
