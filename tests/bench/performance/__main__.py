"""Measure the site at the sizes it is built for, and write docs/evidence/performance.md:
`python -m tests.bench.performance [SECTION]…`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from campaigns.management.offline.options import count
from tests.bench.performance.report import Table
from tests.bench.performance.services import measured
from tests.bench.performance.sizes import FULL, SMALL

PAGE = Path("docs/evidence/performance.md")
SECTIONS = ("company", "throughput", "hosts", "million", "documents", "listeners")
HEAD = """# Performance

This page helps you judge whether a site is fast enough for your campaign, and measure your own machine. One
command measures all of it and writes a page like this one:

```sh
.venv/bin/python -m tests.bench.performance
```

`--size small` measures less data in less time. `--help` explains all options. The tables below were made with
`--size {size}`. Compare figures only within a table: they depend on the program, on the machine and on other
programs. A line below each table names the commit, the machine and the time. The load is the average of the
minute before, in which the table above may have been measured.
"""


def main(arguments: Sequence[str]) -> None:
    given = parser().parse_args(arguments)
    unknown = [name for name in given.sections if name not in SECTIONS]
    if unknown:
        parser().error(f"no section {', '.join(unknown)}; choose from {', '.join(SECTIONS)}")
    named = {name: getattr(given, name) for name in ("topics", "judgments", "documents", "listeners")}
    sizes = replace(
        FULL if given.size == "full" else SMALL, **{k: v for k, v in named.items() if v is not None}
    )
    parts: list[str] = []
    failed = False
    for name in given.sections or SECTIONS:
        try:
            for table in measured(name, sizes):
                parts.append(table.markdown())
                print(parts[-1], flush=True)
        except Exception as error:  # noqa: BLE001 — one section's failure must not cost the others
            failed = True
            parts.append(_failure(name, error).markdown())
            print(parts[-1], flush=True)
        # After each section: what was measured is there, whatever becomes of the next.
        if not given.sections:
            PAGE.write_text("\n".join([HEAD.format(size=given.size), *parts]))
    sys.exit(failed)


def _failure(section: str, error: Exception) -> Table:
    return Table(f"{section}: not measured", f"The section failed: {error}", ["section"], [])


def parser() -> ArgumentParser:
    parser = ArgumentParser("python -m tests.bench.performance", description=__doc__)
    words = f"print only these sections, of {', '.join(SECTIONS)} (default: all, written to {PAGE})"
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=words)
    parser.add_argument(
        "--size", choices=["full", "small"], default="full", help="amount of data (default: full)"
    )
    for name, what in (
        ("topics", "topics of the large campaign"),
        ("judgments", "judgments in the large campaign"),
        ("documents", "documents imported by docno"),
        ("listeners", "open event streams"),
    ):
        parser.add_argument(f"--{name}", type=count, metavar="N", help=f"{what} (default: by size)")
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
