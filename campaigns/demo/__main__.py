"""`python -m campaigns.demo FOLDER`: makes the files there, and tells its progress line by line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from campaigns.demo.build import build


def main(folder: Path) -> None:
    report = os.fdopen(os.dup(1), "w", buffering=1)
    # What an imported module prints is not progress.
    os.dup2(2, 1)
    build(folder, lambda stage, share: print(stage, f"{share:.3f}", file=report))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
