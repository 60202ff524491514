#!/bin/sh
# Measures the default's cost anew and puts it into docs/default-recipe.md. Wants an idle machine; minutes, most of
# them for a million values and for training PaAno.
#
#     PYTHON=.venv/bin/python sh benchmarks/best/refresh.sh
set -e
cd "$(dirname "$0")/../.."
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
python=${PYTHON:-python}
"$python" benchmarks/best/cost.py --out benchmarks/best/cost.csv
"$python" benchmarks/best/against_paano.py --out benchmarks/best/against_paano.csv
"$python" docs/figures_default.py cost
