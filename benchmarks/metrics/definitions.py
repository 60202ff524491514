"""Print how far the measures lie apart on the same scores: by definition, and for scores that know nothing.

python benchmarks/metrics/definitions.py
"""

import numpy as np
from workload import workload

from paiad.metrics import Definition, LabelContext, evaluate

DEFINITIONS: tuple[Definition, ...] = ("tsb-ad", "vus-2022", "tab")
WINDOW = 100


def main() -> None:
    scores, labels = workload(20_000)
    rng = np.random.default_rng(1)
    lagged, random, constant = np.roll(scores, 40), rng.random(labels.size), np.ones(labels.size)
    cases = {
        "good detector": scores,
        "the same, 40 points late": lagged,
        "random": random,
        "constant": constant,
    }
    context = LabelContext(labels)
    print(f"20,000 points, {context.starts.size} events, {context.anomalous / 200:.1f} % anomalous points\n")
    print("| VUS-PR | " + " | ".join(DEFINITIONS) + " |\n|---|" + "---|" * len(DEFINITIONS))
    for name, given in cases.items():
        values = [evaluate(given, context, WINDOW, "VUS-PR", kind)["VUS-PR"] for kind in DEFINITIONS]
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in values) + " |")
    measures = list(evaluate(scores, context, WINDOW))
    print("\n| tsb-ad | " + " | ".join(measures) + " |\n|---|" + "---|" * len(measures))
    for name, given in cases.items():
        print(
            f"| {name} | " + " | ".join(f"{v:.3f}" for v in evaluate(given, context, WINDOW).values()) + " |"
        )
    print("\n| window | 0 | 10 | 50 | 100 | 200 | 300 |\n|---|" + "---|" * 6)
    values = [evaluate(scores, context, w, "VUS-PR")["VUS-PR"] for w in (0, 10, 50, 100, 200, 300)]
    print("| VUS-PR of the good detector | " + " | ".join(f"{value:.3f}" for value in values) + " |")


if __name__ == "__main__":
    main()
