"""The kill run by one command: `python -m tests.faults [--kills 200] [--seed 1]`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.faults.kill_run import run


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="processes to kill (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="of all random choices (default 1)")
    given = parser.parse_args()
    # Or each restart would compile the project again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory(prefix="assess-faults-") as folder:
        # Where Postgres has to run as the user `nobody`, that user must be able to enter.
        Path(folder).chmod(0o711)
        outcome = run(
            Path(folder) / "data",
            kills=given.kills,
            seed=given.seed,
            say=lambda words: print(words, file=sys.stderr, flush=True),
        )
    print(*outcome.lines(), sep="\n")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
