"""`python -m campaigns.demo.corpus FILE`: the documents as JSON lines, progress on standard output."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from campaigns.demo.corpus.collecting import collect


def main(target: Path) -> None:
    report = os.fdopen(os.dup(1), "w", buffering=1)
    # Whatever an imported module prints is not progress.
    os.dup2(2, 1)
    documents = collect(lambda share: print(f"{share:.3f}", file=report))
    with target.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(document), ensure_ascii=False) + "\n" for document in documents)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
