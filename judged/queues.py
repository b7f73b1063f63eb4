"""Documents to judge next: at once, or one after the other as they are judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, Unpack

from judged.collection import Notices, Reading, contributing_runs, method_options, read_collection, run_groups
from judged.qrels import QrelsSource
from judged.runs import RunsSource
from judged.tables import Row, Table, Value

if TYPE_CHECKING:
    from campaigns.scoring.selection_state import Selection

Options = Mapping[str, object]


class NextRow(Row):
    """A document to judge. `weight` compares documents of this table; `inclusion` is the probability with
    which it was drawn, None where nothing is drawn."""

    __slots__ = ()
    place: int
    topic: str
    docno: str
    weight: float
    inclusion: float | None


class NextDocument(NamedTuple):
    """A document to judge, with the weight that its method gives it."""

    topic: str
    docno: str
    weight: float


def next_documents(
    runs: RunsSource,
    qrels: QrelsSource | None = None,
    method: str = "C",
    k: int = 100,
    *,
    per_topic: int | None = None,
    topic: str | Iterable[str] = (),
    p: float = 0.8,
    scope: Literal["campaign", "topic"] = "campaign",
    options: Options | None = None,
    contributing: Iterable[str] | None = None,
    groups: Mapping[str, str] | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Table[NextRow]:
    """Choose the documents to judge next, given runs and what is judged of them so far.

    Parameters
    ----------
    runs : see `read_runs`
    qrels : judgments so far, see `read_qrels`; none by default
    method : a selection method, such as "pooling", "A", "C", "mtc", "statap" or "random"
    k : number of documents, of all topics together
    per_topic : number of documents of each topic, in place of k
    topic : topics to serve; all by default
    p : persistence of RBP, inside (0, 1)
    scope : whether a run's scores in the whole campaign, or on the document's topic, weigh its documents
    options : options of the method, such as {"depth": 50}
    contributing : names of the runs whose documents are chosen; all by default
    groups : the team of each run, for the option run_weights=team
    seed : of what is drawn
    **reading : see `Reading`

    Returns
    -------
    Table
        place from 1, topic, docno, weight and inclusion: the order in which the documents would be served if
        none of them were judged meanwhile. Fewer than k if no more are left.

    Raises
    ------
    FormatError
        For each wrong line or row.
    ValueError
        For an unknown method, option, topic or run.

    Examples
    --------
    >>> runs = {"A": {"1": {"d1": 2.0, "d2": 1.0}}, "B": {"1": {"d2": 3.0, "d3": 1.0}}}
    >>> [row.docno for row in next_documents(runs, {"1": {"d2": 0}}, "A", p=0.5)]
    ['d1', 'd3']
    """
    if k < 1 or (per_topic is not None and per_topic < 1):
        raise ValueError(f"{k if per_topic is None else per_topic} documents; ask for 1 or more")
    notices = Notices()
    selection = _selection(
        runs, qrels, notices, method, p, scope, options, contributing, groups, seed, **reading
    )
    chosen = selection.next(k, per_topic, [topic] if isinstance(topic, str) else list(topic))
    rows: list[dict[str, Value]] = [{"place": place, **one._asdict()} for place, one in enumerate(chosen, 1)]
    return Table(rows, ("place",), NextRow, notices=notices.warn(), spelled=lambda column, key: int(str(key)))


class Queue:
    """The documents of a judging loop: `next` gives one, `judge` takes its grade.

    Parameters and errors are those of `next_documents`. `qrels` has all judgments, those given at first too.

    Examples
    --------
    >>> queue = Queue({"A": {"1": {"d1": 2.0, "d2": 1.0}}, "B": {"1": {"d2": 3.0}}}, method="C", p=0.5)
    >>> queue.next()
    NextDocument(topic='1', docno='d2', weight=0.09375)
    >>> queue.judge("1", "d2", 0)
    >>> queue.next().docno, queue.qrels
    ('d1', {'1': {'d2': 0}})
    >>> [row.run for row in queue.explain("1", "d1")]
    ['A']
    """

    def __init__(
        self,
        runs: RunsSource,
        qrels: QrelsSource | None = None,
        method: str = "C",
        *,
        p: float = 0.8,
        scope: Literal["campaign", "topic"] = "campaign",
        options: Options | None = None,
        contributing: Iterable[str] | None = None,
        groups: Mapping[str, str] | None = None,
        seed: int = 0,
        **reading: Unpack[Reading],
    ) -> None:
        notices = Notices()
        self._selection = _selection(
            runs, qrels, notices, method, p, scope, options, contributing, groups, seed, **reading
        )
        self.notices = notices.warn()
        self.qrels: dict[str, dict[str, float]] = {
            topic.number: dict(topic.grades) for topic in self._selection.collection.topics if topic.grades
        }

    def next(self, topic: str | None = None) -> NextDocument | None:
        """The document to judge next, of a topic if one is named; None if none is left."""
        if topic is None:
            best = self._selection.best()
        else:
            best = next(iter(self._selection.in_topic(topic, 1)), None)
        return None if best is None else NextDocument(best.topic, best.docno, best.weight)

    def judge(self, topic: str, docno: str, grade: float | None) -> None:
        """Take a judgment, or replace an earlier one; None takes it back.

        Raises ValueError for a document that no run ranks in the topic, and a grade without a gain.
        """
        self._selection.judge(topic, docno, grade)
        if grade is None:
            self.qrels.get(topic, {}).pop(docno, None)
        else:
            self.qrels.setdefault(topic, {})[docno] = grade

    def explain(self, topic: str, docno: str) -> Table[Row]:
        """The runs that ask for a document, the largest share of its weight first: run, rank and share."""
        why = self._selection.explain(topic, docno)
        rows: list[dict[str, Value]] = [
            {"run": run, "rank": rank, "share": share} for run, rank, share in why
        ]
        return Table(rows, ("run",), Row)


def _selection(
    runs: RunsSource,
    qrels: QrelsSource | None,
    notices: Notices,
    method: str,
    p: float,
    scope: Literal["campaign", "topic"],
    options: Options | None,
    contributing: Iterable[str] | None,
    groups: Mapping[str, str] | None,
    seed: int,
    **reading: Unpack[Reading],
) -> Selection:
    from campaigns.scoring.selection_state import Selection, SelectionPlan

    plan = SelectionPlan(method, p, scope, method_options(options, groups), seed)
    collection, grading = read_collection(runs, qrels, notices, scored=False, **reading)
    teams = run_groups(groups, collection.runs)
    return Selection(collection, grading, plan, contributing_runs(contributing, collection.runs), teams)
