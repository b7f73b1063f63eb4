from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import CommandError, CommandParser

from campaigns.formats.errors import FormatError, LineError
from campaigns.management.offline import options as option
from campaigns.management.offline.files import read_groups
from campaigns.management.offline.output import (
    OfflineCommand,
    as_csv,
    as_json,
    as_table,
    atomic_write_bytes,
    progress_bar,
)
from campaigns.management.offline.studies.charts import CHART_TYPES, render_chart
from campaigns.management.offline.studies.papers import STUDIES, plain_rows, shown_rows, write_into_page
from campaigns.management.offline.studies.trial_store import TrialStore, cache_folder, run_trials
from campaigns.management.offline.topic_lists import known_relevance, topic_setting
from evaluation.arrays import IntArray
from selection.studies.topic_selection import Point, Row
from selection.studies.topic_trials import KnownTopics
from selection.topics.lists import POOL_DEPTH
from selection.topics.subset import FEWEST_RUNS

FEWEST_TOPICS = 5


class Command(OfflineCommand):
    help = (
        "Make a table and a figure of a paper again, on runs and qrels. A document that the qrels do not "
        "know is not relevant. Each trial is kept as soon as it is done: started again, the command goes on "
        "where it was stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", choices=list(STUDIES), metavar="NAME", help=", ".join(STUDIES))
        option.add_files(parser, average=False)
        parser.add_argument("--trials", type=option.count, default=20, metavar="N", help="2 or more (20)")
        parser.add_argument("--seed", type=option.seed, default=0, help="of the first trial (0)")
        parser.add_argument("--jobs", type=option.count, default=1, metavar="N", help="processes (1)")
        parser.add_argument(
            "--depth",
            type=option.count,
            default=POOL_DEPTH,
            metavar="N",
            help=f"documents of each run and topic that are judged ({POOL_DEPTH})",
        )
        parser.add_argument(
            "--groups",
            type=Path,
            metavar="FILE",
            help="for topic-generalisation, the participant of each run: lines of a run and its participant; "
            "a run that is not named is a participant of its own",
        )
        parser.add_argument(
            "--figure", type=_figure, metavar="FILE", help="also draw the figure: .svg, .pdf, .png or .json"
        )
        parser.add_argument(
            "--page",
            type=Path,
            metavar="FILE",
            help="also renew the table and picture of a Markdown page, between the lines "
            "<!-- study NAME COLLECTION --> and <!-- end -->; the collection is the folder of the qrels",
        )
        parser.add_argument(
            "--kept-in",
            type=Path,
            metavar="DIR",
            help="folder that keeps the trials, in a file for each set of runs, qrels and depth "
            "($XDG_CACHE_HOME/assess/studies, or ~/.cache/assess/studies)",
        )

    def run(self, options: dict[str, Any]) -> None:
        if options["trials"] < 2:
            raise CommandError("--trials 1: an interval needs two", returncode=2)
        study, known = STUDIES[options["study"]], self._read(options)
        try:
            trials = study.topics.trials(known, options["trials"], options["seed"])
            store = TrialStore(options["kept_in"] or cache_folder(), known)
            with progress_bar("Trials", len(trials)) as advance:
                results = run_trials(known, trials, store, jobs=options["jobs"], progress=advance)
        except FormatError:
            raise
        except ValueError as error:
            raise CommandError(str(error), returncode=1) from error
        rows, points = study.topics.rows(known, results), study.topics.points(known, results)
        if file := options["figure"]:
            picture = render_chart(study.figure(points), file.suffix[1:])
            with atomic_write_bytes(file) as out:
                out.write(picture)
        if page := options["page"]:
            collection = options["qrels"].resolve().parent.name
            write_into_page(page, options["study"], collection, rows, points)
        self._print(rows, points, options, study.title, study.table)

    def _read(self, options: dict[str, Any]) -> KnownTopics:
        campaign, grading = self.read_all(options)
        if len(campaign.runs) < FEWEST_RUNS:
            why = f"{len(campaign.runs)} runs: topics are chosen with {FEWEST_RUNS} or more"
            raise FormatError(str(options["runs"][0]), [LineError(None, why)])
        setting = topic_setting(campaign, depth=options["depth"])
        known = known_relevance(campaign, grading, options["depth"])
        # Nothing is known of a topic without judgments.
        places = [place for place in sorted(known) if setting.topics[place].documents]
        if len(places) < FEWEST_TOPICS:
            why = f"judges {len(places)} topics of the runs; a study needs {FEWEST_TOPICS}"
            raise FormatError(str(options["qrels"]), [LineError(None, why)])
        return KnownTopics(
            [setting.topics[place] for place in places],
            tuple(setting.numbers[place] for place in places),
            [np.nan_to_num(known[place], nan=0.0) for place in places],
            _groups(options["groups"], campaign.runs),
        )

    def _print(
        self, rows: list[Row], points: list[Point], options: dict[str, Any], title: str, table: str
    ) -> None:
        if options["format"] == "json":
            about = {name: options[name] for name in ("study", "trials", "seed", "depth")}
            self.stdout.write(as_json({**about, "rows": plain_rows(rows), "points": points}))
        elif options["format"] == "csv":
            self.stdout.write(as_csv(plain_rows(rows)))
        else:
            self.stdout.write(f"{title}\n{table}\n\n{as_table(shown_rows(rows))}")


def _figure(name: str) -> Path:
    return option.file_of_type(name, CHART_TYPES)


def _groups(file: Path | None, runs: tuple[str, ...]) -> IntArray:
    return np.arange(len(runs)) if file is None else read_groups(file, runs)
