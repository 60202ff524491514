"""Which of TSPulse's scores suits which dataset of TSB-AD: chosen by its authors on the tuning series."""

from typing import Literal

Mode = Literal["time", "fft", "forecast"]

ALL: tuple[Mode, ...] = ("forecast", "time", "fft")
FALLBACK: tuple[Mode, ...] = ("time",)

# Highest mean VUS-PR of the zero-shot model on the 48 tuning series, per dataset.
BY_DATASET: dict[str, tuple[Mode, ...]] = {
    **dict.fromkeys(("NAB", "SMD", "LTDB", "SVDB", "Exathlon"), ("fft",)),
    **dict.fromkeys(("MITDB", "IOPS", "TODS", "UCR", "SMAP"), ("time",)),
    **dict.fromkeys(("Stock", "MGAB", "SED", "TAO", "YAHOO"), ("forecast",)),
    **dict.fromkeys(("WSD", "MSL", "NEK", "OPPORTUNITY"), ALL),
}


def modes_for(file: str) -> tuple[Mode, ...]:
    """The modes for a file named as in TSB-AD: the dataset is the second part of its name.

    >>> modes_for("001_NAB_id_1_Facility_tr_1007_1st_2014.csv"), modes_for("mine.csv")
    (('fft',), ('time',))
    """
    parts = file.split("_")
    return BY_DATASET.get(parts[1], FALLBACK) if len(parts) > 1 else FALLBACK
