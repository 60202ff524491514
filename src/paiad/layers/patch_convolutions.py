"""A stack of convolutions over patches, averaged over time; and the same for all patches of a series at once.

Neighbouring patches overlap in all but one value, so away from a patch's padded ends their activations are the
same numbers. `mean_over_series` computes those once for the whole series and only the ends patch by patch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paiad.layers.rectified_norm import RectifiedNorm

NORM_FLOOR = 1e-5  # added to a batch norm's variance


@dataclass(frozen=True)
class Layer:
    """One convolution [out, in, 1, kernel] with its batch norm folded in, followed by ReLU."""

    weight: Tensor
    bias: Tensor

    @property
    def half(self) -> int:
        """How far the kernel reaches to either side."""
        return self.weight.shape[-1] // 2

    def on(self, values: Tensor, padding: int) -> Tensor:
        """[batch, in, 1, time] to [batch, out, 1, time + 2 * padding - 2 * half], rectified."""
        return F.conv2d(values, self.weight, self.bias, padding=(0, padding)).relu_()


def convolution_stack(channels: Sequence[int], kernels: Sequence[int]) -> nn.Sequential:
    """Convolution, batch norm and ReLU, again and again; two-dimensional with height 1.

    Channels-last memory, which the CPU's convolutions are fastest with, exists for two dimensions only.
    """
    blocks: list[nn.Module] = []
    for before, after, kernel in zip(channels[:-1], channels[1:], kernels, strict=True):
        blocks += [
            nn.Conv2d(before, after, (1, kernel), padding=(0, kernel // 2), bias=False),
            RectifiedNorm(after, eps=NORM_FLOOR),
        ]
    stack = nn.Sequential(*blocks)
    return stack.to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def folded(weights: Mapping[str, np.ndarray]) -> list[Layer]:
    """A stack for reading, from its weights: each batch norm's fixed scale and shift moved into its convolution."""
    layers = []
    for index in range(0, 2 * sum(name.endswith("running_mean") for name in weights), 2):
        of_norm = (
            weights[f"{index + 1}.{name}"] for name in ("weight", "bias", "running_mean", "running_var")
        )
        gain, shift, mean, variance = of_norm
        scale = gain / np.sqrt(variance + NORM_FLOOR)
        weight = torch.from_numpy(weights[f"{index}.weight"] * scale[:, None, None, None])
        bias = torch.from_numpy(shift - mean * scale)
        layers.append(Layer(weight.contiguous(memory_format=torch.channels_last), bias))
    return layers


def mean_over_patches(layers: Sequence[Layer], patches: Tensor) -> Tensor:
    """Vectors [patches, features] of patches [patches, width], each on its own."""
    found = patches[:, None, None, :].contiguous(memory_format=torch.channels_last)
    for layer in layers:
        found = layer.on(found, layer.half)
    return found.mean((2, 3))


def mean_over_series(layers: Sequence[Layer], values: Tensor, width: int) -> Tensor:
    """Vectors [time - width + 1, features] of all patches of one series [time]: as `mean_over_patches` of them."""
    if width <= 2 * sum(layer.half for layer in layers):
        return mean_over_patches(layers, values.unfold(0, width, 1))
    patches = len(values) - width + 1
    shared = values[None, None, None, :]
    first = last = values.new_empty(patches, 0, 1)
    reach = 0  # how many of a patch's first and last activations feel its padding
    for layer in layers:
        around = _steps(shared).unfold(0, 2 * layer.half, 1).transpose(1, 2)  # [time, 2 * half, features]
        after_first = around[reach : reach + patches]
        before_last = around[width - reach - 2 * layer.half :][:patches].flip(1)
        first = _at_padding(layer.weight, layer.bias, first, after_first)
        last = _at_padding(layer.weight.flip(3), layer.bias, last, before_last)
        shared = layer.on(shared, layer.half)
        reach += layer.half
    inner = width - 2 * reach
    middle = F.avg_pool2d(shared[..., reach : shared.shape[3] - reach], (1, inner), 1)
    return (_steps(middle) * inner + first.sum(1) + last.sum(1)) / width


def _steps(activations: Tensor) -> Tensor:
    """[1, features, 1, time] as [time, features]; a view."""
    return activations[0, :, 0].T


def _at_padding(weight: Tensor, bias: Tensor, end: Tensor, inwards: Tensor) -> Tensor:
    """The activations of each patch that feel the zeros before it, [patches, steps, features].

    `end` [patches, ..., features] holds the activations from the patch's very end on, as many as feel the zeros
    already, and `inwards` those that follow, as many as the kernel reaches to both sides; all with `weight` turned
    round when that is backwards in time.
    """
    zeros = inwards.new_zeros(()).expand(len(inwards), weight.shape[3] // 2, inwards.shape[2])
    padded = torch.cat((zeros, end, inwards), 1)
    made = F.conv2d(padded.transpose(1, 2)[:, :, None], weight, bias)  # channels last as it lies
    return made[:, :, 0].transpose(1, 2).relu_()
