"""Time TSB-AD on the workload; run by speed.py under an interpreter that has TSB-AD installed.

python reference.py LENGTH KIND        prints a JSON object: CPU seconds and values by measure
"""

import json
import sys
import time
import warnings

from workload import WINDOW, workload


def main(length: int, kind: str) -> None:
    warnings.filterwarnings("ignore")
    from TSB_AD.evaluation.basic_metrics import basic_metricor, generate_curve

    scores, labels = workload(length, kind)
    grader = basic_metricor()
    pieces = {
        "AUC-ROC": lambda: grader.metric_ROC(labels, scores),
        "AUC-PR": lambda: grader.metric_PR(labels, scores),
        "Standard-F1": lambda: grader.metric_PointF1(labels, scores),
        "PA-F1": lambda: grader.metric_PointF1PA(labels, scores),
        "Event-based-F1": lambda: grader.metric_EventF1PA(labels, scores),
        "R-based-F1": lambda: grader.metric_RF1(labels, scores),
        "Affiliation-F": lambda: grader.metric_Affiliation(labels, scores),
        "VUS": lambda: generate_curve(labels, scores, WINDOW, "opt", 250)[-2:],
    }
    seconds, values = {}, {}
    for name, piece in pieces.items():
        started = time.process_time()
        value = piece()
        seconds[name] = time.process_time() - started
        if name == "VUS":
            values["VUS-ROC"], values["VUS-PR"] = map(float, value)
        else:
            values[name] = float(value)
    print(json.dumps({"seconds": seconds, "values": values}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
