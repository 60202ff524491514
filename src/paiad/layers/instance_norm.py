"""Instance normalisation: each window by its own mean and variance (the first half of RevIN)."""

import torch
from torch import Tensor

FLOOR = 1e-5  # added to the variance


def instance_normalised(windows: Tensor, floor: float = FLOOR) -> Tensor:
    """Windows [..., time] shifted to mean 0 and scaled to variance 1, as float32.

    Give float64 windows where values are large against their variation: the mean is taken off before rounding.

    >>> instance_normalised(torch.tensor([[1.0, 3.0]]), floor=0.0)
    tensor([[-1.,  1.]])
    """
    centred = windows - windows.mean(-1, keepdim=True)
    spread = torch.sqrt(centred.square().mean(-1, keepdim=True) + floor)
    return (centred / spread).to(torch.float32)
