"""Every detector by name, one line each; a module is imported only when its detector is asked for."""

import difflib
import importlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from types import ModuleType
from typing import Any

from paiad.contracts import Detector
from paiad.errors import MissingExtraError, SettingError

DEFAULT = "best"

# name -> "module:function" that takes nothing and returns a recipe
CATALOG: dict[str, str] = {
    "best": "paiad.best:Best",
    "pai-raw": "paiad.recipes:pai_raw",
    "raw": "paiad.recipes:raw",
    "magg": "paiad.detectors.amplitude_only:Deviation",
    "t2": "paiad.detectors.amplitude_only:MeanShift",
    "magg-t2": "paiad.detectors.amplitude_only:DeviationAndShift",
    "sub-pca": "paiad.detectors.sub_pca:SubPCA",
    "kshape": "paiad.detectors.kshape:KShape",
    "dlinear": "paiad.detectors.linear:DLinear",
    "nlinear": "paiad.detectors.linear:NLinear",
    "deepant": "paiad.detectors.deepant:DeepAnT",
    "usad": "paiad.detectors.usad:USAD",
    "fits": "paiad.detectors.fits:FITS",
    "tranad": "paiad.detectors.tranad:TranAD",
    "timesnet": "paiad.detectors.timesnet:TimesNet",
    "anomaly-transformer": "paiad.detectors.anomaly_transformer:AnomalyTransformer",
    "patchtst": "paiad.detectors.patchtst:PatchTST",
    "itransformer": "paiad.detectors.itransformer:ITransformer",
    "kan-ad": "paiad.detectors.kan_ad:KANAD",
    "ofa": "paiad.detectors.ofa:OFA",
    "moment": "paiad.detectors.moment:Moment",
    "moment-tuned": "paiad.detectors.moment:MomentTuned",
    "timesfm": "paiad.detectors.timesfm:TimesFM",
    "lag-llama": "paiad.detectors.lag_llama:LagLlama",
    "dada": "paiad.detectors.dada:DADA",
    "shape": "paiad.recipes:shape",
    "pai-shape": "paiad.recipes:pai_shape",
    "paano": "paiad.recipes_torch:paano",
    "paano-euclidean": "paiad.recipes_torch:paano_euclidean",
    "paano-pai": "paiad.recipes_torch:paano_pai",
    "paano-untrained": "paiad.recipes_torch:paano_untrained",
    "paano-untrained-pai": "paiad.recipes_torch:paano_untrained_pai",
    "paano-release": "paiad.recipes_torch:paano_release",
    "dcdetector": "paiad.encoders.dcdetector:DCdetector",
    "dcdetector-cosine": "paiad.recipes_torch:dcdetector_cosine",
    "dcdetector-euclidean": "paiad.recipes_torch:dcdetector_euclidean",
    "dcdetector-pai": "paiad.recipes_torch:dcdetector_pai",
    "ts2vec": "paiad.encoders.ts2vec:MaskedTS2Vec",
    "ts2vec-cosine": "paiad.recipes_torch:ts2vec_cosine",
    "ts2vec-euclidean": "paiad.recipes_torch:ts2vec_euclidean",
    "ts2vec-pai": "paiad.recipes_torch:ts2vec_pai",
    "ts2vec-instance-norm-cosine": "paiad.recipes_torch:ts2vec_instance_norm_cosine",
    "ts2vec-instance-norm-euclidean": "paiad.recipes_torch:ts2vec_instance_norm_euclidean",
    "ts2vec-instance-norm-pai": "paiad.recipes_torch:ts2vec_instance_norm_pai",
    "tspulse-zs": "paiad.recipes_torch:tspulse_zs",
    "tspulse-zs-pai": "paiad.recipes_torch:tspulse_zs_pai",
    "tspulse-ft": "paiad.recipes_torch:tspulse_ft",
    "tspulse-ft-pai": "paiad.recipes_torch:tspulse_ft_pai",
    "tspulse-bank": "paiad.recipes_torch:tspulse_bank",
    "tspulse-mini": "paiad.recipes_torch:tspulse_mini",
    "tspulse-mini-pai": "paiad.recipes_torch:tspulse_mini_pai",
    "tspulse-mini-ft": "paiad.recipes_torch:tspulse_mini_ft",
    "tspulse-mini-bank": "paiad.recipes_torch:tspulse_mini_bank",
    "tspulse-mini-bank-pai": "paiad.recipes_torch:tspulse_mini_bank_pai",
}


def names() -> tuple[str, ...]:
    """All names, in the order of the catalog."""
    return tuple(CATALOG)


def make(name: str = DEFAULT, settings: Mapping[str, Any] | None = None) -> Detector:
    """The recipe of that name, with some of its hyper-parameters changed; dots reach into nested recipes.

    >>> make("pai-raw", {"half_width": 8, "base.learner.width": 16}).base.learner.width
    16
    """
    if name not in CATALOG:
        raise SettingError(f"no detector is called {name!r}{_nearest(name, CATALOG)}; see `paiad detectors`")
    module, _, function = CATALOG[name].partition(":")
    build: Callable[[], Detector] = getattr(_imported(module, name), function)
    recipe: Any = build()
    return _changed(recipe, settings, name) if settings else recipe


def _imported(module: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package != "torch":
            raise
        raise MissingExtraError(f"{name} needs the package 'torch': pip install 'paiad[torch]'") from missing


def _changed(recipe: Any, settings: Mapping[str, Any], name: str) -> Any:
    """All at once: settings that only fit together would be refused one after the other."""
    known = [f.name for f in fields(recipe)] if is_dataclass(recipe) else []
    changed: dict[str, Any] = {}
    inside: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        first, _, rest = key.partition(".")
        if first not in known:
            raise SettingError(
                f"{name} has no setting {first!r}{_nearest(first, known)}; it has {', '.join(known)}"
            )
        if rest:
            inside.setdefault(first, {})[rest] = value
        else:
            changed[first] = value
    for first, further in inside.items():
        changed[first] = _changed(changed.get(first, getattr(recipe, first)), further, name)
    return replace(recipe, **changed)


def _nearest(word: str, known: Any) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
