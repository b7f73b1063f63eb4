from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from campaigns.management.offline import options as option
from campaigns.management.offline.calibration.page import calibration_page, coverage_line
from campaigns.management.offline.calibration.picture import reliability_picture
from campaigns.management.offline.calibration.statements import (
    KINDS,
    Collection,
    Trials,
    every_coverage,
    fitted_rows,
)
from campaigns.management.offline.calibration.trials import (
    calibrate,
    lines,
    plan_lines,
    try_planner,
    try_predictions,
)
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
from selection.simulation.planning import PLAN_DRAWS

FORECASTS, PLANS = {"cases": 200, "draws": 20}, {"cases": 40, "draws": PLAN_DRAWS}
PREDICTIONS = {"cases": 400}


class Command(OfflineCommand):
    help = (
        "Try statements of uncertainty on replayed campaigns whose outcome is known. A document that the "
        "qrels do not know is not relevant. With --collection: every statement, each collection predicted "
        "without its family. With --runs and --qrels, without --planner or --predictions: stop advice, how "
        "often its 80% interval holds the number of judgments after which a pair of runs was decided."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser, needed=False)
        kind = parser.add_mutually_exclusive_group()
        kind.add_argument(
            "--planner",
            action="store_true",
            help="try the planner, before the first judgment and after some, by method",
        )
        kind.add_argument(
            "--predictions",
            action="store_true",
            help="try prediction intervals of final scores, P(A > B) and P(best), by kind of campaign",
        )
        kind.add_argument(
            "--all",
            action="store_true",
            help="try every statement of uncertainty, the default of --collection",
        )
        kind.add_argument(
            "--fit",
            action="store_true",
            help="fit the model's coefficients to each --collection: rows for its table of collections",
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
            help="for --collection: Markdown page to write the table to, with a picture beside it (.svg)",
        )
        parser.add_argument(
            "--cases",
            type=option.count,
            help="number of forecasts to try (default: 200); with --planner, of campaigns to plan for "
            "(default: 40); with --predictions, of campaigns to predict (default: 400)",
        )
        parser.add_argument(
            "--draws", type=option.count, help="simulations per case (default: 20; planner: 9)"
        )
        parser.add_argument(
            "--share",
            type=option.share,
            default=1.0,
            help="for --collection: share of the usual number of cases to try (default: %(default)s)",
        )
        parser.add_argument(
            "--seed", type=seed, default=1, help="random seed of the cases (default: %(default)s)"
        )

    def run(self, options: dict[str, Any]) -> None:
        rows = self._collections(options) if options["collection"] else self._one_kind(options)
        shown = {"json": as_json, "csv": as_csv, "table": as_table}[options["format"]]
        self.stdout.write(shown(rows))

    def _collections(self, options: dict[str, Any]) -> Sequence[OutputLine]:
        if options["runs"] or options["qrels"] or options["cases"] or options["draws"]:
            raise CommandError(
                "--collection takes --share, not --runs, --qrels, --cases or --draws", returncode=2
            )
        score_precision, cached = options["score_precision"], not options["no_cache"]
        collections = [
            Collection.read(folder, options["gains"], score_precision=score_precision, cached=cached)
            for folder in options["collection"]
        ]
        if options["fit"]:
            return [row for collection in collections for row in fitted_rows(collection)]
        kinds = [name for name in ("planner", "predictions") if options[name]] or list(KINDS)
        with progress_bar("Calibrating", len(kinds) * len(collections)) as advance:
            try:
                rows = every_coverage(collections, Trials(options["share"], options["seed"]), kinds, advance)
            except ValueError as error:
                raise CommandError(str(error), returncode=1) from error
        if page := options["page"]:
            picture = page.with_suffix(".svg")
            with atomic_write(page) as text, atomic_write(picture) as drawing:
                text.write(calibration_page(rows, picture.name))
                drawing.write(reliability_picture(rows).decode())
        return [coverage_line(row) for row in rows]

    def _one_kind(self, options: dict[str, Any]) -> Sequence[OutputLine]:
        if (
            not options["runs"]
            or not options["qrels"]
            or any(options[name] for name in ("page", "all", "fit"))
        ):
            raise CommandError(
                "give --runs and --qrels, or --collection; --all, --fit and --page belong to --collection",
                returncode=2,
            )
        campaign, grading = self.read(options)
        self.gains_used(campaign, grading, ["RBP"])
        if len(campaign.runs) < 2:
            raise CommandError("a pair needs two runs", returncode=2)
        usual = PLANS if options["planner"] else PREDICTIONS if options["predictions"] else FORECASTS
        given: dict[str, Any] = {name: options[name] or value for name, value in usual.items()}
        given["seed"] = options["seed"]
        with progress_bar("Forecasting", given["cases"]) as advance:
            given["progress"] = advance
            try:
                if options["planner"]:
                    return plan_lines(try_planner(campaign, grading, **given))
                if options["predictions"]:
                    return [coverage_line(row) for row in try_predictions(campaign, grading, **given)]
                return lines(calibrate(campaign, grading, **given))
            except ValueError as error:
                raise CommandError(str(error), returncode=1) from error
