"""The name of a place to compute on, without importing torch."""

import sys
from typing import Literal

Device = Literal["auto", "cpu", "cuda"]


def meant(device: Device) -> Literal["cpu", "cuda"]:
    """Which of the two is meant. "auto" is the GPU where torch is in use already and sees one.

    Torch is not imported to find out: it takes seconds, and whoever has no encoder of it does not need it.

    >>> meant("cpu")
    'cpu'
    """
    if device == "auto":
        torch = sys.modules.get("torch")
        return "cuda" if torch is not None and torch.cuda.is_available() else "cpu"
    return device
