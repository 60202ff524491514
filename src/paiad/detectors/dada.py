"""DADA: a pretrained autoencoder sees the window ten times, half hidden; where its answers differ is anomalous.

Its weights have no licence and are not shipped: give the folder in which you keep them.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from paiad.layers.lacking import lacking
from paiad.layers.pretrained import load_weights, weights_folder
from paiad.layers.window_scale import own_scale
from paiad.placement import Placement
from paiad.scorers import ZeroShot

FILES = ("pytorch_model.bin",)
PATCH = 5
HIDDEN, FEATURES = 64, 256
BLOCKS = 10  # of the inner size, before the one that widens
BOTTLENECKS = (16, 32, 64, 128, 192, 256)
CHOSEN = 3  # bottlenecks a window goes through
MASKS = 5  # each used with its complement


@dataclass(frozen=True)
class DADA(ZeroShot):
    """Score: variance of ten reconstructions at each step, in windows side by side.

    The ten masks are drawn from `seed` once and are the same for every window, so that its score does not
    depend on the others. `window_scale` "own" puts each window in its own units first; the authors choose
    by data set.
    """

    published_by = "TAB"  # standardised by the training part

    weights: str = "decisionintelligence/DADA"
    window_scale: Literal["train", "own"] = "train"

    def misfit(self) -> str:
        return f"width must be a multiple of {PATCH}, got {self.width}" if self.width % PATCH else ""

    @property
    def placement(self) -> Placement:
        return "blocks"

    def lacks(self) -> str:
        return lacking(self.weights, FILES, "DADA")

    def network(self) -> nn.Module:
        path = weights_folder(self.weights, FILES, "DADA") / FILES[0]
        network = DADANet(self.width, self.seed)
        load_weights(network, path, "DADA", prefix="model.")
        return network.requires_grad_(False)

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        if self.window_scale == "train":
            return network(windows).var(dim=0)
        normalised, _, spread = own_scale(windows)
        return (network(normalised) * spread).var(dim=0)


class DADANet(nn.Module):
    """Windows [batch, width] to reconstructions [masks, batch, width]. The names are those of the weights."""

    hidden: Tensor

    def __init__(self, width: int, seed: int) -> None:
        super().__init__()
        patches = width // PATCH
        self.input_embed = nn.Linear(PATCH, HIDDEN)
        self.encoder = _Encoder()
        self.adaptive_bottleneck = _AdaptiveBottleneck(patches)
        self.decoder = _Decoder()
        drawn = torch.rand((MASKS, patches), generator=torch.Generator().manual_seed(seed)) < 0.5
        self.register_buffer("hidden", torch.cat((drawn, ~drawn)), persistent=False)

    def forward(self, windows: Tensor) -> Tensor:
        patches = self.input_embed(windows.reshape(len(windows), -1, PATCH))  # [batch, patches, 64]
        seen = patches.masked_fill(self.hidden[:, None, :, None], 0.0)  # [masks, batch, patches, 64]
        found = self.adaptive_bottleneck(self.encoder(seen.flatten(0, 1)))
        rebuilt: Tensor = self.decoder.net(found)  # [masks * batch, patches, patch]
        return rebuilt.reshape(len(seen), *windows.shape)


class _Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        blocks = [*(_ConvolutionBlock(HIDDEN) for _ in range(BLOCKS)), _ConvolutionBlock(FEATURES)]
        self.feature_extractor = nn.ModuleDict({"net": nn.Sequential(*blocks)})

    def forward(self, patches: Tensor) -> Tensor:
        found: Tensor = self.feature_extractor["net"](patches.transpose(1, 2))
        return found.transpose(1, 2)


class _ConvolutionBlock(nn.Module):
    def __init__(self, outside: int) -> None:
        super().__init__()
        self.conv1 = nn.ModuleDict({"conv": nn.Conv1d(HIDDEN, outside, 3, padding=1)})
        self.conv2 = nn.ModuleDict({"conv": nn.Conv1d(outside, outside, 3, padding=1)})
        self.projector = nn.Conv1d(HIDDEN, outside, 1) if outside != HIDDEN else nn.Identity()

    def forward(self, steps: Tensor) -> Tensor:
        found = self.conv2["conv"](gelu(self.conv1["conv"](gelu(steps))))
        return torch.add(found, self.projector(steps))


class _AdaptiveBottleneck(nn.Module):
    """Each window goes through the three of six bottlenecks that its gate favours."""

    def __init__(self, patches: int) -> None:
        super().__init__()
        self.w_gate = nn.Parameter(torch.zeros(patches * FEATURES, len(BOTTLENECKS)))
        self.bottlenecks = nn.ModuleList(nn.ModuleDict({"net": _bottleneck(size)}) for size in BOTTLENECKS)

    def forward(self, steps: Tensor) -> Tensor:
        favour, chosen = (steps.flatten(1) @ self.w_gate).topk(CHOSEN, dim=1)
        shares = torch.zeros(len(steps), len(BOTTLENECKS)).to(steps)
        shares = shares.scatter(1, chosen, torch.softmax(favour, dim=1))
        total = torch.zeros_like(steps)
        for share, bottleneck in zip(shares.T, self.bottlenecks, strict=True):
            assert isinstance(bottleneck, nn.ModuleDict)
            rows = share.nonzero()[:, 0]
            through = steps[rows] + bottleneck["net"](steps[rows])
            total = total.index_add(0, rows, through * share[rows, None, None])
        return total


def _bottleneck(size: int) -> nn.Sequential:
    return nn.Sequential(
        *(nn.Linear(FEATURES, size), nn.GELU(), nn.Linear(size, size), nn.GELU()),
        *(nn.Dropout(0.1), nn.Linear(size, FEATURES)),
    )


class _Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        wide = 2 * FEATURES
        self.net = nn.Sequential(
            *(nn.GELU(), nn.Linear(FEATURES, wide), nn.GELU(), nn.Linear(wide, wide)),
            *(nn.GELU(), nn.Linear(wide, PATCH)),
        )
