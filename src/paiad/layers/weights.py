"""A net's weights as plain arrays, and back: what a fitted object keeps and what is saved."""

from typing import TypeVar

import numpy as np
import torch
from torch import nn

Net = TypeVar("Net", bound=nn.Module)


def to_arrays(net: nn.Module) -> dict[str, np.ndarray]:
    """Parameters and buffers by name, copied to the CPU."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in net.state_dict().items()}


def with_arrays(net: Net, arrays: dict[str, np.ndarray]) -> Net:
    """The net with these weights, ready to be read from: in eval mode, no gradients."""
    net.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in arrays.items()})
    return net.eval().requires_grad_(False)
