"""Compare the values of other evaluators' test suites with those of `evaluate`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.names import parse_measure
from tests.campaigns.management.offline.command_files import run_json
from tests.evaluation.peers import suites
from tests.evaluation.peers.suites import ALL, Case, Values

Suite = Callable[[Path], Iterator[Case]]
# The rows of the table, in order. The first four need no data beyond this folder.
SMALL_SUITES: dict[str, Suite] = {
    name: partial(suites.small_cases, name) for name in ("ir_measures", "pytrec_eval", "ranx", "cwl_eval")
}
TREC_EVAL_SUITES: dict[str, Suite] = {
    "trec_eval 10.0, its test files": suites.trec_eval_cases,
    "trec_eval 10.0, Cranfield": lambda folder: suites.collection_cases("cranfield"),
    "trec_eval 10.0, TREC-COVID round 1": lambda folder: suites.collection_cases("trec-covid-r1"),
}


@dataclass(frozen=True)
class Reason:
    """Why the values of some measures of a suite differ, or are not computed here."""

    suite: str
    measures: str
    why: str

    def covers(self, suite: str, measure: str) -> bool:
        return suite.startswith(self.suite) and re.fullmatch(self.measures, measure) is not None


REASONS = [
    Reason("cwl_eval", r"NERR\d+.*", "NERR8 to NERR11 are not computed here"),
    Reason("cwl_eval", r".*BPM-Dynamic.*", "the dynamic BPM is not computed here"),
    Reason("ranx", r"hits@5", "counts in the first k: `NumRelRet` counts whole rankings"),
    Reason(
        "trec_eval 10.0, its test files",
        r"rbp",
        "`rbp` scales gains by the lowest and highest grade of each topic, −1 included",
    ),
    Reason("trec_eval 10.0, its test files", r"11pt_avg_.*", "`11pt` has the eleven levels alone"),
    Reason("trec_eval 10.0", r"rbp_resid", "`rbp_resid` is 0 where all documents of a run are judged"),
]


@dataclass(frozen=True)
class Difference:
    """A value of a peer that `evaluate` does not give; `found` is None where it knows no such measure."""

    measure: str
    run: str
    topic: str
    expected: float
    found: float | None


@dataclass(frozen=True)
class Outcome:
    """The number of values compared, and those that differ, by reason ("" where none is known)."""

    compared: int
    differences: dict[str, list[Difference]]

    @property
    def equal(self) -> int:
        return self.compared - sum(map(len, self.differences.values()))


def compare_suite(name: str, cases: Iterable[Case]) -> Outcome:
    compared, differences = 0, dict[str, list[Difference]]()
    for case in cases:
        for difference, measure in _compared(case):
            compared += 1
            if difference is not None:
                why = next((reason.why for reason in REASONS if reason.covers(name, measure)), "")
                differences.setdefault(why, []).append(difference)
    return Outcome(compared, differences)


def _compared(case: Case) -> Iterator[tuple[Difference | None, str]]:
    """A difference, or None, for each value of the case, with its measure."""
    known = {measure: name for measure in {**case.values, **case.residuals} if (name := _known(measure))}
    found = _evaluated(case, sorted(set(known))) if known else {}
    for column, values in (("score", case.values), ("residual", case.residuals)):
        for measure, run, topic, expected in _cells(values):
            row = found.get((run, known.get(measure, ""), topic), {})
            value = row.get(column)
            same = value is not None and _same(value, expected, case.printed)
            yield None if same else Difference(measure, run, topic, expected, value), measure


def _cells(values: Values) -> Iterator[tuple[str, str, str, float]]:
    for measure, runs in values.items():
        for run, topics in runs.items():
            for topic, value in topics.items():
                yield measure, run, topic, value


def _known(measure: str) -> str:
    """The measure's name here; empty if there is none."""
    try:
        return parse_measure(measure).name
    except ValueError:
        return ""


def _same(value: float, expected: float, printed: bool) -> bool:
    """Equal as printed with four decimals, or as near as a number rounded to four decimals can be."""
    return f"{value:.4f}" == f"{expected:.4f}" if printed else abs(value - expected) <= 5e-5 + 1e-9


def _evaluated(case: Case, measures: list[str]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Rows of `evaluate` by run, measure and topic."""
    asked = [part for measure in measures for part in ("--measure", measure)]
    topics = {topic for values in (case.values, case.residuals) for *_, topic, _ in _cells(values)}
    options = [*case.options, *(["--per-topic"] if topics != {ALL} else [])]
    if case.subtopics:
        options += ["--subtopics", str(case.subtopics)]
    files = ["--runs", *case.runs, "--qrels", case.qrels]
    made = run_json("evaluate", *files, *asked, *options, "--no-cache")
    rows = made["scores"] + made.get("means", [])
    return {(row["run"], row["measure"], row.get("topic", ALL)): row for row in rows}


def table(outcomes: dict[str, Outcome]) -> str:
    """The rows *suite, cases, equal, not, and why* in Markdown."""
    lines = ["| suite | cases | equal | not, and why |", "|---|---|---|---|"]
    for name, outcome in outcomes.items():
        counts = Counter({why: len(found) for why, found in outcome.differences.items()})
        reasons = "; ".join(f"{count}: {why or 'no reason known'}" for why, count in counts.most_common())
        lines.append(f"| {name} | {outcome.compared:,} | {outcome.equal:,} | {reasons or '0'} |")
    return "\n".join(lines)
