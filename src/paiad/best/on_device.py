"""The vectors of patches and their distances to the banks, of many series at once, by torch.

The same arithmetic as `outline`, `texture` and `stretches`, on tensors whose first axis is the series. Series of a
batch are filled up with zeros to the longest; what comes of the filling is left out at the end.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from paiad.best.outline import POINTS, OutlineEncoder
from paiad.best.softening import FLOOR
from paiad.best.stretches import VISITED, StretchBank
from paiad.best.texture import LENGTHS, TextureEncoder
from paiad.contracts import Encoder
from paiad.shapes import Values

SPARE = 2  # candidates measured again as differences, as in paiad.nearest
BLOCK_BYTES = 2 * 2**30  # of distances or of gathered patches held at once


def encoded(encoders: Sequence[Encoder], values: Tensor) -> Tensor:
    """Vectors [series, patches, features] of raw `values` [series, time], each series by its own encoder."""
    width = encoders[0].cover.width
    scales = [encoder.scale for encoder in encoders if isinstance(encoder, OutlineEncoder | TextureEncoder)]
    mean = values.new_tensor([scale.mean for scale in scales])[:, None]
    spread = values.new_tensor([scale.spread for scale in scales])[:, None]
    scaled = (values - mean) / spread
    patches = scaled.unfold(1, width, 1)
    means = patches.mean(2)
    gains = 1.0 / (patches.var(2, correction=0) + FLOOR**2).sqrt()
    if isinstance(encoders[0], OutlineEncoder):
        return _outlines(scaled, means, gains, width)
    return _textures([one for one in encoders if isinstance(one, TextureEncoder)], scaled, gains, width)


def _outlines(scaled: Tensor, means: Tensor, gains: Tensor, width: int) -> Tensor:
    step = max(1, width // POINTS)
    points = width // step
    sums = scaled.unfold(1, step, 1).sum(2).unfold(1, (points - 1) * step + 1, 1)[:, : means.shape[1], ::step]
    return ((sums - step * means[:, :, None]) * (gains / step**0.5)[:, :, None]).float()


def _textures(encoders: Sequence[TextureEncoder], scaled: Tensor, gains: Tensor, width: int) -> Tensor:
    weights = torch.from_numpy(np.stack([encoder.weights for encoder in encoders])).to(scaled.device)
    heights = torch.from_numpy(encoders[0].heights).to(scaled.device)
    lengths = encoders[0].lengths
    padded = torch.nn.functional.pad(scaled, (0, max(LENGTHS) - 1))
    answers = torch.bmm(padded.unfold(1, max(LENGTHS), 1), weights.transpose(1, 2)).float()
    patches = gains.shape[1]
    gain = gains.float()[:, :, None]
    sums = torch.zeros((*gains.shape, len(lengths)), dtype=torch.float32, device=scaled.device)
    for offset in range(width):
        # The filters come in ascending length: those that still fit are the first ones.
        fitting = int(np.searchsorted(lengths, width - offset, side="right"))
        here = answers[:, offset : offset + patches, :fitting]
        sums[:, :, :fitting] += torch.addcmul(-heights[:fitting], here, gain).clamp_(min=0.0)
    return sums / torch.from_numpy((width - lengths + 1).astype(np.float32)).to(scaled.device)


class Banks:
    """The banks of one kind of patch of several series, filled up to the size of the largest."""

    def __init__(self, banks: Sequence[StretchBank], place: torch.device) -> None:
        stretches = max(len(bank.begins) - 1 for bank in banks)
        longest = max(int(np.diff(bank.begins).max()) for bank in banks)
        rows = np.full((len(banks), stretches, longest), -1)
        middles = np.full((len(banks), stretches), -1)
        for number, bank in enumerate(banks):
            sizes = np.diff(bank.begins)
            inside = np.arange(longest) < sizes[:, None]
            rows[number, : len(sizes)] = np.where(inside, bank.begins[:-1, None] + np.arange(longest), -1)
            middles[number, : len(sizes)] = bank.middles
        held = max(len(bank.vectors) for bank in banks)
        self.exact = longest == 1
        self.neighbours = banks[0].neighbours
        self.rows = torch.from_numpy(rows).to(place)
        self.positions = torch.from_numpy(_filled([bank.positions for bank in banks], held)).to(place)
        self.vectors = torch.from_numpy(_filled([bank.vectors for bank in banks], held)).to(place)
        self.missing = torch.from_numpy(middles < 0).to(place)
        self.middles = torch.from_numpy(np.maximum(middles, 0)).to(place)
        near = self.vectors.gather(1, _per_feature(self.middles, self.vectors))
        count = (~self.missing).sum(1)[:, None]
        self.centre = (near.double() * ~self.missing[:, :, None]).sum(1) / count
        self.near = (near - self.centre[:, None]).float()
        self.squares = self.near.square().sum(2).masked_fill(self.missing, torch.inf)

    def distances(self, vectors: Tensor, exclusions: Sequence[int] | None = None) -> Tensor:
        """Mean distance [series, patches] of each patch to the nearest; inf where there is none.

        With `exclusions`, one a series, the vectors are those of the training part, in order, and what starts
        less than so many steps away does not count.
        """
        series, patches, features = vectors.shape
        width = max(self.near.shape[1] * 4, (VISITED + SPARE) * self.rows.shape[2] * features * 8)
        block = max(1, BLOCK_BYTES // (series * width))
        apart = None if exclusions is None else torch.tensor(exclusions, device=vectors.device)[:, None, None]
        found = [
            self._block(vectors[:, start : start + block], start, apart) for start in range(0, patches, block)
        ]
        return torch.cat(found, dim=1)

    def _block(self, vectors: Tensor, first: int, apart: Tensor | None) -> Tensor:
        series, patches, _ = vectors.shape
        order = torch.baddbmm(
            self.squares[:, None],
            (vectors - self.centre[:, None]).float(),
            self.near.transpose(1, 2),
            alpha=-2.0,
        )
        where = torch.arange(first, first + patches, device=vectors.device)[None, :, None]
        if apart is not None:
            starts = self.positions.gather(1, self.middles)[:, None]
            order.masked_fill_((where - starts).abs() < apart, torch.inf)
        wanted = min(order.shape[2], (self.neighbours if self.exact else VISITED) + SPARE)
        values, stretch = order.topk(wanted, dim=2, largest=False)
        if not self.exact:
            stretch, values = self._nearest_middles(vectors, stretch, values)
        rows = self.rows.gather(1, stretch.flatten(1)[:, :, None].expand(-1, -1, self.rows.shape[2]))
        rows = rows.view(series, patches, -1)
        out = (rows < 0) | values.isinf().repeat_interleave(self.rows.shape[2], dim=2)
        if apart is not None:
            starts = self.positions.gather(1, rows.clamp(min=0).flatten(1)).view_as(rows)
            out |= (where - starts).abs() < apart
        distances = self._measured(vectors, rows.clamp(min=0)).masked_fill_(out, torch.inf)
        nearest = distances.topk(min(self.neighbours, distances.shape[2]), dim=2, largest=False).values
        known = nearest.isfinite()
        count = known.sum(2)
        mean = nearest.masked_fill(~known, 0.0).sum(2) / count.clamp(min=1)
        return mean.masked_fill(count == 0, torch.inf)

    def _nearest_middles(self, vectors: Tensor, stretch: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """The stretches to visit, ranked by distances that are measured again as differences."""
        middles = self.middles.gather(1, stretch.flatten(1)).view_as(stretch)
        again = self._measured(vectors, middles).masked_fill_(values.isinf(), torch.inf)
        values, turn = again.topk(min(VISITED, again.shape[2]), dim=2, largest=False)
        return stretch.gather(2, turn), values

    def _measured(self, vectors: Tensor, rows: Tensor) -> Tensor:
        """Distances [series, patches, rows] to rows of the banks."""
        others = self.vectors.gather(1, _per_feature(rows.flatten(1), self.vectors))
        gaps = others.view(*rows.shape, -1) - vectors[:, :, None]
        return gaps.double().square().sum(3).sqrt()


def _per_feature(rows: Tensor, vectors: Tensor) -> Tensor:
    return rows[:, :, None].expand(-1, -1, vectors.shape[2])


def _filled(arrays: Sequence[np.ndarray], length: int) -> np.ndarray:
    """The arrays in one, each filled up with zeros to the same length."""
    out = np.zeros((len(arrays), length, *arrays[0].shape[1:]), dtype=arrays[0].dtype)
    for row, array in zip(out, arrays, strict=True):
        row[: len(array)] = array
    return out


def side_by_side(series: Sequence[Values], place: torch.device) -> Tensor:
    """Series of different lengths as float64 [series, time], filled up with zeros."""
    arrays = [np.asarray(values, dtype=np.float64) for values in series]
    return torch.from_numpy(_filled(arrays, max(len(array) for array in arrays))).to(place)
