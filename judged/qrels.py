"""Judgments from files and from memory, read once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from judged.sources import AnyPath, Frame, NamedTuples, Nested, columns_of, paths_of
from judged.tables import Row, Table, Value, notice_table

if TYPE_CHECKING:
    from campaigns.formats.qrels import ParsedQrels

QrelsSource: TypeAlias = "Qrels | AnyPath | Nested | Frame | NamedTuples"


class Qrels(Mapping[str, dict[str, float]]):
    """Judgments as {topic: {docno: grade}}; -1 marks documents that the source gives as not judged.

    `parsed`: the same as the commands read it. `name`: of the source, in errors.
    """

    def __init__(self, parsed: ParsedQrels, name: str) -> None:
        self.parsed, self.name = parsed, name

    def __getitem__(self, topic: str) -> dict[str, float]:
        not_judged = dict.fromkeys(sorted(self.parsed.not_judged.get(topic, ())), -1)
        return {**self.parsed.grades[topic], **not_judged}

    def __iter__(self) -> Iterator[str]:
        return iter(self.parsed.grades)

    def __len__(self) -> int:
        return len(self.parsed.grades)

    @property
    def table(self) -> Table[Row]:
        """All judgments: topic, docno and grade."""
        rows: Iterator[dict[str, Value]] = (
            {"topic": topic, "docno": docno, "grade": grade}
            for topic, of_topic in self.items()
            for docno, grade in of_topic.items()
        )
        return Table(rows, ("topic", "docno"), Row)

    @property
    def report(self) -> Table[Row]:
        """Counts of what was noticed: what, count, and a sentence on it."""
        return notice_table([({}, self.parsed.report.as_rows())], ("what",))

    def __repr__(self) -> str:
        return f"{self.parsed.report.judgments} judgments of {len(self)} topics"


def read_qrels(qrels: QrelsSource) -> Qrels:
    """Read judgments from any source.

    Parameters
    ----------
    qrels : path; {topic: {docno: grade}}; data frame of pandas, polars or pyarrow; or Qrel of ir_measures or
        ir_datasets
        A data frame has columns of topics (`qid`, `query_id`, `topic` …), docnos (`docno`, `doc_id` …) and
        grades (`relevance`, `label`, `grade` …). Grade -1 is not judged, -2 is junk, and nothing is lower.

    Raises
    ------
    FormatError
        Listing each line or row that is wrong, or contradicts an earlier one.
    TypeError
        For another type of source.

    Examples
    --------
    >>> qrels = read_qrels({"401": {"d1": 1, "d2": 0, "d3": -1}})
    >>> qrels["401"], qrels
    ({'d1': 1, 'd2': 0, 'd3': -1}, 2 judgments of 1 topics)
    """
    from campaigns.formats.qrels import read_qrels as read_file
    from campaigns.formats.values import qrels_of_values

    if isinstance(qrels, Qrels):
        return qrels
    if paths := paths_of(qrels):
        if len(paths) > 1:
            raise TypeError(f"qrels are one file, and {len(paths)} are given")
        return Qrels(read_file(paths[0], str(paths[0]), fractions=True), str(paths[0]))
    columns = columns_of(qrels, "qrels")
    parsed = qrels_of_values(columns.values, columns.name, unit=columns.unit, labels=columns.labels)
    return Qrels(parsed, columns.name)
