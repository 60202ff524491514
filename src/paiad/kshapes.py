"""k-Shape: clusters of stretches that are alike up to a shift (Paparrizos and Gravano, 2015)."""

from dataclasses import dataclass

import numpy as np

from paiad.progress import track
from paiad.shapes import Patches

DRAWS = 10  # of first centres, as long as a cluster dies out
LEAST_PROGRESS = 1e-6  # of the mean squared distance to the centres
POWER_STEPS = 200
POWER_TOLERANCE = 1e-7


@dataclass(frozen=True)
class Clusters:
    """Centres [clusters, width], z-normalised, none of them empty, and the cluster of each stretch."""

    centres: np.ndarray
    owner: np.ndarray


def clusters(stretches: Patches, count: int, iterations: int, rng: np.random.Generator) -> Clusters:
    """Cluster stretches by shape-based distance, from as many of them drawn at random as first centres.

    Where a cluster dies out, others are drawn; after a few draws there are fewer clusters.

    >>> t = np.arange(40)
    >>> waves = np.stack([np.sin((t + shift) / 3) for shift in range(4)] + [(t > 10 + s) * 1.0 for s in range(4)])
    >>> found = clusters(waves, 2, 20, np.random.default_rng(1))
    >>> sorted(np.bincount(found.owner).tolist())
    [4, 4]
    """
    stretches = np.asarray(stretches, dtype=np.float64)
    count = min(count, len(stretches))
    for _ in range(DRAWS):
        drawn = stretches[rng.choice(len(stretches), count, replace=False)]
        found = refined(stretches, drawn, iterations)
        if len(found.centres) == count:
            break
    return found


def refined(stretches: Patches, centres: np.ndarray, iterations: int) -> Clusters:
    """Centres and owners in turn, until the stretches come no nearer to their centres or a cluster has died out."""
    owner = shape_distances(stretches, centres)[0].argmin(axis=1)
    apart = np.inf
    for _ in track(range(iterations), "finding shapes"):
        if len(np.unique(owner)) < len(centres):
            break
        moved = np.stack([_centre(stretches[owner == one], centre) for one, centre in enumerate(centres)])
        distances = shape_distances(stretches, moved)[0]
        now = float(np.mean(distances.min(axis=1) ** 2))
        if now > apart - LEAST_PROGRESS:
            break
        centres, owner, apart = moved, distances.argmin(axis=1), now
    kept, owner = np.unique(owner, return_inverse=True)
    return Clusters(centres[kept], owner)


def shape_distances(stretches: Patches, centres: Patches) -> tuple[np.ndarray, np.ndarray]:
    """Shape-based distance [stretches, centres] in 0 … 2, and the shift by which each stretch fits best.

    One less the highest normalised cross-correlation over all shifts.
    """
    width = stretches.shape[1]
    size = 1 << (2 * width - 1).bit_length()
    spectra = np.fft.rfft(stretches, size, axis=1)
    lengths = np.linalg.norm(stretches, axis=1)
    distance = np.empty((len(stretches), len(centres)))
    shift = np.empty(distance.shape, dtype=np.int64)
    for column, centre in enumerate(centres):
        product = np.fft.irfft(np.fft.rfft(centre, size) * np.conjugate(spectra), size, axis=1)
        # Shifts -(width-1) … width-1 in order; a shift moves the stretch to the right.
        product = np.concatenate((product[:, -(width - 1) :], product[:, :width]), axis=1)
        best = product.argmax(axis=1)
        scale = lengths * np.linalg.norm(centre)
        highest = np.take_along_axis(product, best[:, None], axis=1)[:, 0]
        distance[:, column] = 1 - np.divide(highest, scale, out=np.zeros_like(highest), where=scale > 0)
        shift[:, column] = best - (width - 1)
    return distance, shift


def _centre(members: Patches, before: np.ndarray) -> np.ndarray:
    """The z-normalised shape that correlates most with all members, once they are shifted to the one before."""
    aligned = _shifted(members, shape_distances(members, before[None])[1][:, 0])
    shape = _leading_direction(aligned - aligned.mean(axis=1, keepdims=True))
    # A direction has no sign: take the one nearer to the members.
    if np.linalg.norm(aligned - shape, axis=1).sum() > np.linalg.norm(aligned + shape, axis=1).sum():
        shape = -shape
    spread = shape.std()
    return (shape - shape.mean()) / spread if spread > 0 else shape


def _shifted(members: Patches, shift: np.ndarray) -> Patches:
    """Each member moved to the right by its shift, zeros coming in."""
    width = members.shape[1]
    source = np.arange(width) - shift[:, None]
    inside = (source >= 0) & (source < width)
    return np.take_along_axis(members, np.clip(source, 0, width - 1), axis=1) * inside


def _leading_direction(rows: np.ndarray) -> np.ndarray:
    """The first right singular vector, by power iteration from the longest row."""
    direction = rows[np.einsum("rw,rw->r", rows, rows).argmax()]
    for _ in range(POWER_STEPS):
        ahead = (rows @ direction) @ rows
        length = np.linalg.norm(ahead)
        if length == 0:
            return direction
        ahead /= length
        if np.abs(ahead - direction).max() < POWER_TOLERANCE:
            return ahead
        direction = ahead
    return direction
