"""What a detector with pretrained weights cannot do without, asked before it is fitted."""

from paiad.errors import MissingExtraError, MissingWeightsError, require
from paiad.layers.pretrained import weights_folder


def lacking(source: str, files: tuple[str, ...], who: str, package: str = "") -> str:
    """What to install or to fetch before `who` can be used, in one sentence; "" when all is there.

    Weights that the hub has are downloaded, as they would be by `fit`.

    >>> lacking("./nowhere", ("weights.bin",), "example")
    "example: there is no folder './nowhere' with weights.bin"
    """
    try:
        if package:
            require(package, "foundation", who)
        weights_folder(source, files, who)
    except (MissingExtraError, MissingWeightsError) as missing:
        return str(missing)
    return ""
