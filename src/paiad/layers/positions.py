"""Sinusoidal position codes, as in the first transformers."""

import math

import torch
from torch import Tensor


def sinusoids(steps: int, features: int) -> Tensor:
    """Codes [steps, features]: sines in the even columns, cosines in the odd ones, ever slower to the right.

    >>> sinusoids(2, 2).round(decimals=2)
    tensor([[0.0000, 1.0000],
            [0.8400, 0.5400]])
    """
    rates = torch.exp(torch.arange(0, features, 2) * (-math.log(10_000.0) / features))
    angles = torch.arange(steps)[:, None] * rates
    return torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1)[:, :features]
