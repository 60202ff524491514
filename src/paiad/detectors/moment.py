"""MOMENT: a T5 encoder pretrained to rebuild hidden patches of many series.

The encoder is that of `transformers`. The authors' package is not used: as published it asks for one old
numpy, which does not install beside this library.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from paiad.errors import StoredModelError, require
from paiad.layers.lacking import lacking
from paiad.layers.positions import sinusoids
from paiad.layers.pretrained import load_weights, weights_folder
from paiad.placement import Placement
from paiad.scorers import WindowNet, ZeroShot
from paiad.settings import Share

BASE = "AutonLab/MOMENT-1-base"
FILES = ("config.json", "model.safetensors")
EPSILON = 1e-5  # added to the standard deviation
PATCH = 8  # of all published sizes of the net
HIDDEN_SHARE = 0.3  # of the patches, in fine-tuning


@dataclass(frozen=True)
class Moment(ZeroShot):
    """Zero-shot; score: mean squared error over the window, nothing hidden, at the window's middle.

    Dropout is off. In the published run it was on, through a fault of the hub's loader.
    """

    width: int = 64
    weights: str = BASE

    def misfit(self) -> str:
        return _uneven(self.width)

    @property
    def placement(self) -> Placement:
        return "mean at centre"

    def lacks(self) -> str:
        return lacking(self.weights, FILES, "MOMENT", "transformers")

    def network(self) -> nn.Module:
        return load_moment(self.weights).requires_grad_(False)

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        return (network(windows) - windows) ** 2


@dataclass(frozen=True)
class MomentTuned(WindowNet):
    """Fine-tuned on all training values, with two of eight patches hidden; scored as zero-shot.

    As published, only the head is trained: the authors' package freezes the rest.
    """

    width: int = 64
    epochs: int = 2
    held_out: Share = 0.0
    learning_rate: float = 1e-4
    decay: float = 1.0
    weights: str = BASE

    def misfit(self) -> str:
        return _uneven(self.width)

    @property
    def placement(self) -> Placement:
        return "mean at centre"

    def lacks(self) -> str:
        return lacking(self.weights, FILES, "MOMENT", "transformers")

    def network(self) -> nn.Module:
        network = load_moment(self.weights).requires_grad_(False)
        network.head.requires_grad_(True)
        return network

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        assert isinstance(network, MomentNet)
        count = windows.shape[1] // network.patch
        order = torch.rand(len(windows), count, device=windows.device).argsort(dim=1)
        hidden = order < round(HIDDEN_SHARE * count)
        return ((network(windows, hidden) - windows) ** 2).mean()

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        return (network(windows) - windows) ** 2


def _uneven(width: int) -> str:
    return f"width must be a multiple of {PATCH}, got {width}" if width % PATCH else ""


def load_moment(source: str) -> "MomentNet":
    """The pretrained net from a folder or the hub."""
    transformers = require("transformers", "foundation", "MOMENT")
    folder = weights_folder(source, FILES, "MOMENT")
    settings = _settings(folder / "config.json")
    # The table of words (24.7 M parameters) is never looked up.
    wordless = {"vocab_size": 1, "eos_token_id": None}
    config = transformers.T5Config(**{**settings["t5_config"], **wordless})
    network = MomentNet(transformers.T5EncoderModel(config).encoder, config.d_model, settings["patch_len"])
    load_weights(network, folder / "model.safetensors", "MOMENT", unread="encoder.embed_tokens.weight")
    return network.eval()


def _settings(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
        return {name: settings[name] for name in ("t5_config", "patch_len")}
    except (ValueError, KeyError, TypeError) as wrong:
        raise StoredModelError(
            f"{path} is no configuration of MOMENT ({type(wrong).__name__}: {wrong})"
        ) from wrong


class MomentNet(nn.Module):
    def __init__(self, encoder: Any, features: int, patch: int) -> None:
        super().__init__()
        self.encoder, self.patch = encoder, patch
        self.patch_embedding = _PatchEmbedding(features, patch)
        self.head = nn.ModuleDict({"linear": nn.Linear(features, patch)})
        self.dropout = nn.Dropout(0.1)

    def forward(self, windows: Tensor, hidden: Tensor | None = None) -> Tensor:
        """The windows rebuilt; `hidden` [batch, patches] are not seen, but told to be missing."""
        mean, spread = self._mean_and_spread(windows, hidden)
        normalised = ((windows - mean) / spread).reshape(len(windows), -1, self.patch)
        patches = self.patch_embedding(normalised, hidden)
        seen = self.encoder(inputs_embeds=self.dropout(patches)).last_hidden_state
        rebuilt: Tensor = self.head["linear"](self.dropout(seen)).flatten(1)
        return rebuilt * spread + mean

    def _mean_and_spread(self, windows: Tensor, hidden: Tensor | None) -> tuple[Tensor, Tensor]:
        """Of what is seen of each window, each [batch, 1]."""
        seen = torch.ones_like(windows)
        if hidden is not None:
            seen = (~hidden).repeat_interleave(self.patch, dim=1).to(windows)
        count = seen.sum(dim=1, keepdim=True)
        mean = (windows * seen).sum(dim=1, keepdim=True) / count
        variance = ((windows - mean).square() * seen).sum(dim=1, keepdim=True) / count
        return mean, variance.sqrt() + EPSILON


class _PatchEmbedding(nn.Module):
    """The names are those of the pretrained weights."""

    def __init__(self, features: int, patch: int) -> None:
        super().__init__()
        self.value_embedding = nn.Linear(patch, features, bias=False)
        self.mask_embedding = nn.Parameter(torch.zeros(features))

    def forward(self, patches: Tensor, hidden: Tensor | None) -> Tensor:
        embedded: Tensor = self.value_embedding(patches)  # [batch, patches, features]
        if hidden is not None:
            embedded = torch.where(hidden[:, :, None], self.mask_embedding, embedded)
        return embedded + sinusoids(*embedded.shape[1:]).to(embedded)
