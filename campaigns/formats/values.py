"""Runs and qrels whose columns are in memory, as those of a data frame: read as the lines of a file are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.conversion.rows import WrongValue, word_of
from campaigns.formats.errors import DOCNO_BYTES, TAG_BYTES, TOPIC_BYTES, ErrorList, breaks_path, quote
from campaigns.formats.qrels import JUNK, ParsedQrels, QrelRow, QrelsReport, qrels_of
from campaigns.formats.runs.columns import Columns, Words, compact
from campaigns.formats.runs.files import ParsedRun, run_of
from campaigns.formats.runs.reader import Order, RunReader
from campaigns.formats.runs.report import RunReport
from evaluation.measures.ordering import SCORE_TYPES, ScorePrecision

# Values of one column: of an array of numbers, or any objects.
Values = Sequence[object] | NDArray[Any]
NO_LABELS: Mapping[str, str] = {}
_LONGEST = {"topic": TOPIC_BYTES, "docno": DOCNO_BYTES, "tag": TAG_BYTES}
_LARGEST_RANK = 10**9 - 1


def runs_of_values(
    columns: Mapping[str, Values],
    name: str,
    *,
    tag: str,
    unit: str = "row",
    labels: Mapping[str, str] = NO_LABELS,
    order: Order = "score",
    score_precision: ScorePrecision = 64,
) -> list[ParsedRun]:
    """The runs that columns of equal length hold, in the order of their first rows.

    Parameters
    ----------
    columns : topic, docno, and score or rank; optionally tag, where there are several runs. Ranks alone order
        the documents.
    name : name of the whole, for errors.
    tag : name of the run where no column has tags.
    unit : word for what is counted from 1 in errors.
    labels : names of the columns by their roles, for errors.

    Raises
    ------
    FormatError : listing each value that is no name, or no finite number that a float of `score_precision`
        bits can hold, and each docno that a topic of a run lists twice; no rows at all.
    """
    errors = _errors(columns, name, unit, labels)
    words = {role: _words(role, columns[role], errors) for role in ("topic", "docno")}
    ranks = _ranks(columns["rank"], errors) if "rank" in columns else None
    scores = (
        -_checked(ranks) if "score" not in columns else _scores(columns["score"], errors, score_precision)
    )
    errors.raise_if_any()
    named = (np.zeros(len(scores), np.intp), [tag.encode()])
    if "tag" in columns:
        named = _words("tag", columns["tag"], errors)
        errors.raise_if_any()
    of_run, tags = named
    taken = Columns(
        _array(*words["topic"]),
        _array(*words["docno"]),
        np.zeros(len(scores), np.int32) if ranks is None else ranks,
        scores,
        _array(of_run, tags),
        np.zeros(len(scores), "S1"),
        0,
    )
    starts = np.argsort(of_run, kind="stable").astype(np.int32)
    pieces = np.split(starts, np.cumsum(np.bincount(of_run, minlength=len(tags)))[:-1])
    return [_run(taken, rows, errors, order, score_precision, has_ranks=ranks is not None) for rows in pieces]


def qrels_of_values(
    columns: Mapping[str, Values], name: str, *, unit: str = "row", labels: Mapping[str, str] = NO_LABELS
) -> ParsedQrels:
    """The judgments that columns of equal length hold: topic, docno and grade. For `unit` and `labels`, see
    `runs_of_values`.

    Raises FormatError listing each value that is no name or grade, and each row that contradicts an earlier
    one; no rows at all.
    """
    errors, report = _errors(columns, name, unit, labels), QrelsReport()
    (topics, topic_names), (docnos, docno_names) = (
        _words(role, columns[role], errors) for role in ("topic", "docno")
    )

    def rows() -> Iterator[QrelRow]:
        names = [name.decode() for name in topic_names], [name.decode() for name in docno_names]
        places = zip(topics.tolist(), docnos.tolist(), _listed(columns["grade"]), strict=True)
        for number, (topic, docno, value) in enumerate(places, 1):
            try:
                grade = _grade(value)
            except WrongValue as error:
                errors.add(number, str(error), error.role)
            else:
                report.lines += 1
                yield number, names[0][topic], names[1][docno], grade

    errors.raise_if_any()
    return qrels_of(rows(), errors, report)


class _ColumnErrors(ErrorList):
    """Errors that name the column that they are about."""

    def __init__(self, name: str, labels: Mapping[str, str]) -> None:
        super().__init__(name)
        self._labels = labels

    def add(self, line: int | None, detail: str, field: str = "") -> None:
        label = self._labels.get(field)
        super().add(line, f"{detail} (column {quote(label)})" if label else detail, field)


def _errors(columns: Mapping[str, Values], name: str, unit: str, labels: Mapping[str, str]) -> ErrorList:
    errors = _ColumnErrors(name, labels)
    errors.unit = unit
    if not len(next(iter(columns.values()))):
        raise errors.stopped(None, f"no {unit} in it")
    return errors


def _run(
    columns: Columns,
    rows: NDArray[np.int32],
    errors: ErrorList,
    order: Order,
    score_precision: ScorePrecision,
    *,
    has_ranks: bool,
) -> ParsedRun:
    report = RunReport()
    reader = RunReader(errors, report, lenient=False, order=order, score_precision=score_precision)
    docnos: Words = columns.docnos[rows]
    reader.add(
        Columns(
            columns.topics[rows],
            docnos if docnos.dtype == object else compact(docnos, int(np.char.str_len(docnos).sum())),
            columns.ranks[rows],
            columns.scores[rows],
            columns.tags[rows],
            columns.rank_words[rows],
            0,
        ),
        rows + np.int32(1),
    )
    run = run_of(reader, errors, report)
    if not has_ranks:
        report.ranks_all_zero = 0
    return run


def _listed(values: Values) -> list[object]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _words(role: str, values: Values, errors: ErrorList) -> tuple[NDArray[np.intp], list[bytes]]:
    """For each value the place of its word, and the distinct words."""
    listed = _listed(values)
    # Python holds 1, 1.0 and True for the same key.
    mixed = len(set(map(type, listed))) > 1
    keys: list[Any] = [(type(value), value) for value in listed] if mixed else listed
    try:
        places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    except TypeError:
        wrong = next(place for place, value in enumerate(listed, 1) if not isinstance(value, str | int))
        raise errors.stopped(
            wrong, f"{role} is neither text nor whole: {quote(repr(listed[wrong - 1]))}"
        ) from None
    of = np.fromiter(map(places.__getitem__, keys), np.intp, len(keys))
    if not mixed and isinstance(listed[0], str) and _are_names(places, _LONGEST[role]):
        return of, "\n".join(places).encode().split(b"\n")
    words: dict[str, int] = {}
    again = np.zeros(len(places), dtype=np.intp)
    for key, place in places.items():
        value = key[1] if mixed else key
        try:
            again[place] = words.setdefault(word_of(role, value), len(words))
        except WrongValue as error:
            for row in np.flatnonzero(of == place).tolist():
                errors.add(row + 1, str(error), error.role)
    return again[of], [word.encode() for word in words]


def _are_names(texts: Collection[str], longest: int) -> bool:
    """True if all texts can stand in a line; most are seen at once, in a tenth of the time of each alone."""
    joined = "".join(texts)
    return (
        joined.isascii()
        and joined.isprintable()
        and " " not in joined
        and "" not in texts
        and max(map(len, texts)) <= longest
        and not ("." in joined and any(map(breaks_path, texts)))
    )


def _array(of: NDArray[np.intp], words: Sequence[bytes]) -> Words:
    """Each word, as wide as the longest, rounded up to eight bytes."""
    width = -(-max(map(len, words)) // 8) * 8
    return np.array(words, dtype=f"S{width}")[of]


def _scores(values: Values, errors: ErrorList, precision: ScorePrecision) -> NDArray[np.float64]:
    numbers = _numbers("score", values, errors)
    with np.errstate(over="ignore"):
        held = np.isfinite(numbers.astype(SCORE_TYPES[precision]))
    for row in np.flatnonzero(~held).tolist():
        value = float(numbers[row])
        detail = f"score {value} is larger than a {precision}-bit float can hold"
        errors.add(
            row + 1, detail if np.isfinite(value) else f"score {value} is not a decimal number", "score"
        )
    return numbers


def _ranks(values: Values, errors: ErrorList) -> NDArray[np.int32]:
    numbers = _numbers("rank", values, errors)
    whole = np.abs(numbers) <= _LARGEST_RANK
    whole[whole] = numbers[whole] % 1 == 0
    for row in np.flatnonzero(~whole).tolist():
        errors.add(row + 1, f"rank {numbers[row]:g} is not a whole number of up to 9 digits", "rank")
    return np.where(whole, numbers, 0).astype(np.int32)


def _checked(ranks: NDArray[np.int32] | None) -> NDArray[np.float64]:
    if ranks is None:
        raise ValueError("neither scores nor ranks")
    return ranks.astype(np.float64)


def _numbers(role: str, values: Values, errors: ErrorList) -> NDArray[np.float64]:
    """The numbers of a column; 0 where it has another value, which is an error."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        return values.astype(np.float64)
    numbers = np.zeros(len(values))
    for row, value in enumerate(_listed(values)):
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
            detail = f"no {role}" if value is None else f"{role} {_quoted(value)} is not a decimal number"
            errors.add(row + 1, detail, role)
        else:
            numbers[row] = float(value)
    return numbers


def _quoted(value: object) -> str:
    return quote(value if isinstance(value, str) else repr(value))


def _grade(value: object) -> int | float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        raise WrongValue(
            "grade", "no grade" if value is None else f"grade {quote(repr(value))} is not a number"
        )
    number = float(value)
    if not np.isfinite(number):
        raise WrongValue("grade", f"grade {number} is not a number")
    grade = int(number) if number.is_integer() else number
    if grade < JUNK or (grade < 0 and not isinstance(grade, int)):
        raise WrongValue(
            "grade", f"grade '{value}' has no meaning: -1 is not judged, -2 is junk, nothing is lower"
        )
    return grade
