"""The measures written as slowly and plainly as their formulas: one threshold, one point at a time."""

import itertools
import math

import numpy as np


def runs_of(mask):
    """[(first, last)] of the maximal runs of true values."""
    runs, start = [], None
    for t, on in enumerate([*mask, False]):
        if on and start is None:
            start = t
        if not on and start is not None:
            runs.append((start, t - 1))
            start = None
    return runs


# --- ranking -----------------------------------------------------------------------------------------


def auc_roc(scores, labels):
    won = pairs = 0
    for anomalous in scores[labels == 1]:
        for normal in scores[labels == 0]:
            pairs += 1
            won += 1.0 if anomalous > normal else 0.5 if anomalous == normal else 0.0
    return won / pairs


def auc_pr(scores, labels):
    area, recall_before = 0.0, 0.0
    for value in sorted(set(scores.tolist()), reverse=True):
        predicted = scores >= value
        recall = labels[predicted].sum() / labels.sum()
        area += (recall - recall_before) * labels[predicted].mean()
        recall_before = recall
    return area


def point_f1(scores, labels):
    best = 0.0
    for value in set(scores.tolist()):
        predicted = scores >= value
        precision, recall = labels[predicted].mean(), labels[predicted].sum() / labels.sum()
        best = max(best, 2 * precision * recall / (precision + recall + 1e-5))
    return best


# --- volumes -----------------------------------------------------------------------------------------


def soft_labels(labels, window, right_lag):
    half = window // 2
    soft = labels.astype(float)
    for first, last in runs_of(labels):
        for t in range(len(labels)):
            if t < first and first - t <= half:
                soft[t] += math.sqrt(1 - (first - t) / window)
            if t > last and t - last <= half - right_lag:
                soft[t] += math.sqrt(1 - (t - last) / window)
    return np.minimum(soft, 1.0)


def thresholds(scores):
    falling = sorted(scores.tolist(), reverse=True)
    step = (len(falling) - 1) / 249
    ranks = [int(j * step) for j in range(249)] + [len(falling) - 1]
    return [falling[rank] for rank in ranks]


def roc_area(points):
    area = x = y = 0.0
    for recall, rate, _ in [*points, (1.0, 1.0, None)]:
        area += (rate - x) * (recall + y) / 2
        x, y = rate, recall
    return area


def step_area(points):
    area = before = 0.0
    for recall, _, precision in points:
        area += (recall - before) * precision
        before = recall
    return area


def trapezoid_area(points):
    area, before, height = 0.0, 0.0, 1.0
    for recall, _, precision in points:
        area += (recall - before) * (precision + height) / 2
        before, height = recall, precision
    return area


def tsb_ad_curve(scores, labels, window):
    """Runs form one group when their buffers share a point; buffers that only touch stay apart."""
    half = window // 2
    groups = []
    for first, last in runs_of(labels):
        if groups and groups[-1][1] + half >= first - half:
            groups[-1] = (groups[-1][0], last)
        else:
            groups.append((first, last))
    groups = [(max(first - half, 0), min(last + half, len(labels) - 1)) for first, last in groups]
    soft = soft_labels(labels, window, 0)
    return [rates(scores >= threshold, labels, soft, groups, False) for threshold in thresholds(scores)]


def vldb_2022_curve(scores, labels, window):
    soft = soft_labels(labels, window, 1)
    return [
        rates(scores >= threshold, labels, soft, runs_of(soft > 0), True) for threshold in thresholds(scores)
    ]


def rates(predicted, labels, soft, groups, whole_buffer):
    """(recall times the share of groups hit, false-positive rate, precision)"""
    true_positive = soft[predicted].sum()
    counted = soft.sum() if whole_buffer else labels.sum() + soft[predicted & (labels == 0)].sum()
    positive = (labels.sum() + counted) / 2
    existence = np.mean([predicted[first : last + 1].any() for first, last in groups])
    recall = min(true_positive / positive, 1.0) * existence
    return (
        recall,
        (predicted.sum() - true_positive) / (len(labels) - positive),
        true_positive / predicted.sum(),
    )


def tsb_ad_volumes(scores, labels, window):
    """(VUS-PR, VUS-ROC)"""
    curves = [tsb_ad_curve(scores, labels, width) for width in range(window + 1)]
    return np.mean([step_area(points) for points in curves]), np.mean([roc_area(points) for points in curves])


def vldb_2022_volumes(scores, labels, window):
    """(VUS-PR, VUS-ROC, R-AUC-PR, R-AUC-ROC)"""
    curves = [vldb_2022_curve(scores, labels, width) for width in range(window + 1)]
    precision_recall, roc = (
        [trapezoid_area(points) for points in curves],
        [roc_area(points) for points in curves],
    )
    return np.mean(precision_recall), np.mean(roc), precision_recall[-1], roc[-1]


# --- 100 linear thresholds -----------------------------------------------------------------------------


def predictions(scores):
    lowest, highest = float(scores.min()), float(scores.max())
    width = highest - lowest
    step = width / 99
    levels = [(m * step if step else m / 99 * width) + lowest for m in range(99)] + [highest]
    if scores.dtype.kind == "f":
        levels = [float(scores.dtype.type(level)) for level in levels]
    return [scores.astype(float) > level for level in levels]


def pa_f1(predicted, labels):
    adjusted = predicted.copy()
    for first, last in runs_of(labels):
        if predicted[first : last + 1].any():
            adjusted[max(first, 1) : last + 1] = True
    hit = (adjusted & (labels == 1)).sum()
    return 2 * hit / (adjusted.sum() + labels.sum()) if hit else 0.0


def event_f1(predicted, labels):
    runs = runs_of(labels)
    n = len(labels)
    detected = sum(bool(predicted[first : min(last, n - 2) + 1].any()) for first, last in runs)
    recall = detected / len(runs)
    precision = labels[predicted].mean() if predicted.any() else 0.0
    return 2 * recall * precision / (recall + precision + 1e-15)


def r_based_f1(predicted, labels):
    real, guessed = runs_of(labels), runs_of(predicted)

    def meet(one, other):
        return one[0] <= other[1] and other[0] <= one[1]

    recall = 0.0
    for first, last in real:
        pieces = sum(meet((first, last), guess) for guess in guessed)
        if pieces:
            recall += 0.2 + 0.8 * predicted[first : last + 1].mean() / pieces
    recall /= len(real)
    precision = 0.0
    for first, last in guessed:
        met = sum(meet((first, last), run) for run in real)
        if met:
            precision += labels[first : last + 1].mean() / met
    precision = precision / len(guessed) if guessed else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def affiliation_f(predicted, labels, cells=4):
    """By the midpoint rule on quarter cells: every kink lies at a multiple of 1/4, so it is exact."""
    n, runs, guessed = len(labels), runs_of(labels), runs_of(predicted)
    if not guessed:
        return math.nan
    borders = [0.0, *[(a[1] + 1 + b[0]) / 2 for a, b in itertools.pairwise(runs)], float(n)]
    precisions, recalls = [], []
    for (first, last), left, right in zip(runs, borders[:-1], borders[1:], strict=True):
        pieces = [(max(a, left), min(b + 1, right)) for a, b in guessed if max(a, left) < min(b + 1, right)]
        width, length = right - left, last + 1 - first
        margin = min(first - left, right - last - 1)
        places = left + (np.arange(int(width * cells)) + 0.5) / cells
        on = np.zeros(places.size, bool)
        for a, b in pieces:
            on |= (places >= a) & (places < b)
        away = np.maximum(np.maximum(first - places, places - last - 1), 0.0)
        worth = np.where(away > 0, 1 - (length + away + np.minimum(away, margin)) / width, 1.0)
        if not pieces:
            recalls.append(0.0)
            continue
        precisions.append(worth[on].mean())
        inside = places[(places >= first) & (places < last + 1)]
        gap = np.min([np.maximum(np.maximum(a - inside, inside - b), 0.0) for a, b in pieces], axis=0)
        edge = np.minimum(inside - left, right - inside)
        recalls.append(np.where(gap > 0, 1 - (gap + np.minimum(gap, edge)) / width, 1.0).mean())
    precision, recall = np.mean(precisions), np.mean(recalls)
    return 2 * precision * recall / (precision + recall + 1e-15)


def best(measure, scores, labels):
    """Maximum over the 100 linear thresholds, NaN aside."""
    values = [measure(predicted, labels) for predicted in predictions(scores)]
    values = [value for value in values if not math.isnan(value)]
    return max(values) if values else math.nan
