from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from campaigns.figures.charts import CHART_TYPES, render_chart
from campaigns.formats.errors import FormatError
from campaigns.formats.grading import Grading
from campaigns.lab.studies.registry import STUDIES
from campaigns.lab.studies.study import Study, plain_rows, shown_rows
from campaigns.lab.studies.trial_store import TrialStore, cache_folder, run_trials
from campaigns.management.offline import options as option
from campaigns.management.offline.command_line import CommandError, CommandParser
from campaigns.management.offline.files import read_groups
from campaigns.management.offline.output import (
    OfflineCommand,
    as_csv,
    as_json,
    as_table,
    atomic_write_bytes,
    progress_bar,
)
from campaigns.management.offline.studies.collections import known_collection
from campaigns.management.offline.studies.pages import write_into_page
from evaluation.arrays import IntArray
from selection.registry import PLANNABLE_METHODS
from selection.studies.interface import Point, Row, StudySettings
from selection.studies.known_collection import KnownCollection
from selection.topics.measures import VARIANCES

DEFAULTS = StudySettings()


class Command(OfflineCommand):
    help = (
        "Make a table and a figure of a paper again, on runs and qrels. A document that the qrels do not "
        "name is not relevant. Each trial is kept as soon as it is done: started again, the command goes on "
        "where it was stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "study", choices=list(STUDIES), metavar="NAME", help=f"study to repeat: {', '.join(STUDIES)}"
        )
        option.add_files(parser, average=False)
        parser.add_argument(
            "--trials",
            type=option.count,
            metavar="N",
            help=f"number of trials, at least 2, in studies that draw (default: {DEFAULTS.trials})",
        )
        parser.add_argument(
            "--seed", type=option.seed, help=f"random seed of the first trial (default: {DEFAULTS.seed})"
        )
        parser.add_argument(
            "--jobs",
            type=option.count,
            metavar="N",
            help="number of processes (default: one a core if the study takes long, otherwise 1)",
        )
        parser.add_argument(
            "--depth",
            type=option.count,
            metavar="N",
            help=f"judging depth, in documents of each run and topic (default: {DEFAULTS.depth})",
        )
        parser.add_argument(
            "--p",
            type=_persistences,
            metavar="0.5,0.8",
            help="persistences of rank-biased precision (default: those of the paper)",
        )
        parser.add_argument(
            "--budgets",
            type=_budgets,
            metavar="100,1000",
            help="budgets in judgments, ascending: of all topics together, or of each topic in the studies "
            "of MTC and statAP (default: chosen by the study)",
        )
        parser.add_argument(
            "--methods",
            type=_methods,
            metavar="A,C",
            help="selection methods to compare (default: those of the paper)",
        )
        parser.add_argument(
            "--variance",
            choices=VARIANCES,
            help="variance of AP and R@k in studies of topic selection: published, with the number of "
            "relevant documents at its expected value, or delta, with it varying "
            f"(default: {DEFAULTS.variance})",
        )
        parser.add_argument(
            "--minutes-per-topic",
            type=option.amount,
            metavar="5",
            help=f"with cost: minutes to develop a topic (default: {DEFAULTS.minutes_per_topic:g})",
        )
        parser.add_argument(
            "--seconds-per-judgment",
            type=option.amount,
            metavar="21",
            help=f"with cost: seconds per judgment (default: {DEFAULTS.seconds_per_judgment:g})",
        )
        parser.add_argument(
            "--test",
            choices=["wilcoxon", "t"],
            help="test of separability: wilcoxon, as in Moffat, Webber and Zobel 2007, or t "
            "(default: wilcoxon)",
        )
        parser.add_argument(
            "--pessimistic",
            action="store_true",
            help="with separability and --test t: also compare score ranges (Ravana and Moffat 2010)",
        )
        option.add_groups(parser)
        parser.add_argument(
            "--figure", type=_figure, metavar="FILE", help="file for the figure: .svg, .pdf, .png or .json"
        )
        parser.add_argument(
            "--page",
            type=Path,
            metavar="FILE",
            help="Markdown page whose table and picture to renew, between the lines "
            "<!-- study NAME COLLECTION --> and <!-- end -->; the collection is the folder of the qrels",
        )
        parser.add_argument(
            "--kept-in",
            type=Path,
            metavar="DIR",
            help="folder that keeps the trials, in a file for each set of runs and qrels "
            "(default: $XDG_CACHE_HOME/assess/studies, or ~/.cache/assess/studies)",
        )

    def run(self, options: dict[str, Any]) -> None:
        name = options["study"] = _study(options)
        study, settings = STUDIES[name], _settings(name, options)
        known, grading = self._read(options)
        try:
            study.kernel.check(known)
            trials = study.kernel.trials(known, settings)
            store = TrialStore(options["kept_in"] or cache_folder(), known)
            with progress_bar("Trials", len(trials)) as advance:
                results = run_trials(
                    study.kernel.run,
                    known,
                    trials,
                    store,
                    jobs=options["jobs"],
                    progress=_Estimate(len(trials), advance, self.stderr.write).note,
                )
            rows = study.kernel.rows(known, settings, results)
            points = study.kernel.points(known, settings, results)
        except FormatError:
            raise
        except ValueError as error:
            raise CommandError(str(error), returncode=1) from error
        if file := options["figure"]:
            picture = render_chart(study.figure(points), file.suffix[1:])
            with atomic_write_bytes(file) as out:
                out.write(picture)
        if page := options["page"]:
            write_into_page(page, name, options["qrels"].resolve().parent.name, rows, points)
        gains = grading.by_grade() or known.default_gains()
        self._print(study, settings, rows, points, options, gains)

    def _read(self, options: dict[str, Any]) -> tuple[KnownCollection, Grading]:
        campaign, grading = self.read_all(options)
        self.gains_used(campaign, grading, ["RBP", "SDCG"])
        return known_collection(campaign, grading, _groups(options["groups"], campaign.runs)), grading

    def _print(
        self,
        study: Study,
        settings: StudySettings,
        rows: list[Row],
        points: list[Point],
        options: dict[str, Any],
        gains: dict[str, float],
    ) -> None:
        if options["format"] == "json":
            about = {name: getattr(settings, name) for name in study.kernel.uses}
            about |= {"gains": gains} if gains else {}
            shown = {"study": options["study"], **about, "rows": plain_rows(rows), "points": points}
            self.stdout.write(as_json(shown))
        elif options["format"] == "csv":
            self.stdout.write(as_csv(plain_rows(rows)))
        else:
            self.stdout.write(f"{study.title}\n{study.table}\n\n{as_table(shown_rows(study, rows))}")


# A study that ends sooner is over before an estimate is read.
LEAST_SECONDS = 5.0


class _Estimate:
    """Write how long the trials take, once the first is done and once more if that was far off."""

    def __init__(self, trials: int, advance: Callable[[], None], write: Callable[[str], object]) -> None:
        self._left, self._advance, self._write = trials, advance, write
        # When the study ends, by what was written last.
        self._end: float | None = None

    def note(self, seconds: float | None) -> None:
        self._left -= 1
        self._advance()
        if seconds is None or not self._left:
            return
        stated = 0.0 if self._end is None else max(self._end - monotonic(), 0.0)
        if max(seconds, stated) > LEAST_SECONDS and not stated / 2 <= seconds <= 2 * stated:
            self._end = monotonic() + seconds
            self._write(f"{self._left:,} trials left: about {_duration(seconds)}")


def _duration(seconds: float) -> str:
    """
    >>> _duration(42.3), _duration(200)
    ('42 seconds', '3 minutes')
    """
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"


# By name, test and whether score ranges are compared, too.
VARIANTS = {
    ("separability", "wilcoxon", False): "separability",
    ("separability", "t", True): "pessimistic-separability",
}


def _study(options: dict[str, Any]) -> str:
    """The study of that name, or the paper's that the test is of."""
    name, test, pessimistic = options["study"], options["test"], options["pessimistic"]
    if test is None and not pessimistic:
        return str(name)
    if (name, test, pessimistic) not in VARIANTS:
        raise CommandError(
            "--test and --pessimistic: papers have separability --test wilcoxon and "
            "separability --test t --pessimistic",
            returncode=2,
        )
    return VARIANTS[name, test, pessimistic]


def _settings(name: str, options: dict[str, Any]) -> StudySettings:
    """The settings that the command line gives. Raises CommandError for one that the study does not read."""
    every = [one.name for one in fields(StudySettings)]
    given = {one: options[one] for one in every if options.get(one) is not None}
    for one in given:
        if one not in STUDIES[name].kernel.uses:
            raise CommandError(f"--{one.replace('_', '-')}: {name} does not read it", returncode=2)
    if given.get("trials", 2) < 2:
        raise CommandError("--trials 1: an interval needs two", returncode=2)
    return StudySettings(**given)


def _persistences(text: str) -> tuple[float, ...]:
    return tuple(option.persistence(part) for part in text.split(","))


def _budgets(text: str) -> tuple[int, ...]:
    return tuple(sorted({option.count(part) for part in text.split(",")}))


def _methods(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in PLANNABLE_METHODS:
            raise ArgumentTypeError(f"{name!r} is none of {', '.join(PLANNABLE_METHODS)}")
    return names


def _figure(name: str) -> Path:
    return option.file_of_type(name, CHART_TYPES)


def _groups(file: Path | None, runs: tuple[str, ...]) -> IntArray:
    return np.arange(len(runs)) if file is None else read_groups(file, runs)
