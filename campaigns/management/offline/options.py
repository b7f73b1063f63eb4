"""Values of command-line options; a wrong one is wrong usage (exit 2)."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Collection, Iterable, Sequence
from math import inf, nan
from pathlib import Path
from typing import get_args

from campaigns.formats.grading import Gains
from campaigns.formats.runs.reader import Order
from campaigns.management.offline.command_line import CommandError, CommandParser
from campaigns.scoring.measured_rankings import RELEVANCE_MODELS, Relevance
from evaluation.measure import Measure, Need
from evaluation.measures.ordering import ScorePrecision
from evaluation.name_suggestions import unknown_name
from evaluation.names import CALIBRATED, parse_measures
from selection.simulation.assessor_errors import AssessorErrors

FIT = "fit"
MOST_SEEDS = 10_000
# By what a measure needs: the option that names the file, and what is in it.
FILES_NEEDED: dict[Need | None, tuple[str, str]] = {
    "drawn": ("--prels", "inclusion probabilities"),
    "stratified": ("--strata", "strata of the pool"),
    "subtopics": ("--subtopics", "judgments of subtopics"),
}


def add_files(
    parser: CommandParser,
    *,
    qrels: str = "",
    needed: bool = True,
    several_qrels: bool = False,
    average: bool = True,
) -> None:
    """The options that every command on files has; `qrels` says what they are for, where they may miss.
    `needed`: false where other options may stand in the place of runs and qrels. `average`: whether scores
    are averaged over topics."""
    parser.add_argument(
        "--runs",
        nargs="+",
        required=needed,
        type=Path,
        metavar="PATH",
        help="run files or folders of them; plain, .gz, .bz2, .xz, .zst or .lz4",
    )
    parser.add_argument(
        "--qrels",
        required=needed and not qrels,
        nargs="+" if several_qrels else None,
        type=Path,
        metavar="FILE",
        help=f"TREC qrels {'files' if several_qrels else 'file'}{qrels and ': '}{qrels}",
    )
    parser.add_argument(
        "--gains",
        type=gains,
        metavar="0,0.5,1",
        help="gains of grades 0, 1, 2 …, each in [0, 1], or a file of them as export_qrels --what gains "
        "writes it (default: 1 from grade 1 on; a fractional grade counts its own value; nDCG, DCG and ERR "
        "read the grades)",
    )
    if average:
        parser.add_argument(
            "--topics",
            choices=["all", "judged"],
            default="all",
            help="topics to average over: all of the runs and the qrels, where a topic without judgments "
            "leaves its whole score open, or those with a judgment (default: %(default)s)",
        )
    parser.add_argument(
        "--order",
        choices=get_args(Order),
        default="score",
        help="order of a run's documents: score, ties by docno descending; line, their place in the file; "
        "rank, the rank column, ties by line (default: %(default)s)",
    )
    add_score_precision(parser, default=64)
    parser.add_argument(
        "--format",
        choices=["table", "json", "csv"],
        default="table",
        help="output format (default: %(default)s)",
    )
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="read run files again and write no cache (default: files of up to 1 GiB together are cached in "
        "the hidden folder .run-cache beside the first, until one changes)",
    )


def add_cuts(parser: CommandParser) -> None:
    """Add the options that limit which of a run's documents count."""
    parser.add_argument(
        "--depth",
        # Other commands have a depth of their own, which cuts no list.
        dest="list_depth",
        type=count,
        metavar="N",
        help="documents of a run and topic to use, from its first, as -M in trec_eval 10.0 (default: all)",
    )
    parser.add_argument(
        "--judged-only",
        action="store_true",
        help="leave unjudged documents out of the runs, so that those below move up, as -J in trec_eval 10.0",
    )


def add_campaign(parser: CommandParser) -> None:
    """The options of commands that replay or simulate a campaign."""
    parser.add_argument(
        "--scope",
        choices=["campaign", "topic"],
        default="campaign",
        help="scope of the weights of B and C: the whole campaign, or each topic by itself (default: "
        "%(default)s)",
    )
    parser.add_argument(
        "--contributing",
        type=Path,
        metavar="FILE",
        help="file listing the contributing runs, one tag a line (default: all runs)",
    )


def add_groups(parser: CommandParser, *, also: str = "") -> None:
    parser.add_argument(
        "--groups",
        type=Path,
        metavar="FILE",
        help="file of participants, a run and its participant a line; a run that is not named is a "
        f"participant of its own (default: every run is){also}",
    )


def add_score_precision(parser: ArgumentParser, *, default: ScorePrecision | None) -> None:
    """The option of every command that reads run files. Without a default, the campaign's choice."""
    parser.add_argument(
        "--score-precision",
        type=int,
        choices=get_args(ScorePrecision),
        default=default,
        help="bits of the floats as which scores are compared: 64 as in trec_eval 10.0, 32 as in trec_eval "
        f"up to 9.0.8 (default: {default or 'as set for the campaign'})",
    )


def add_relevance(parser: CommandParser) -> None:
    parser.add_argument(
        "--relevance",
        type=relevance,
        default=Relevance(),
        metavar="model|constant|smoothed|experts",
        help="source of the probability that an unjudged document is relevant, for EAP: model, fitted to "
        "this campaign, of which EAP(calibrated) counts 0.3; or, after published ones, constant (0.5; or "
        "constant=P), smoothed (the smoothed rate of the judged) or experts (a regression on the runs' "
        "ranks) (default: model)",
    )


def check_relevance(measures: Iterable[Measure], relevance: Relevance) -> None:
    """CommandError for EAP(calibrated) under a model that nothing calibrated."""
    name = f"EAP({CALIBRATED})"
    if relevance.model != "model" and any(measure.name == name for measure in measures):
        raise CommandError(f"{name} needs --relevance model; EAP takes the others", returncode=2)


def gains(text: str) -> Gains | Path:
    """Parse a list of gains, or the file to read them from."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        if Path(text).is_file():
            return Path(text)
        why = "neither a list of numbers such as 0,0.5,1 nor a file"
        raise ArgumentTypeError(f"{text!r} is {why}") from None
    wrong = [value for value in values if not 0 <= value <= 1]
    if wrong:
        raise ArgumentTypeError(f"the gain {wrong[0]:g} is outside [0, 1]: divide gains by the highest")
    return dict(enumerate(values))


def relevance(text: str) -> Relevance:
    model, given, p = text.partition("=")
    if model not in RELEVANCE_MODELS or (given and model != "constant"):
        raise ArgumentTypeError(f"{text!r} is not model, constant, constant=P, smoothed or experts")
    return Relevance(model, probability(p)) if given else Relevance(model)


def one_of(kind: str, names: Collection[str]) -> Callable[[str], str]:
    """The type of an argument that takes one of these names: its error suggests the nearest."""

    def checked(name: str) -> str:
        if name not in names:
            raise ArgumentTypeError(unknown_name(kind, name, names))
        return name

    return checked


def measure(name: str) -> Measure:
    """One measure that is read from runs and qrels alone."""
    try:
        return the_measure(name, measures(name))
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def the_measure(name: str, several: Sequence[Measure]) -> Measure:
    """The one measure that a name has; ValueError for several, and for one that only evaluate takes."""
    if len(several) > 1:
        raise ValueError(f"{name!r} is {len(several)} measures: give one")
    if several[0].aggregation != "mean":
        raise ValueError(f"{several[0].name} is no mean over topics: only evaluate takes it")
    if needed := FILES_NEEDED.get(several[0].needs):
        raise ValueError(f"{several[0].name} reads {needed[1]}: evaluate {needed[0]} takes them")
    return several[0]


def measures(name: str) -> list[Measure]:
    try:
        return parse_measures(name)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def background(text: str) -> float | None:
    """None: to be fitted."""
    return None if text == FIT else probability(text)


def _number(kind: str, fits: Callable[[float], bool]) -> Callable[[str], float]:
    """The type of an argument that takes such numbers; none of them fits `nan`."""

    def checked(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = nan
        if not fits(value):
            raise ArgumentTypeError(f"{text!r} is not {kind}")
        return value

    return checked


probability = _number("a number in [0, 1]", lambda value: 0 <= value <= 1)
persistence = _number("a number inside (0, 1)", lambda value: 0 < value < 1)
share = _number("a share in (0, 1]", lambda value: 0 < value <= 1)
amount = _number("a number from 0 on", lambda value: 0 <= value < inf)
correlation = _number("a number in [-1, 1]", lambda value: -1 <= value <= 1)


def count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def file_of_type(name: str, types: Collection[str]) -> Path:
    if Path(name).suffix[1:] not in types:
        raise ArgumentTypeError(f"{name!r} does not end in {', '.join(f'.{each}' for each in types)}")
    return Path(name)


def seed(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{text!r} is not a whole number, 0 or above")
    return int(text)


def seeds(text: str) -> tuple[int, ...]:
    """7, 0,1,2 or 0-9, or several of these."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not dash or not first:
            numbers.append(seed(part))
        elif seed(last) - seed(first) not in range(MOST_SEEDS):
            raise ArgumentTypeError(f"{part!r} is not a range of up to {MOST_SEEDS} seeds such as 0-9")
        else:
            numbers += range(seed(first), seed(last) + 1)
    if len(set(numbers)) < len(numbers):
        raise ArgumentTypeError(f"{text!r} names a seed twice")
    return tuple(numbers)


def checkpoints(text: str) -> tuple[int, ...]:
    return tuple(sorted({count(part) for part in text.split(",")}))


def assessor_errors(text: str) -> AssessorErrors:
    rates = [probability(part) for part in text.split(",")]
    if len(rates) != 2:
        raise ArgumentTypeError(f"{text!r} is not two rates such as 0.2,0.05")
    return AssessorErrors(*rates)
