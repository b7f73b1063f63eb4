from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from campaigns.management.offline import options as option
from campaigns.management.offline.calibration.page import calibration_page, coverage_line, reliability_picture
from campaigns.management.offline.calibration.statements import (
    KINDS,
    Collection,
    Trials,
    every_coverage,
    fitted_rows,
)
from campaigns.management.offline.command_line import CommandError, CommandParser
from campaigns.management.offline.options import seed
from campaigns.management.offline.output import (
    OfflineCommand,
    OutputLine,
    as_csv,
    as_json,
    as_table,
    atomic_write,
    progress_bar,
)


class Command(OfflineCommand):
    help = (
        "Try statements of uncertainty on replayed campaigns whose outcome is known. A document that the "
        "qrels do not know is not relevant. With --collection: every statement, each collection predicted "
        "without its family. With --runs and --qrels: stop advice, how often its 80% interval holds the "
        "number of judgments after which a pair of runs was decided."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser, needed=False)
        kind = parser.add_mutually_exclusive_group()
        kind.add_argument(
            "--planner",
            action="store_true",
            help="try the planner, before the first judgment and after some",
        )
        kind.add_argument(
            "--predictions",
            action="store_true",
            help="try prediction intervals of final scores, P(A > B) and P(best), by kind of campaign",
        )
        kind.add_argument(
            "--sampled",
            action="store_true",
            help="try intervals of scores, differences and decided pairs from random samples",
        )
        kind.add_argument(
            "--all",
            action="store_true",
            help="try every statement of uncertainty, as by default with --collection",
        )
        kind.add_argument(
            "--fit",
            action="store_true",
            help="fit the model's coefficients to the runs and qrels: rows for its table of collections",
        )
        parser.add_argument(
            "--collection",
            action="append",
            default=[],
            type=Path,
            metavar="DIR",
            help="folder that holds runs/, qrels.txt and, without --gains, perhaps gains.txt, named as the "
            "collection; may be repeated (default: --runs and --qrels)",
        )
        parser.add_argument(
            "--page",
            type=Path,
            metavar="FILE",
            help="Markdown page to write the table to, with a picture beside it (.svg)",
        )
        parser.add_argument(
            "--cases",
            type=option.count,
            help="number of forecasts, or of campaigns, to try of each kind (default: as on the page)",
        )
        parser.add_argument(
            "--seed", type=seed, default=1, help="random seed of the cases (default: %(default)s)"
        )

    def run(self, options: dict[str, Any]) -> None:
        rows = self._rows(options)
        shown = {"json": as_json, "csv": as_csv, "table": as_table}[options["format"]]
        self.stdout.write(shown(rows))

    def _rows(self, options: dict[str, Any]) -> Sequence[OutputLine]:
        collections = self._folders(options) if options["collection"] else [self._files(options)]
        if options["fit"]:
            return [row for collection in collections for row in fitted_rows(collection)]
        one = [name for name in ("planner", "predictions", "sampled") if options[name]]
        one += ["like these"] if options["predictions"] else []
        every = list(KINDS) if options["all"] or options["collection"] else ["advice"]
        trials = Trials(options["cases"], options["seed"])
        try:
            rows = every_coverage(collections, trials, one or every, progress_bar)
        except ValueError as error:
            raise CommandError(str(error), returncode=1) from error
        if page := options["page"]:
            picture = page.with_suffix(".svg")
            with atomic_write(page) as text, atomic_write(picture) as drawing:
                text.write(calibration_page(rows, picture.name))
                drawing.write(reliability_picture(rows).decode())
        return [coverage_line(row) for row in rows]

    def _folders(self, options: dict[str, Any]) -> list[Collection]:
        if options["runs"] or options["qrels"]:
            raise CommandError("--collection takes no --runs and no --qrels", returncode=2)
        score_precision, cached = options["score_precision"], not options["no_cache"]
        return [
            Collection.read(folder, options["gains"], score_precision=score_precision, cached=cached)
            for folder in options["collection"]
        ]

    def _files(self, options: dict[str, Any]) -> Collection:
        if not options["runs"] or not options["qrels"]:
            raise CommandError("give --runs and --qrels, or --collection", returncode=2)
        campaign, grading = self.read(options)
        self.gains_used(campaign, grading, ["RBP"])
        if len(campaign.runs) < 2:
            raise CommandError("a pair needs two runs", returncode=2)
        return Collection.of("these runs", campaign, grading)
