"""Measure this installation on seeded data of TREC-8's size: `python -m tests.bench [SECTION]…`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict

from campaigns.management.offline.options import count, seed
from campaigns.management.offline.output import as_csv, as_json, progress_bar
from tests.bench.report import Figure
from tests.bench.sections import SECTIONS
from tests.bench.setting import Bench


def main(arguments: Sequence[str]) -> None:
    options = parser().parse_args(arguments)
    unknown = [name for name in options.sections if name not in SECTIONS]
    if unknown:
        parser().error(f"no section {', '.join(unknown)}; choose from {', '.join(SECTIONS)}")
    bench = Bench(options.seed, options.judgments, progress_bar)
    figures = []
    for name in options.sections or SECTIONS:
        for figure in SECTIONS[name](bench):
            figures.append({"section": name, **asdict(figure)})
            if options.format == "table":
                print(line(figure), flush=True)
    if options.format == "json":
        print(as_json(figures))
    elif options.format == "csv":
        print(as_csv(figures))


def parser() -> ArgumentParser:
    parser = ArgumentParser("python -m tests.bench", description=__doc__)
    sections = f"sections to measure, of {', '.join(SECTIONS)} (default: all)"
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=sections)
    parser.add_argument(
        "--seed", type=seed, default=1, metavar="N", help="seed of the synthetic campaign (default: 1)"
    )
    parser.add_argument(
        "--judgments",
        type=count,
        default=10_000,
        metavar="N",
        help="judgments in each replay (default: 10000)",
    )
    formats = ["table", "json", "csv"]
    parser.add_argument("--format", choices=formats, default="table", help="output format (default: table)")
    return parser


def line(figure: Figure) -> str:
    verdict = {None: "", True: "reached", False: "MISSED"}[figure.met]
    value = f"{figure.value:,.0f}" if figure.value >= 1000 else f"{figure.value:.4g}"
    return f"{figure.what:<78} {value:>10} {figure.unit:<9} {figure.target:<18} {verdict}".rstrip()


if __name__ == "__main__":
    main(sys.argv[1:])
