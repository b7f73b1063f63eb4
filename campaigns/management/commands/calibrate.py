from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from campaigns.management.offline import options as option
from campaigns.management.offline.options import seed
from campaigns.management.offline.output import OfflineCommand, as_csv, as_json, as_table, progress_bar
from campaigns.management.offline.trials import calibrate, lines, plan_lines, try_planner
from selection.simulation.planning import PLAN_DRAWS

FORECASTS, PLANS = {"cases": 200, "draws": 20}, {"cases": 40, "draws": PLAN_DRAWS}


class Command(OfflineCommand):
    help = (
        "Try the stop advisor on replayed campaigns: how often the 80% interval holds the number of "
        "judgments after which a pair of runs was in fact decided. A document that the qrels do not know "
        "is not relevant. With --planner, the planner."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser)
        parser.add_argument(
            "--planner",
            action="store_true",
            help="try what is planned before the first judgment and after some, by method",
        )
        parser.add_argument(
            "--cases", type=option.count, help="forecasts that are tried (200), campaigns planned for (40)"
        )
        parser.add_argument("--draws", type=option.count, help="simulations of each (20; planner 9)")
        parser.add_argument("--seed", type=seed, default=1)
        parser.add_argument(
            "--part",
            choices=["other", "chosen", "all"],
            default="other",
            help="cases of the half of topics (and of more than 40 runs) on which the advisor's beliefs "
            "were not chosen, of the half on which they were, or of all",
        )

    def run(self, options: dict[str, Any]) -> None:
        campaign, grading = self.read(options)
        if len(campaign.runs) < 2:
            raise CommandError("a pair needs two runs", returncode=2)
        usual = PLANS if options["planner"] else FORECASTS
        given: dict[str, Any] = {name: options[name] or value for name, value in usual.items()}
        given |= {name: options[name] for name in ("seed", "part")}
        with progress_bar("Forecasting", given["cases"]) as advance:
            try:
                if options["planner"]:
                    rows = plan_lines(try_planner(campaign, grading, **given, progress=advance))
                else:
                    rows = lines(calibrate(campaign, grading, **given, progress=advance))
            except ValueError as error:
                raise CommandError(str(error), returncode=1) from error
        shown = {"json": as_json, "csv": as_csv, "table": as_table}[options["format"]]
        self.stdout.write(shown(rows))
