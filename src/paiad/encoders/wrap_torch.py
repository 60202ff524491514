"""Any torch module, or Hugging Face time-series backbone, as an encoder."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from paiad.devices import computing
from paiad.encoders.wrap import BATCH, FromFunction, Input
from paiad.errors import InputError, SettingError
from paiad.placing import Device
from paiad.shapes import Patches, Vectors

Layout = Literal["flat", "channels first", "channels last"]


def from_module(
    module: nn.Module,
    width: int = 64,
    layout: Layout = "flat",
    input: Input = "z-scored",
    batch: int = BATCH,
    device: Device = "auto",
) -> FromFunction:
    """A learner around a module that turns float32 patches into vectors [n, features]; it is not trained further.

    `layout` says how the module wants patches: "flat" [n, width], "channels first" [n, 1, width], or
    "channels last" [n, width, 1]. Steps that it leaves in its output, [n, ..., features], are averaged.

    >>> from_module(nn.Linear(16, 4), width=16).fit(np.arange(40.0)).encode(np.arange(20.0)).shape
    (5, 4)
    """
    if layout not in ("flat", "channels first", "channels last"):
        raise SettingError(f"layout must be flat, channels first or channels last, got {layout!r}")
    return FromFunction(_Module(module, layout, device), width, input, batch)


def from_backbone(
    backbone: nn.Module,
    width: int | None = None,
    argument: str = "past_values",
    output: str = "last_hidden_state",
    input: Input = "z-scored",
    batch: int = BATCH,
    device: Device = "auto",
) -> FromFunction:
    """A learner around a Hugging Face time-series model (PatchTST, PatchTSMixer, ...), as it is.

    The model gets patches [n, width, 1] as `argument`, and its `output`, averaged over all but the first and
    the last dimension, is the vector. `width` is the model's `config.context_length` unless given.
    """
    if width is None:
        width = getattr(getattr(backbone, "config", None), "context_length", None)
    if width is None:
        raise SettingError(f"{type(backbone).__name__} has no config.context_length; give the width")
    return FromFunction(_Backbone(backbone, argument, output, device), width, input, batch)


@dataclass(frozen=True, eq=False)
class _Module:
    module: nn.Module
    layout: Layout
    device: Device

    def __call__(self, patches: Patches) -> Vectors:
        with computing(self.device) as place, torch.inference_mode():
            given = torch.tensor(patches, dtype=torch.float32, device=place)
            if self.layout != "flat":
                given = given[:, None] if self.layout == "channels first" else given[:, :, None]
            return _averaged(_ready(self.module, place)(given))


@dataclass(frozen=True, eq=False)
class _Backbone:
    backbone: nn.Module
    argument: str
    output: str
    device: Device

    def __call__(self, patches: Patches) -> Vectors:
        with computing(self.device) as place, torch.inference_mode():
            given = torch.tensor(patches, dtype=torch.float32, device=place)[:, :, None]
            answer = _ready(self.backbone, place)(**{self.argument: given})
        if not hasattr(answer, self.output):
            raise InputError(f"{type(self.backbone).__name__} returned no {self.output!r}")
        return _averaged(getattr(answer, self.output))


def _ready(module: nn.Module, place: torch.device) -> nn.Module:
    return module.to(place).eval()


def _averaged(found: Any) -> Vectors:
    if not isinstance(found, Tensor) or found.ndim < 2:
        raise InputError(f"the module must return a tensor [n, ..., features], got {_described(found)}")
    flat = found.flatten(1, -2).mean(1) if found.ndim > 2 else found
    return np.asarray(flat.float().cpu().numpy())


def _described(found: Any) -> str:
    return f"shape {tuple(found.shape)}" if isinstance(found, Tensor) else type(found).__name__
