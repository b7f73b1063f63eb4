from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.opening import open_stream
from evaluation.arrays import BoolArray

LIMIT = 10_000_000


def read_contributing(file: Path | None, runs: Sequence[str]) -> BoolArray:
    """Which runs the file names, one a line (blank lines and lines from # on aside); all without a file."""
    if file is None:
        return np.ones(len(runs), dtype=np.bool_)
    with open_stream(file, str(file), max_bytes=LIMIT) as stream:
        try:
            lines = stream.read().decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise FormatError(str(file), [LineError(None, "is not UTF-8 text")]) from error
    place = {run: index for index, run in enumerate(runs)}
    named = {n: line.strip() for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")}
    unknown = [LineError(n, f"no run is named '{name}'") for n, name in named.items() if name not in place]
    if unknown or not named:
        raise FormatError(str(file), unknown[:100] or [LineError(None, "names no run")], len(unknown) or 1)
    contributing = np.zeros(len(runs), dtype=np.bool_)
    contributing[[place[name] for name in named.values()]] = True
    return contributing
