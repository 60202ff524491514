"""Each window by its own mean and spread, and what is needed to undo it."""

import torch
from torch import Tensor

EPSILON = 1e-5  # added to the variance


def own_scale(windows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Windows [batch, width] in their own units, and the mean and spread [batch, 1] that lead back.

    >>> own_scale(torch.tensor([[1.0, 3.0]]))[0].round(decimals=3)
    tensor([[-1.,  1.]])
    """
    mean = windows.mean(dim=1, keepdim=True)
    centred = windows - mean
    spread = torch.sqrt(centred.square().mean(dim=1, keepdim=True) + EPSILON)
    return centred / spread, mean, spread
