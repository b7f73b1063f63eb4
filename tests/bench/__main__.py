from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from campaigns.management.offline.options import count
from campaigns.management.offline.output import as_csv, as_json, progress_bar
from tests.bench.report import Figure
from tests.bench.sections import SECTIONS
from tests.bench.setting import Bench


class Command(BaseCommand):
    help = "Measure this installation on seeded data of TREC-8's size."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "sections",
            nargs="*",
            type=_section,
            metavar="SECTION",
            help=f"of {', '.join(SECTIONS)}; all if none is named",
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--judgments", type=count, default=10_000, metavar="N", help="of each replay")
        parser.add_argument("--format", choices=["table", "json", "csv"], default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        names = options["sections"] or list(SECTIONS)
        bench = Bench(options["seed"], options["judgments"], progress_bar)
        figures = []
        for name in names:
            for figure in SECTIONS[name](bench):
                figures.append({"section": name, **asdict(figure)})
                if options["format"] == "table":
                    self.stdout.write(_line(figure))
        if options["format"] == "json":
            self.stdout.write(as_json(figures))
        elif options["format"] == "csv":
            self.stdout.write(as_csv(figures))


def _section(name: str) -> str:
    if name not in SECTIONS:
        raise ArgumentTypeError(f"no section is called {name!r}; there is {', '.join(SECTIONS)}")
    return name


def _line(figure: Figure) -> str:
    verdict = {None: "", True: "reached", False: "MISSED"}[figure.met]
    value = f"{figure.value:,.0f}" if figure.value >= 1000 else f"{figure.value:.4g}"
    return f"{figure.what:<78} {value:>10} {figure.unit:<9} {figure.target:<18} {verdict}".rstrip()
