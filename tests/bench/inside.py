"""Run the `main` of a bench module in Django: `python -m tests.bench.inside MODULE FOLDER SEED`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import django


def main(module: str, folder: Path, seed: int) -> None:
    django.setup()
    # Such a module imports models, which needs the settings first.
    import_module(module).main(folder, seed)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
