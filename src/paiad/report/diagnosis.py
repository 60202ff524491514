"""The picture of a diagnosis: how well each reading sees anomalies of growing strength."""

from pathlib import Path

from paiad.diagnostic import READINGS, SEEN, STRENGTHS, Diagnosis
from paiad.errors import require
from paiad.synthetic import KINDS

COLOURS = {"cosine": "#9a9a9a", "euclidean": "#2f6fb0", "pai": "#d1495b"}
NAMES = {"cosine": "cosine", "euclidean": "Euclidean", "pai": "Euclidean + PAI"}


def draw_diagnosis(diagnosis: Diagnosis, path: Path) -> None:
    """One panel a kind of anomaly; strength to the right, AUC-ROC upwards."""
    figures = require("matplotlib.figure", "plot", "drawing a picture")
    figure = figures.Figure(figsize=(2.6 * len(KINDS), 3.0), layout="constrained")
    panels = figure.subplots(1, len(KINDS), sharey=True)
    for panel, kind in zip(panels, KINDS, strict=True):
        found = [injection for injection in diagnosis.injections if injection.kind == kind]
        for reading in READINGS:
            heights = [injection.auc[reading] for injection in found]
            panel.plot(STRENGTHS, heights, "o-", ms=3, color=COLOURS[reading], label=NAMES[reading])
        panel.axhline(SEEN, color="#bbbbbb", lw=0.8, ls=":")
        panel.set(title=kind, xlabel="strength (MAD)", xscale="log", ylim=(0, 1.03))
        panel.set_xticks(STRENGTHS, [f"{strength:g}" for strength in STRENGTHS])
        panel.minorticks_off()
    panels[0].set_ylabel("AUC-ROC of known anomalies")
    panels[0].legend(frameon=False, fontsize=8, loc="lower right")
    figure.suptitle(f"{diagnosis.name}: what {diagnosis.encoder} sees", fontsize=11)
    figure.savefig(path, dpi=150, format="png")
