"""Topics that scores are averaged over, the gains they are computed from, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.formats.runs.report import RunReport
from campaigns.scoring.judged_collection import JudgedCollection
from evaluation.measure import Measure

TopicChoice = Literal["all", "judged"]
# Is given each sentence about the input that its owner should read.
Notify = Callable[[str], object]


def scored_topics(
    collection: JudgedCollection, qrels: str, topics: TopicChoice, notify: Notify
) -> JudgedCollection:
    """The collection with the topics to average over: all, or those with a judgment.

    Raises FormatError, naming the qrels, if they judge no topic of the runs.
    """
    if not any(topic.grades and topic.is_ranked for topic in collection.topics):
        raise FormatError(qrels, [LineError(None, "judges no topic of the runs")])
    open_ = collection.without_judgments
    if topics == "judged":
        collection = collection.only_judged()
    elif open_:
        notify(
            f"{len(open_)} of {len(collection.topics)} topics have no judgments and leave their whole "
            f"score open ({_some(open_)}); --topics judged leaves them out"
        )
    if lacking := collection.without_runs:
        notify(
            f"no run ranks a document for {len(lacking)} of {len(collection.topics)} topics "
            f"({_some(lacking)}): every list is empty there"
        )
    if unjudged := collection.unjudged_runs:
        notify(
            f"{len(unjudged)} of {len(collection.runs)} runs rank no judged document ({_some(unjudged)}): "
            "nothing is known of their scores"
        )
    return collection


def run_notices(
    files: Sequence[Path], names: Sequence[str], tags: Sequence[str], reports: Sequence[RunReport]
) -> Iterator[str]:
    """Sentences about files that may be misread, and runs that are named by their files."""
    for file, report in zip(files, reports, strict=True):
        if words := report.in_short():
            yield f"{file}: {words}"
    by_tag: dict[str, list[str]] = {}
    for tag, name in zip(tags, names, strict=True):
        by_tag.setdefault(tag, []).append(name)
    for tag, renamed in by_tag.items():
        if len(renamed) > 1:
            text = f"{len(renamed)} files have the tag '{tag}': their runs are named by their files"
            yield f"{text} ({_some(renamed)})"


def gains_used(
    collection: JudgedCollection, grading: Grading, measures: Sequence[str], notify: Notify
) -> dict[str, dict[str, float]]:
    """The gain of each grade, and a sentence if none were given.

    Empty if no grade is above 1, or none of `measures` (names) reads gains: nothing was chosen then.
    """
    if not measures or not collection.grades or collection.grades[-1] <= 1:
        return {}
    if grading.gains is None:
        notify(
            f"Gains of {_some(measures)}: 1 for grades 1 to {collection.grades[-1]}, 0 for lower ones "
            "(default). --gains gives each grade its own."
        )
    return {"gains": {str(grade): grading.gain(grade) for grade in collection.grades}}


def narrowest_scale(measures: Iterable[Measure]) -> Measure | None:
    """The measure that takes the fewest grades; None if all take any."""
    limited = [(each.highest_grade, each) for each in measures if each.highest_grade is not None]
    return min(limited, key=lambda one: one[0], default=(0, None))[1]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
