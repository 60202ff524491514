"""`paiad version`."""

import platform

from paiad import __version__


def version() -> None:
    """Print the version."""
    print(f"paiad {__version__} (Python {platform.python_version()}, {platform.machine()})")
