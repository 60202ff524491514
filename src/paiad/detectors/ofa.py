"""OFA (GPT4TS): the first six blocks of GPT-2 rebuild the window, of which hardly anything is trained anew."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from paiad.errors import require
from paiad.layers.lacking import lacking
from paiad.layers.pretrained import from_transformers, weights_folder
from paiad.layers.window_scale import own_scale
from paiad.placement import Placement
from paiad.scorers import WindowNet

FILES = ("config.json", "model.safetensors")


@dataclass(frozen=True)
class OFA(WindowNet):
    """Score: squared error of the window's last step. Only the layer norms, the table of positions and the
    output layer are trained; the rest is GPT-2's and comes from `weights`, a folder or a name on the hub.

    Each segment of 25 values is in its own units, and its values enter as the first of 768 features, the
    others being zero: there is no embedding.
    """

    width: int = 50
    batch: int = 64
    epochs: int = 10
    learning_rate: float = 1e-4
    decay: float = 0.5
    decay_every: int = 1
    segment: int = 25
    layers: int = 6
    weights: str = "openai-community/gpt2"

    def misfit(self) -> str:
        if self.width % self.segment:
            return f"width must be a multiple of segment ({self.segment}), got {self.width}"
        return ""

    @property
    def placement(self) -> Placement:
        return "last at centre" if self.parity == "published" else "last"

    def lacks(self) -> str:
        return lacking(self.weights, FILES, "OFA", "transformers")

    def network(self) -> nn.Module:
        require("transformers", "foundation", "OFA")  # before any weights are downloaded
        folder = weights_folder(self.weights, FILES, "OFA")
        return OFANet(from_transformers("GPT2Model", folder, "OFA"), self.layers, self.segment)

    def loss(self, network: nn.Module, windows: Tensor, epoch: int) -> Tensor:
        return self.errors(network, windows).mean()

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        return (network(windows) - windows) ** 2


class OFANet(nn.Module):
    def __init__(self, gpt2: Any, layers: int, segment: int) -> None:
        super().__init__()
        gpt2.h = gpt2.h[:layers]
        gpt2.wte = nn.Embedding(1, 1)  # the table of words (38.6 M parameters) is never looked up
        self.gpt2, self.segment = gpt2, segment
        self.features: int = gpt2.config.n_embd
        self.project = nn.Linear(self.features, 1)
        for name, weight in gpt2.named_parameters():
            weight.requires_grad = "ln_" in name or "wpe" in name

    def forward(self, windows: Tensor) -> Tensor:
        segments, mean, spread = own_scale(windows.reshape(-1, self.segment))
        values = segments.reshape(*windows.shape, 1)
        features = nn.functional.pad(values, (0, self.features - 1))  # [batch, width, features]
        seen = self.gpt2(inputs_embeds=features, use_cache=False).last_hidden_state
        rebuilt = self.project(seen).reshape(-1, self.segment) * spread + mean
        return torch.reshape(rebuilt, windows.shape)
