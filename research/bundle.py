"""Put a folder of score files into one compressed file, or take them out again.

python research/bundle.py FOLDER FILE.npz        # in
python research/bundle.py FILE.npz FOLDER        # out
"""

import sys
from pathlib import Path

import numpy as np


def main(source: Path, target: Path) -> None:
    if source.is_dir():
        np.savez_compressed(target, **{path.stem: np.load(path) for path in sorted(source.glob("*.npy"))})
        return
    target.mkdir(parents=True, exist_ok=True)
    with np.load(source) as held:
        for name in held.files:
            np.save(target / f"{name}.npy", held[name])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
