"""How much memory a job took: the peak of this process since it was last reset."""

from contextlib import suppress
from pathlib import Path

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


def reset_peak() -> None:
    """Forget the peak so far, where the system can."""
    with suppress(OSError):
        _RESET.write_text("5", encoding="ascii")


def peak_mb() -> float | None:
    """Peak resident memory since the last reset, in MiB; None where the system does not tell."""
    try:
        lines = _STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return None
