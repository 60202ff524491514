"""Detections made to be reported on."""

import numpy as np

from paiad import Detections
from paiad.detection import Detection
from paiad.receipt import Receipt
from paiad.series import Series
from paiad.thresholds import RobustDeviation

NASTY = "</script><script>document.title='broken'</script>"


def long_detection(length: int) -> Detections:
    rng = np.random.default_rng(0)
    values = np.cumsum(rng.normal(size=length)) * 0.01 + rng.normal(size=length)
    values[length // 3] = 60.0  # one step among a million, far from any event
    parts = np.stack([np.abs(values), 0.1 * np.abs(values)])
    receipt = Receipt(("base", "magG"), parts, np.zeros(length), values)
    threshold = RobustDeviation(1e6).fit(receipt.score)
    series = Series(
        "long", values, time=np.datetime64("2020-01-01T00:00") + np.arange(length) * np.timedelta64(1, "m")
    )
    return Detections(None, (Detection(series, receipt, threshold, ()),))  # type: ignore[arg-type]
