"""Named recipes on the encoders of the paper; they need torch."""

from paiad.detectors.prototype import NearestPrototype
from paiad.encoders.dcdetector import WindowEmbedding
from paiad.encoders.paano import PaAno
from paiad.encoders.ts2vec import TS2Vec
from paiad.encoders.tspulse import PatchTokens, TSPulse
from paiad.encoders.tspulse_model import MINI
from paiad.encoders.tspulse_tuning import FineTuning
from paiad.pai import PAI


def paano() -> NearestPrototype:
    """PaAno as its authors score it: cosine distance to a bank of unit vectors."""
    return NearestPrototype(PaAno(), metric="cosine", device="auto")


def paano_euclidean() -> NearestPrototype:
    """PaAno's vectors against a Euclidean bank."""
    return NearestPrototype(PaAno(), device="auto")


def paano_pai() -> PAI:
    """PaAno's vectors against a Euclidean bank, with the amplitude terms: the paper's best."""
    return PAI(paano_euclidean())


def paano_untrained() -> NearestPrototype:
    """PaAno's encoder with random weights: as good on the benchmark, and ready at once."""
    return NearestPrototype(PaAno(iterations=0), device="auto")


def paano_untrained_pai() -> PAI:
    """PaAno's encoder with random weights, with the amplitude terms."""
    return PAI(paano_untrained())


def paano_release() -> NearestPrototype:
    """What the authors' release runs as "PaAno + PAI": z-scored input, cosine distance, no amplitude terms."""
    return NearestPrototype(PaAno(input="z-scored"), metric="cosine", device="auto")


def dcdetector_cosine() -> NearestPrototype:
    """DCdetector's (untrained) window embedding, cosine distance to a bank."""
    return NearestPrototype(WindowEmbedding(), metric="cosine", device="auto")


def dcdetector_euclidean() -> NearestPrototype:
    """DCdetector's (untrained) window embedding against a Euclidean bank."""
    return NearestPrototype(WindowEmbedding(), device="auto")


def dcdetector_pai() -> PAI:
    """DCdetector's (untrained) window embedding against a Euclidean bank, with the amplitude terms."""
    return PAI(dcdetector_euclidean())


def ts2vec_cosine() -> NearestPrototype:
    """TS2Vec's vectors, cosine distance to a bank."""
    return NearestPrototype(TS2Vec(), metric="cosine", device="auto")


def ts2vec_euclidean() -> NearestPrototype:
    """TS2Vec's vectors against a Euclidean bank."""
    return NearestPrototype(TS2Vec(), device="auto")


def ts2vec_pai() -> PAI:
    """TS2Vec's vectors against a Euclidean bank, with the amplitude terms."""
    return PAI(ts2vec_euclidean())


def ts2vec_instance_norm_cosine() -> NearestPrototype:
    """The paper's ablation: TS2Vec on windows normalised by themselves, cosine distance to a bank."""
    return NearestPrototype(TS2Vec(normalise_windows=True), metric="cosine", device="auto")


def ts2vec_instance_norm_euclidean() -> NearestPrototype:
    """The paper's ablation: TS2Vec on windows normalised by themselves, against a Euclidean bank."""
    return NearestPrototype(TS2Vec(normalise_windows=True), device="auto")


def ts2vec_instance_norm_pai() -> PAI:
    """The paper's ablation: TS2Vec on windows normalised by themselves, with the amplitude terms."""
    return PAI(ts2vec_instance_norm_euclidean())


def tspulse_zs() -> TSPulse:
    """TSPulse as pretrained, its time score."""
    return TSPulse()


def tspulse_zs_pai() -> PAI:
    """TSPulse as pretrained, its time score, with the amplitude terms."""
    return PAI(tspulse_zs())


def tspulse_ft() -> TSPulse:
    """TSPulse tuned to the training part, its time score."""
    return TSPulse(tuning=FineTuning())


def tspulse_ft_pai() -> PAI:
    """TSPulse tuned to the training part, its time score, with the amplitude terms."""
    return PAI(tspulse_ft())


def tspulse_bank() -> NearestPrototype:
    """TSPulse's encoder against a Euclidean bank: for the diagnostic, and to see what its vectors keep."""
    return NearestPrototype(PatchTokens(), device="auto")


def tspulse_mini() -> TSPulse:
    """The small TSPulse that comes with paiad, pre-trained on generated series: its time score."""
    return TSPulse(weights=MINI)


def tspulse_mini_pai() -> PAI:
    """The small TSPulse that comes with paiad, its time score, with the amplitude terms."""
    return PAI(tspulse_mini())


def tspulse_mini_ft() -> TSPulse:
    """The small TSPulse that comes with paiad, tuned to the training part: its time score."""
    return TSPulse(weights=MINI, tuning=FineTuning())


def tspulse_mini_bank() -> NearestPrototype:
    """The encoder of the small TSPulse that comes with paiad, against a Euclidean bank."""
    return NearestPrototype(PatchTokens(weights=MINI), device="auto")


def tspulse_mini_bank_pai() -> PAI:
    """The encoder of the small TSPulse that comes with paiad, against a Euclidean bank, with the amplitude terms."""
    return PAI(tspulse_mini_bank())
