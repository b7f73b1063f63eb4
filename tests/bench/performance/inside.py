"""Run a section in Django: `python -m tests.bench.performance.inside SECTION FOLDER SIZES`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import django

from tests.bench.data import Size
from tests.bench.performance.sizes import Sizes


def main(section: str, folder: Path, given: dict[str, Any]) -> None:
    sizes: dict[str, Any] = {
        name: Size(**value) if isinstance(value, dict) else value for name, value in given.items()
    }
    django.setup()
    # Such a module imports models, which needs the settings first.
    module = import_module(f"tests.bench.performance.{section}")
    for table in module.measure(folder, Sizes(**sizes)):
        row = asdict(table)
        del row["beside"]
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3]))
