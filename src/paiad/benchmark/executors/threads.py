"""One thread a job: jobs side by side use the cores better than threads inside each, and sums keep their order."""

# Read by the numeric libraries when they are first imported, so they must be set before a worker starts.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "POLARS_MAX_THREADS",
)
