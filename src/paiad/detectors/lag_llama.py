"""Lag-Llama: a small pretrained decoder whose tokens are a value and its lags.

Built here from the published architecture, so that its weights load without the package, which pins old ones.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention, silu

from paiad.layers.lacking import lacking
from paiad.layers.lag_features import LAGS, hourly_calendar
from paiad.layers.pretrained import load_weights, weights_folder
from paiad.placement import Placement
from paiad.scorers import ZeroShot

FILES = ("lag-llama.ckpt",)
FEATURES, HEADS, LAYERS, HIDDEN = 144, 9, 8, 512
ROTARY_BASE = 10_000.0
LEAST_SPREAD = 1e-10


@dataclass(frozen=True)
class LagLlama(ZeroShot):
    """Score: squared error of the forecast mean, at the step forecast.

    The mean is the Student-t's own, where the published run took that of 100 samples. That run also left out
    the last value of each window and held the forecast of it against the value after: `parity="published"`.
    Lags that reach back beyond the window are zeros, and every window begins at the same hour, as then.
    """

    width: int = 96
    batch: int = 64
    weights: str = "time-series-foundation-models/Lag-Llama"

    def misfit(self) -> str:
        return f"width must be at least 2, got {self.width}" if self.width < 2 else ""

    @property
    def placement(self) -> Placement:
        return "next"

    def lacks(self) -> str:
        return lacking(self.weights, FILES, "Lag-Llama")

    def network(self) -> nn.Module:
        path = weights_folder(self.weights, FILES, "Lag-Llama") / FILES[0]
        network = LagLlamaNet()
        load_weights(network, path, "Lag-Llama", prefix="model.")
        return network.requires_grad_(False)

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        seen = windows[:, :-2] if self.parity == "published" else windows[:, :-1]
        return (network(seen) - windows[:, -1:]) ** 2


class LagLlamaNet(nn.Module):
    """Windows [batch, width] to the mean of the next value, [batch, 1]. The names are those of the weights."""

    def __init__(self) -> None:
        super().__init__()
        tokens = len(LAGS) + 2 + 6  # lags, centre and spread, calendar
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Linear(tokens, FEATURES),
                "h": nn.ModuleList(_Block() for _ in range(LAYERS)),
                "ln_f": _RootMeanSquareNorm(),
            }
        )
        # Degrees of freedom, location and scale of a Student-t; its mean is the location.
        self.param_proj = nn.ModuleDict({"proj": nn.ModuleList(nn.Linear(FEATURES, 1) for _ in range(3))})

    def forward(self, windows: Tensor) -> Tensor:
        centre, spread = _centre_and_spread(windows)
        steps = self.transformer["wte"](_tokens(windows, centre, spread))
        blocks = self.transformer["h"]
        assert isinstance(blocks, nn.ModuleList)
        for block in blocks:
            steps = block(steps)
        last = self.transformer["ln_f"](steps[:, -1])
        heads = self.param_proj["proj"]
        assert isinstance(heads, nn.ModuleList)
        return torch.add(heads[1](last) * spread, centre)


def _centre_and_spread(windows: Tensor) -> tuple[Tensor, Tensor]:
    """Median and interquartile range, each [batch, 1]."""
    low, high = torch.quantile(windows, torch.tensor([0.25, 0.75]).to(windows), dim=1, keepdim=True)
    return windows.median(dim=1, keepdim=True).values, (high - low).clamp(min=LEAST_SPREAD)


def _tokens(windows: Tensor, centre: Tensor, spread: Tensor) -> Tensor:
    """[batch, width, features]: each value and its lags, how the window was scaled, and the hour."""
    width = windows.shape[1]
    past = nn.functional.pad(windows, (max(LAGS), 0))  # unknown values are zeros before scaling
    scaled = (past - centre) / spread
    lagged = torch.stack([scaled[:, max(LAGS) - lag : max(LAGS) - lag + width] for lag in LAGS], dim=2)
    scaling = torch.cat((centre.abs().log1p(), spread.log()), dim=1)[:, None].expand(-1, width, -1)
    calendar = hourly_calendar(width).to(windows).expand(len(windows), -1, -1)
    return torch.cat((lagged, scaling, calendar), dim=2)


class _Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rms_1, self.rms_2 = _RootMeanSquareNorm(), _RootMeanSquareNorm()
        self.attn, self.mlp = _Attention(), _GatedStep()

    def forward(self, steps: Tensor) -> Tensor:
        steps = steps + self.attn(self.rms_1(steps))
        return steps + self.mlp(self.rms_2(steps))


class _Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.q_proj = nn.Linear(FEATURES, FEATURES, bias=False)
        self.kv_proj = nn.Linear(FEATURES, 2 * FEATURES, bias=False)
        self.c_proj = nn.Linear(FEATURES, FEATURES, bias=False)

    def forward(self, steps: Tensor) -> Tensor:
        key, value = self.kv_proj(steps).chunk(2, dim=2)
        query, key, value = (_by_head(part) for part in (self.q_proj(steps), key, value))
        mixed = scaled_dot_product_attention(_rotated(query), _rotated(key), value, is_causal=True)
        out: Tensor = self.c_proj(mixed.transpose(1, 2).flatten(2))
        return out


def _by_head(steps: Tensor) -> Tensor:
    batch, width, _ = steps.shape
    return steps.reshape(batch, width, HEADS, FEATURES // HEADS).transpose(1, 2)


def _rotated(steps: Tensor) -> Tensor:
    """Each pair (i, i + half) of a head's features turned by an angle that grows with the place."""
    width, features = steps.shape[2:]
    rates = ROTARY_BASE ** (-torch.arange(0, features, 2).to(steps) / features)
    angles = torch.arange(width).to(steps)[:, None] * rates
    first, second = steps.chunk(2, dim=3)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=3)


class _GatedStep(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.c_fc1 = nn.Linear(FEATURES, HIDDEN, bias=False)
        self.c_fc2 = nn.Linear(FEATURES, HIDDEN, bias=False)
        self.c_proj = nn.Linear(HIDDEN, FEATURES, bias=False)

    def forward(self, steps: Tensor) -> Tensor:
        out: Tensor = self.c_proj(silu(self.c_fc1(steps)) * self.c_fc2(steps))
        return out


class _RootMeanSquareNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(FEATURES))

    def forward(self, steps: Tensor) -> Tensor:
        return steps * torch.rsqrt(steps.square().mean(dim=-1, keepdim=True) + 1e-5) * self.scale
