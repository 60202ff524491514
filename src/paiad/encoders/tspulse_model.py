"""Granite's TSPulse model: found, loaded, kept as arrays, and read through three questions."""

import json
import logging
import os
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load_file
from torch import Tensor, nn

from paiad.errors import MissingExtraError, MissingWeightsError, require
from paiad.layers.weights import to_arrays, with_arrays

HUB = "ibm-granite/granite-timeseries-tspulse-r1"
MINI = "tspulse-mini"
MINI_FOLDER = Path(__file__).parent / "mini"
WEIGHTS_VARIABLE = "PAIAD_TSPULSE_WEIGHTS"
PACKAGE = "tsfm_public"
MODULE = f"{PACKAGE}.models.tspulse"

# How the benchmark run reads the model: one channel, and the hidden steps are the caller's choice.
READING = {"num_input_channels": 1, "decoder_mode": "common_channel", "scaling": "revin", "mask_type": "user"}


@dataclass(frozen=True, eq=False)
class Pulse:
    """A TSPulse model as plain data: its configuration (JSON) and its weights."""

    config: str
    weights: dict[str, np.ndarray]

    @property
    def context(self) -> int:
        """Values a window holds."""
        return int(self._settings["context_length"])

    @property
    def patch(self) -> int:
        """Values a patch holds."""
        return int(self._settings["patch_length"])

    @cached_property
    def net(self) -> "PulseNet":
        """The model itself, ready to be read."""
        return with_arrays(self.fresh(), self.weights)

    def fresh(self) -> "PulseNet":
        """The same model with weights of its own, for training."""
        granite = _granite()
        model = granite.TSPulseForReconstruction(granite.TSPulseConfig(**self._settings))
        return with_arrays(PulseNet(model), self.weights).requires_grad_(True)

    @cached_property
    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = json.loads(self.config)
        return settings

    def trained(self, net: "PulseNet") -> "Pulse":
        """The same model with the weights of `net`."""
        return Pulse(self.config, to_arrays(net))


class PulseNet(nn.Module):
    """The questions asked of a TSPulse model, on windows [batch, context]."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def reconstructions(self, windows: Tensor, observed: Tensor) -> tuple[Tensor, Tensor]:
        """The windows again, [batch, context], by the time head and by the spectrum head.

        Values that are not `observed` are hidden from the model.
        """
        answer = self._ask(windows, observed)
        return answer.reconstruction_outputs[:, :, 0], answer.reconstructed_ts_from_fft[:, :, 0]

    def next_values(self, windows: Tensor) -> Tensor:
        """The value after each window, [batch]."""
        return torch.as_tensor(self._ask(windows, None).forecast_output[:, 0, 0])

    def vectors(self, windows: Tensor) -> Tensor:
        """The encoder's vector of each window's last patch of values, [batch, features]."""
        config = self.model.config
        tokens = self._ask(windows, None).backbone_hidden_state.reshape(len(windows), -1, config.d_model)
        # The patches of values come first, those of the spectrum and the register tokens after them.
        return torch.as_tensor(tokens[:, config.context_length // config.patch_length - 1])

    def loss(self, windows: Tensor, observed: Tensor) -> Tensor:
        """The model's own training loss."""
        answer = self.model(windows[:, :, None], past_observed_mask=observed[:, :, None])
        return torch.as_tensor(answer.loss).squeeze()

    def _ask(self, windows: Tensor, observed: Tensor | None) -> Any:
        mask = None if observed is None else observed[:, :, None]
        return self.model(windows[:, :, None], past_observed_mask=mask, return_loss=False)


def load(weights: str = "") -> Pulse:
    """The model in a local folder, or of a name on the hub; "tspulse-mini" is the one that comes with paiad.

    Without a name it is the folder in the environment variable PAIAD_TSPULSE_WEIGHTS, or else the published
    model on the hub.
    """
    if weights == MINI:
        return mini()
    source = weights or os.environ.get(WEIGHTS_VARIABLE, "") or HUB
    granite = _granite()
    try:
        model = granite.TSPulseForReconstruction.from_pretrained(source, **READING)
    except (OSError, ValueError) as trouble:
        raise MissingWeightsError(_how_to_get(source)) from trouble
    return as_pulse(model)


def mini() -> Pulse:
    """A model of the same kind and half the size, pre-trained on generated series alone (research/tspulse_mini)."""
    _granite()
    weights = load_file(MINI_FOLDER / "model.safetensors")
    config = (MINI_FOLDER / "config.json").read_text(encoding="utf-8")
    return Pulse(config, {f"model.{name}": array for name, array in weights.items()})


def as_pulse(model: Any) -> Pulse:
    """A granite model as plain data."""
    return Pulse(json.dumps(model.config.to_diff_dict(), sort_keys=True), to_arrays(PulseNet(model)))


def _granite() -> Any:
    """Granite's TSPulse. Importing it sets up logging for the whole process, which is undone here."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        return require(MODULE, "tspulse", "TSPulse")
    except MissingExtraError as trouble:
        if find_spec(PACKAGE) is None:
            raise
        raise MissingExtraError(
            f"granite-tsfm is installed but cannot be imported ({trouble.__cause__}): its release does not fit what "
            "is installed beside it; pip install 'paiad[tspulse]' in an environment of its own"
        ) from trouble
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


def _how_to_get(source: str) -> str:
    what = (
        "the folder holds no model"
        if Path(source).is_dir()
        else "it is no folder here, and the hub did not give it"
    )
    return (
        f"TSPulse weights {source!r}: {what}. Where the hub can be reached, run "
        f"`hf download {HUB} --local-dir FOLDER`, copy FOLDER here, and name it by the setting "
        f"weights=FOLDER or the variable {WEIGHTS_VARIABLE}; or use tspulse-mini, which brings its own"
    )
