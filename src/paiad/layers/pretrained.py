"""Where pretrained weights come from: a folder, or the Hugging Face hub; and reading them without running them."""

import importlib
import os
import pickle
from collections import OrderedDict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from paiad.errors import MissingExtraError, MissingWeightsError, StoredModelError, require

FOLDER_VARIABLE = "PAIAD_WEIGHTS"


def weights_folder(source: str, files: tuple[str, ...], who: str) -> Path:
    """The folder that holds these files: `source` itself, `$PAIAD_WEIGHTS/<its last part>`, or a download.

    Nothing is downloaded where the environment variable HF_HUB_OFFLINE is set.
    """
    places = [Path(source)]
    if os.environ.get(FOLDER_VARIABLE):
        places.append(Path(os.environ[FOLDER_VARIABLE]) / Path(source).name)
    for place in places:
        if place.is_dir():
            _check_complete(place, files, who)
            return place
    return _downloaded(source, files, who)


def _check_complete(folder: Path, files: tuple[str, ...], who: str) -> None:
    missing = [name for name in files if not (folder / name).is_file()]
    if missing:
        raise MissingWeightsError(f"{who}: the folder {folder} lacks {', '.join(missing)}")


def _downloaded(source: str, files: tuple[str, ...], who: str) -> Path:
    advice = (
        f"{who} needs pretrained weights: put {', '.join(files)} of https://huggingface.co/{source} into a folder"
        f" and give it as weights='FOLDER' (--set weights=FOLDER), or as {Path(source).name}/ inside the folder"
        f" named by {FOLDER_VARIABLE}"
    )
    if source.count("/") != 1 or source.startswith((".", "/", "~")):
        raise MissingWeightsError(f"{who}: there is no folder {source!r} with {', '.join(files)}")
    try:
        hub = require("huggingface_hub", "foundation", f"{who}'s download of weights")
    except MissingExtraError as missing:
        raise MissingWeightsError(
            f"{advice}, or install 'paiad[foundation]' to have them downloaded"
        ) from missing
    try:
        return Path(hub.snapshot_download(source, allow_patterns=list(files)))
    except Exception as reason:  # offline, unknown name, refused: the remedy is the same
        raise MissingWeightsError(f"{advice} (the download failed: {type(reason).__name__})") from reason


def load_weights(network: nn.Module, path: Path, who: str, prefix: str = "", unread: str = "") -> None:
    """Fill a net with the weights in a file, where their names may begin with `prefix`.

    All of the net's weights must be there but the one called `unread`, which stays as it is; more may be.
    """
    found = {name.removeprefix(prefix): tensor for name, tensor in read_tensors(path).items()}
    wanted = {name: tensor.shape for name, tensor in network.state_dict().items() if name != unread}
    for name, shape in wanted.items():
        if name not in found:
            raise StoredModelError(f"{path} does not hold the weights of {who}: {name} is missing")
        if found[name].shape != shape:
            sizes = f"{name} is {_size(found[name].shape)}, not {_size(shape)}"
            raise StoredModelError(f"{path} does not hold the weights of {who}: {sizes}")
    network.load_state_dict({name: found[name] for name in wanted}, strict=False)


def _size(shape: torch.Size) -> str:
    return " by ".join(str(extent) for extent in shape) or "one number"


def from_transformers(name: str, folder: Path, who: str) -> Any:
    """A net of the package `transformers` with the weights in a folder, without its own bars of progress."""
    transformers = require("transformers", "foundation", who)
    kind = getattr(transformers, name, None)
    if kind is None:
        raise MissingExtraError(
            f"{who} needs a newer transformers than {transformers.__version__}: pip install -U 'paiad[foundation]'"
        )
    told = importlib.import_module("transformers.utils.logging")
    shown = told.is_progress_bar_enabled()
    told.disable_progress_bar()
    try:
        network, found = kind.from_pretrained(folder, output_loading_info=True)
    except Exception as reason:  # whatever is wrong with the files
        first = str(reason).partition("\n")[0]
        raise StoredModelError(f"{folder} does not hold the weights of {who}: {first}") from reason
    finally:
        if shown:
            told.enable_progress_bar()
    if found["missing_keys"]:  # which the package would leave random
        missing = min(found["missing_keys"])
        raise StoredModelError(f"{folder} does not hold the weights of {who}: {missing} is missing")
    return network


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The weights in a `.safetensors` file or a torch checkpoint.

    Checkpoints are pickles. Only tensors and plain containers are rebuilt; any other class in them becomes an
    empty placeholder, so nothing of what they name is imported or run.
    """
    try:
        if path.suffix == ".safetensors":
            held = require("safetensors.torch", "torch", "reading weights").load_file(path)
        else:
            held = torch.load(path, map_location="cpu", weights_only=False, pickle_module=_TENSORS_ONLY)
        held = dict(held.get("state_dict", held))
    except MissingExtraError:
        raise
    except Exception as reason:  # cut short, of another format, or no weights at all
        raise StoredModelError(f"{path} cannot be read as weights ({type(reason).__name__})") from reason
    return {name: tensor for name, tensor in held.items() if isinstance(tensor, Tensor)}


class _Placeholder:
    """Stands for an object of a class that is not loaded."""

    def __new__(cls, *_: Any, **__: Any) -> "_Placeholder":
        return super().__new__(cls)

    def __setstate__(self, _: Any) -> None:
        pass


class _TensorsOnly(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if module == "torch._utils" and name in ("_rebuild_tensor_v2", "_rebuild_parameter"):
            return super().find_class(module, name)
        if module == "torch" and (
            name.endswith("Storage") or isinstance(getattr(torch, name, None), torch.dtype)
        ):
            return super().find_class(module, name)
        return _Placeholder


_TENSORS_ONLY = SimpleNamespace(
    Unpickler=_TensorsOnly, load=pickle.load, UnpicklingError=pickle.UnpicklingError, __name__="tensors_only"
)
