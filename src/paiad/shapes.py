"""The array vocabulary: every shape the library speaks of has one name, given here."""

import numpy as np
from jaxtyping import Float, Int, Shaped, UInt8

Values = Float[np.ndarray, " time"]
"""Raw values of one series, one a time step."""

Scores = Float[np.ndarray, " time"]
"""One score a time step, as long as the series it scores; higher is more anomalous."""

Terms = Float[np.ndarray, "terms time"]
"""Several named scores of the same series, one row a term."""

Labels = Int[np.ndarray, " time"]
"""0 for normal, 1 for anomalous."""

Times = Shaped[np.ndarray, " time"]
"""When each step happened: datetime64, or numbers."""

Quality = UInt8[np.ndarray, " time"]
"""One flag a row; `paiad.quality` names the codes."""

Patches = Float[np.ndarray, "patches width"]
"""Windows of a series, one a row; usually a strided view, so never write to it."""

Vectors = Float[np.ndarray, "patches features"]
"""Embeddings of patches."""

Distances = Float[np.ndarray, " patches"]
"""One distance to the bank a patch; higher is more anomalous."""
