"""The three families of measures by name; a name means nothing without its family."""

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from paiad.metrics.labels import LabelContext
from paiad.metrics.ranked import RankedScores

Definition = Literal["tsb-ad", "tab", "vus-2022"]
Measure = Callable[[RankedScores, int], float]
DEFAULT_WINDOW = 100  # TSB-AD's own default; published numbers use the period of the series

AUC: Mapping[str, Measure] = {
    "AUC-PR": lambda ranked, _: ranked.point.auc_pr,
    "AUC-ROC": lambda ranked, _: ranked.point.auc_roc,
}

TSB_AD: Mapping[str, Measure] = {
    "VUS-PR": lambda ranked, window: ranked.tsb_ad_areas(window).precision_recall.mean(),
    "VUS-ROC": lambda ranked, window: ranked.tsb_ad_areas(window).roc.mean(),
    **AUC,
    "Standard-F1": lambda ranked, _: ranked.point.best_f1,
    "Event-based-F1": lambda ranked, _: ranked.event_f1(),
    "PA-F1": lambda ranked, _: ranked.point_adjusted_f1(),
    "R-based-F1": lambda ranked, _: ranked.range_f1(),
    "Affiliation-F": lambda ranked, _: ranked.affiliation_f1(),
}

VUS_2022: Mapping[str, Measure] = {
    "VUS-PR": lambda ranked, window: ranked.vldb_2022_areas(window).precision_recall.mean(),
    "VUS-ROC": lambda ranked, window: ranked.vldb_2022_areas(window).roc.mean(),
    "R-AUC-PR": lambda ranked, window: ranked.vldb_2022_areas(window).precision_recall[-1],
    "R-AUC-ROC": lambda ranked, window: ranked.vldb_2022_areas(window).roc[-1],
    **AUC,
}

TAB: Mapping[str, Measure] = {  # the volume spans twice the window of the single curve
    "VUS-PR": lambda ranked, window: ranked.vldb_2022_areas(2 * window).precision_recall.mean(),
    "VUS-ROC": lambda ranked, window: ranked.vldb_2022_areas(2 * window).roc.mean(),
    "R-AUC-PR": lambda ranked, window: ranked.vldb_2022_areas(2 * window).precision_recall[window],
    "R-AUC-ROC": lambda ranked, window: ranked.vldb_2022_areas(2 * window).roc[window],
    **AUC,
}

MEASURES: Mapping[Definition, Mapping[str, Measure]] = {"tsb-ad": TSB_AD, "tab": TAB, "vus-2022": VUS_2022}

ALIASES = {  # the paper's names, and short ones
    "Point-F1": "Standard-F1",
    "Range-F1": "Event-based-F1",
    "Event-F1": "Event-based-F1",
}


def default_window(definition: Definition, context: LabelContext) -> int:
    """TAB: the median length of the anomalies; else 100."""
    if definition != "tab":
        return DEFAULT_WINDOW
    if not context.starts.size:
        return 0
    return int(np.median(context.ends - context.starts + 1))


def undefined(name: str, context: LabelContext) -> str | None:
    """Why these labels leave a measure without a value, if they do.

    >>> undefined("VUS-PR", LabelContext([0, 0]))
    'no point is labelled 1: there is nothing to find'
    """
    if not context.anomalous:
        return "no point is labelled 1: there is nothing to find"
    if context.anomalous == context.length and (name == "AUC-ROC" or name.startswith(("VUS", "R-AUC"))):
        return "every point is labelled 1: there is nothing to tell apart"
    return None
