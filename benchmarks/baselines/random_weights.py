"""Random weights in the shapes of the real ones, to time the pretrained baselines where theirs are not at hand.

    python benchmarks/baselines/random_weights.py FOLDER
    PAIAD_WEIGHTS=FOLDER python benchmarks/baselines/runtime.py measure --detectors dada ofa

A net takes as long with random numbers as with learnt ones; its scores mean nothing. OFA, MOMENT and TimesFM
need `transformers` (2 GB in all); without it only DADA's and Lag-Llama's are written.
"""

import argparse
import json
from pathlib import Path

import torch

from paiad.detectors.dada import DADANet
from paiad.detectors.lag_llama import LagLlamaNet
from paiad.detectors.moment import MomentNet

# The encoder of MOMENT-1-base is that of google/flan-t5-base.
T5_BASE = {"d_model": 768, "d_kv": 64, "d_ff": 2048, "num_layers": 12, "num_heads": 12}
T5_BASE |= {"feed_forward_proj": "gated-gelu", "vocab_size": 32128}
MOMENT_PATCH = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    write(parser.parse_args().folder)


def write(folder: Path) -> None:
    """A folder as the environment variable PAIAD_WEIGHTS may name it."""
    torch.manual_seed(0)
    dada, lag_llama = _made(folder, "DADA"), _made(folder, "Lag-Llama")
    net = DADANet(100, 0)
    torch.nn.init.normal_(net.adaptive_bottleneck.w_gate)  # zeros would send every window the same way
    torch.save(_wrapped(net), dada / "pytorch_model.bin")
    torch.save({"state_dict": _wrapped(LagLlamaNet())}, lag_llama / "lag-llama.ckpt")
    try:
        import transformers
        from safetensors.torch import save_file
    except ImportError as missing:
        print(f"no weights for OFA, MOMENT and TimesFM: {missing}")
        return
    transformers.GPT2Model(transformers.GPT2Config()).save_pretrained(_made(folder, "gpt2"))
    timesfm = transformers.TimesFm2_5ModelForPrediction(transformers.TimesFm2_5Config())
    timesfm.save_pretrained(_made(folder, "timesfm-2.5-200m-transformers"))
    moment = _made(folder, "MOMENT-1-base")
    encoder = transformers.T5EncoderModel(transformers.T5Config(**T5_BASE)).encoder
    net = MomentNet(encoder, T5_BASE["d_model"], MOMENT_PATCH)
    save_file(net.state_dict(), moment / "model.safetensors")
    (moment / "config.json").write_text(json.dumps({"t5_config": T5_BASE, "patch_len": MOMENT_PATCH}))


def _wrapped(net: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Its weights as they are called where the net is a part of another."""
    return {f"model.{name}": tensor for name, tensor in net.state_dict().items()}


def _made(folder: Path, name: str) -> Path:
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    return place


if __name__ == "__main__":
    main()
