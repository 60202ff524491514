"""Your own encoder, whatever it is, scored against a bank, with the amplitude terms, and diagnosed.

    python examples/any_encoder.py

Runs four encoders on a made-up series with one strange stretch; what is not installed is skipped.
"""

import importlib.util

import numpy as np

from paiad import PAI, Learner, Series
from paiad.detectors.prototype import NearestPrototype
from paiad.diagnostic import diagnose
from paiad.encoders.wrap import FromFunction, FromTransformer
from paiad.synthetic import inject, seasonal

WIDTH = 32


def of_a_function() -> Learner:
    return FromFunction(lambda patches: np.abs(np.fft.rfft(patches)), width=WIDTH)


def of_scikit_learn() -> Learner:
    from sklearn.decomposition import PCA

    return FromTransformer(PCA(n_components=8), width=WIDTH)


def of_torch() -> Learner:
    import torch

    from paiad.encoders.wrap_torch import from_module

    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(WIDTH, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    return from_module(net, width=WIDTH)


def of_hugging_face() -> Learner:
    from transformers import PatchTSTConfig, PatchTSTModel

    from paiad.encoders.wrap_torch import from_backbone

    config = PatchTSTConfig(
        context_length=WIDTH, patch_length=8, patch_stride=8, num_hidden_layers=1, d_model=16
    )
    return from_backbone(PatchTSTModel(config))  # for trained weights: PatchTSTModel.from_pretrained(...)


ENCODERS = {
    "numpy": of_a_function,
    "sklearn": of_scikit_learn,
    "torch": of_torch,
    "transformers": of_hugging_face,
}


def main() -> None:
    normal, later = seasonal(2000), seasonal(2000, seed=1)
    marked = inject(later, "intensity change", 1.0, length=60, count=1, rng=np.random.default_rng(0))
    values, labels = np.append(normal, marked.values), np.append(np.zeros(2000, dtype=int), marked.labels)
    series = Series("made up", values, labels, train_end=2000)
    for package, build in ENCODERS.items():
        if importlib.util.find_spec(package) is None:
            print(f"{package}: not installed, skipped")
            continue
        detector = NearestPrototype(build())
        step = int(PAI(detector).fit(series.train).score(series.values).argmax())
        print(f"{package}: highest score at step {step}, label {labels[step]}")
        for line in diagnose(series, detector).verdict:
            print(f"    {line}")


if __name__ == "__main__":
    main()
