"""Campaigns replayed against known qrels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Unpack

from judged.collection import Notices, Reading, contributing_runs, method_options, read_collection, run_groups
from judged.qrels import QrelsSource
from judged.runs import RunsSource
from judged.sources import by_topic
from judged.tables import Row, Table, Value

if TYPE_CHECKING:
    from campaigns.management.offline.simulation import Simulation
    from campaigns.management.offline.stop_conditions import StopCondition


class Replay:
    """A replayed campaign.

    `result`: the JSON of the command `simulate`. `notices`: reasons for fewer judgments than asked for.
    """

    def __init__(self, simulation: Simulation, gains: Mapping[str, object], notices: Sequence[str]) -> None:
        self._simulation, self.notices = simulation, tuple(notices)
        self.result: dict[str, object] = simulation.as_dict() | dict(gains)

    @property
    def judged(self) -> int:
        """Number of judgments."""
        return len(self._simulation.replay.topics)

    @property
    def scores(self) -> Table[Row]:
        """RBP after the last judgment: run, base, residual and projected."""
        return Table(self._simulation.as_dict()["scores"], ("run",), Row, notices=self.notices)

    @property
    def checkpoints(self) -> Table[Row]:
        """The same after so many judgments: judged, bypassed, relevant, mean_residual, and the scores."""
        rows: list[dict[str, Value]] = [
            {**{name: value for name, value in point.items() if name != "scores"}, **scores}
            for point in self._simulation.as_dict().get("checkpoints", [])
            for scores in point["scores"]
        ]
        return Table(rows, ("judged", "run"), Row, spelled=_spelled)

    @property
    def order(self) -> Table[Row]:
        """Documents in the order served: place from 1, topic, docno and weight."""
        rows: list[dict[str, Value]] = [
            {"place": place, "topic": topic, "docno": docno, "weight": weight}
            for place, (topic, docno, weight) in enumerate(self._simulation.order(), 1)
        ]
        return Table(rows, ("topic", "docno"), Row)

    @property
    def qrels(self) -> dict[str, dict[str, float]]:
        """Judgments made, {topic: {docno: grade}}; of a random sample also its undrawn documents, as -1."""
        return by_topic(self._simulation.qrels())

    def __repr__(self) -> str:
        return f"Replay of {self._simulation.plan.method}: {self.judged} judgments"


def _spelled(column: str, key: object) -> Value:
    return int(str(key)) if column == "judged" else str(key)


def simulate(
    runs: RunsSource,
    qrels: QrelsSource,
    method: str = "C",
    *,
    judgments: int | None = None,
    per_topic: int | None = None,
    p: float = 0.8,
    scope: Literal["campaign", "topic"] = "campaign",
    batch: int = 1,
    unjudged: Literal["nonrelevant", "bypass"] = "nonrelevant",
    options: Mapping[str, object] | None = None,
    contributing: Iterable[str] | None = None,
    groups: Mapping[str, str] | None = None,
    checkpoints: Iterable[int] = (),
    until: str | None = None,
    test_every: int = 1,
    topic_method: str | None = None,
    release: int | None = None,
    assessor_errors: tuple[float, float] = (0.0, 0.0),
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Replay:
    """Replay a campaign: a method chooses documents, known qrels answer.

    The numbers are those of the command `simulate`, to the last bit.

    Parameters
    ----------
    runs : see `read_runs`
    qrels : see `read_qrels`
    method : selection method, see `next_documents`
    judgments, per_topic : the budget, exactly one of them: of the whole campaign, or of each topic
    p : persistence of RBP, inside (0, 1)
    scope, options, contributing, groups : as of `next_documents`
    batch : judgments after which the weights of B and C are computed again
    unjudged : whether documents that the qrels do not know are judged not relevant, or bypassed without cost
    checkpoints : numbers of judgments within the budget after which scores are kept, too
    until : condition to stop, such as "top-distinct" or "pairs=5", as of the command
    test_every : number of judgments between two checks of `until`
    topic_method, release : order in which topics are released one by one, and how many
    assessor_errors : shares of relevant documents graded not relevant, and of others graded relevant
    seed : of samples and assessor errors
    **reading : see `Reading`

    Raises
    ------
    FormatError
        For each wrong line or row.
    ValueError
        For an unknown method or option, or options that contradict each other.

    Examples
    --------
    >>> runs = {"A": {"1": {"d1": 2.0, "d2": 1.0}}, "B": {"1": {"d2": 3.0, "d3": 1.0}}}
    >>> replay = simulate(runs, {"1": {"d2": 1, "d1": 0}}, "A", judgments=2, p=0.5)
    >>> [row.docno for row in replay.order], replay.qrels, replay.scores["B"].base
    (['d2', 'd1'], {'1': {'d2': 1, 'd1': 0}}, 0.5)
    """
    from campaigns.management.offline.simulation import SimulationPlan, Simulator
    from campaigns.scoring.scored_topics import gains_used
    from evaluation.measure import RBP
    from selection.registry import check_options
    from selection.simulation.assessor_errors import AssessorErrors

    given = method_options(options, groups)
    check_options(method, given)
    if (judgments is None) == (per_topic is None):
        raise ValueError("give exactly one of judgments and per_topic")
    plan = SimulationPlan(
        method=method,
        p=p,
        scope=scope,
        batch=batch,
        unjudged=unjudged,
        judgments=judgments,
        per_topic=per_topic,
        options=given,
        seed=seed,
        until=None if until is None else _stop_condition(until),
        test_every=test_every,
        topic_method=topic_method,
        release=release,
        checkpoints=tuple(sorted(set(checkpoints))),
        assessor_errors=AssessorErrors(*assessor_errors),
    )
    notices = Notices()
    collection, grading = read_collection(runs, qrels, notices, **reading)
    plan.check(len(collection.topics), grading)
    chosen = contributing_runs(contributing, collection.runs)
    teams = run_groups(groups, collection.runs)
    simulation = Simulator(collection, plan, chosen, grading, teams).run(seed)
    for notice in simulation.notices():
        notices.add(notice)
    gains = gains_used(collection, grading, [RBP(p).name], notices.add)
    return Replay(simulation, gains, notices.warn())


def _stop_condition(text: str) -> StopCondition:
    from argparse import ArgumentTypeError

    from campaigns.management.offline.stop_conditions import stop_condition

    try:
        return stop_condition(text)
    except ArgumentTypeError as error:
        raise ValueError(str(error)) from None
