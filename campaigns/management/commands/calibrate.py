from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from campaigns.offline import options as option
from campaigns.offline.calibration import calibrate, lines
from campaigns.offline.command import OfflineCommand, progress_bar
from campaigns.offline.method_options import seed
from campaigns.offline.output import as_csv, as_json, as_table


class Command(OfflineCommand):
    help = (
        "Try the stop advisor on campaigns held again: how often the 80 % interval holds the number of "
        "judgments after which a pair of runs was in fact decided. A document that the qrels do not know "
        "is not relevant."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser)
        parser.add_argument("--cases", type=option.count, default=200, help="forecasts that are tried")
        parser.add_argument("--draws", type=option.count, default=20, help="futures simulated for each")
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
        given = {name: options[name] for name in ("cases", "draws", "seed", "part")}
        with progress_bar("Forecasting", options["cases"]) as advance:
            try:
                cases = calibrate(campaign, grading, **given, progress=advance)
            except ValueError as error:
                raise CommandError(str(error), returncode=1) from error
        shown = {"json": as_json, "csv": as_csv, "table": as_table}[options["format"]]
        self.stdout.write(shown(lines(cases)))
