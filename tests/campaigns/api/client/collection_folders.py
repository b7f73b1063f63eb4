"""A folder as the cookbook's examples have it: Cranfield where that is, else a small one laid out alike."""

from __future__ import annotations

import gzip
from pathlib import Path

from tests.campaigns.factories import THREE_RUNS, run_text
from tests.campaigns.formats.sample_files import TREC_DATA

DOCNOS = sorted({docno for run in THREE_RUNS.values() for docnos in run.values() for docno in docnos})


def small(folder: Path) -> Path:
    """Documents, topics, and a folder of runs, all packed, with a file in it that is none."""
    lines = [f'{{"docno": "{docno}", "title": "Title {docno}", "text": "Text."}}\n' for docno in DOCNOS]
    (folder / "docs.jsonl").write_text("".join(lines))
    (folder / "topics.tsv").write_text("1\tfirst\n2\tsecond\n")
    runs = folder / "runs"
    runs.mkdir()
    for tag, lists in THREE_RUNS.items():
        (runs / f"{tag}.gz").write_bytes(gzip.compress(run_text(tag, lists)))
    (runs / ".hidden").write_text("not a run")
    return folder


def with_cranfield(folder: Path) -> Path:
    """`folder` holds a folder cranfield."""
    place = folder / "cranfield"
    if (TREC_DATA / "cranfield").is_dir():
        place.symlink_to(TREC_DATA / "cranfield")
    else:
        place.mkdir()
        small(place)
    return folder
