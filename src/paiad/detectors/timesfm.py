"""TimesFM: Google's pretrained decoder forecasts the next value."""

from dataclasses import dataclass

from torch import Tensor, nn

from paiad.errors import require
from paiad.layers.lacking import lacking
from paiad.layers.pretrained import from_transformers, weights_folder
from paiad.placement import Placement
from paiad.scorers import ZeroShot

FILES = ("config.json", "model.safetensors")


@dataclass(frozen=True)
class TimesFM(ZeroShot):
    """Score: squared error of the forecast (the median), at the step forecast.

    The net is TimesFM 2.5 as kept up in `transformers`. The published numbers are of version 1.0, whose
    package asks for too much else.
    """

    width: int = 96
    batch: int = 64
    weights: str = "google/timesfm-2.5-200m-transformers"

    @property
    def placement(self) -> Placement:
        return "next"

    def lacks(self) -> str:
        return lacking(self.weights, FILES, "TimesFM", "transformers")

    def network(self) -> nn.Module:
        require("transformers", "foundation", "TimesFM")  # before any weights are downloaded
        folder = weights_folder(self.weights, FILES, "TimesFM")
        network: nn.Module = from_transformers("TimesFm2_5ModelForPrediction", folder, "TimesFM")
        return network.requires_grad_(False)

    def errors(self, network: nn.Module, windows: Tensor) -> Tensor:
        # Standardised values may be negative where the series never is: nothing is cut off at zero.
        found = network(past_values=windows[:, :-1], forecast_context_len=self.width, truncate_negative=False)
        forecast: Tensor = found.mean_predictions[:, :1]
        return (forecast - windows[:, -1:]) ** 2
