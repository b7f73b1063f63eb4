"""The demo campaign: documents, topics and runs made of what every installation has."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.progress import track


def tracked(items: Sequence[Any], stage: str) -> Iterable[Any]:
    """The items, with a progress bar on a terminal."""
    console = Console(stderr=True)
    return track(items, f"{stage:<20}", console=console, disable=not sys.stderr.isatty(), transient=True)
