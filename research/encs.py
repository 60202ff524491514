import sys, time
from conv import encode, encode2
from fusion import half_names
from series import load
from terms import cached, distances, scaled

SPECS = {
    "e1": dict(),
    "e2": dict(max_dilation=16),
    "e3": dict(bias="zero"),
    "e4": dict(length=15),
    "e5": dict(length=7),
    "e6": dict(floor=0.01),
    "e7": dict(count=64),
    "e8": dict(kind="walk"),
    "e9": dict(length=5),
    "ea": dict(kind="walk", length=15),
    "eb": dict(kind="walk", max_dilation=16),
    "ec": dict(bias="wide"),
    "ed": dict(count=512),
    "f5": dict(length=7, seed=1),
    "g5": dict(length=7, seed=2),
    "h5": dict(length=7, count=256),
    "i5": dict(length=7, max_dilation=16),
    "j5": dict(length=3),
    "k5": dict(length=7, floor=0.3),
    "l5": dict(length=7, floor=0.5),
    "m5": dict(length=7, floor=1.0),
    "n5": dict(length=7, floor=3.0),
    "k9": dict(length=5, floor=0.3),
    "k1": dict(length=9, floor=0.3),
}
SPECS2 = {
    "A": dict(),
    "A-seed1": dict(seed=1),
    "A-256": dict(count=256),
    "A-b0": dict(bias="zero"),
    "A-b.5": dict(bias_scale=0.5),
    "A-b2": dict(bias_scale=2),
    "A-L5": dict(lengths=(5,)),
    "A-L9": dict(lengths=(9,)),
    "A-Lmix": dict(lengths=(3, 5, 9, 15)),
    "A-lev.1": dict(level=0.1),
    "A-lev.3": dict(level=0.3),
    "A-med": dict(floor_kind="median"),
    "A-rms": dict(floor_kind="rms"),
    "A-sp.1": dict(spreadf=0.1),
    "A-p2": dict(parts=2),
    "A-dc": dict(dc=True),
    "A-smooth": dict(smooth=True),
    "B": dict(lengths=(3, 5, 9, 15)),
    "B-64": dict(lengths=(3, 5, 9, 15), count=64),
    "B0-64": dict(lengths=(3, 5, 9, 15), count=64, bias="zero"),
    "B-b2": dict(lengths=(3, 5, 9, 15), bias_scale=2),
    "B-L31": dict(lengths=(3, 5, 9, 15, 31)),
    "A-64": dict(count=64),
    "A-f.7": dict(floor=0.7),
    "A-f1.5": dict(floor=1.5),
    "A-L7,15": dict(lengths=(7, 15)),
    "A-L3,7": dict(lengths=(3, 7)),
}


if __name__ == "__main__":
    limit = int(sys.argv[3])
    for name in sorted(half_names(sys.argv[4] if len(sys.argv) > 4 else "choice", limit), key=lambda n: len(load(n).values)):
        case = load(name); x = scaled(case)
        t = time.time()
        for e in sys.argv[1].split(","):
            for w in map(int, sys.argv[2].split(",")):
                if e in SPECS2:
                    make = lambda: distances(encode2(x, case.train, w, **SPECS2[e]), case, w)
                else:
                    make = lambda: distances(encode(x, case.train, w, **SPECS[e]), case, w)
                cached(f"{e}-{w}", name, make)
        print(name, round(time.time() - t, 1), flush=True)
