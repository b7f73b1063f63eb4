"""A campaign replayed from files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.formats.prels import PrelMethod
from campaigns.formats.qrels import NOT_JUDGED, Grade
from campaigns.management.offline.stop_conditions import StopCondition
from campaigns.management.offline.topic_lists import known_relevance, pooled_relevance, topic_setting
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.strata import NOT_POOLED
from selection.framework.interface import SelectionScope, StatapSample
from selection.framework.options import make_options
from selection.methods.alternation import AlternatingMethod
from selection.methods.random import PoolDepth, pooled_indices
from selection.methods.sample import SampleOptions, judged_prefix
from selection.methods.statap import prels_of
from selection.methods.strata import DrawnStrata, StrataOptions, draw_strata, judged_sample
from selection.pool import TopicPool, build_topic_pool
from selection.randomness import topic_key
from selection.simulation.assessor_errors import NO_ERRORS, AssessorErrors
from selection.simulation.replay import Checkpoint, Release, Replay, UnjudgedPolicy, replay
from selection.specification import CampaignSpec, MethodSpec
from selection.state import CampaignState
from selection.topics.lists import POOL_DEPTH
from selection.topics.methods import TOPIC_METHODS, make_topic_method

COUNTS = ("judged", "bypassed", "relevant", "mean_residual")
SCORES = ("base", "residual", "projected")


@dataclass(frozen=True)
class SimulationPlan:
    """Plan of a simulation; exactly one of `judgments` and `per_topic` is given."""

    method: str
    p: float
    scope: SelectionScope
    batch: int
    unjudged: UnjudgedPolicy
    judgments: int | None
    per_topic: int | None
    options: Mapping[str, str]
    seed: int
    until: StopCondition | None
    test_every: int
    topic_method: str | None = None
    release: int | None = None
    checkpoints: tuple[int, ...] = ()
    assessor_errors: AssessorErrors = NO_ERRORS

    def budget(self, topics: int) -> int:
        """Judgments of the whole campaign."""
        return self.judgments or (self.per_topic or 0) * min(self.release or topics, topics)

    def check(self, topics: int, grading: Grading) -> None:
        """Raise ValueError for a checkpoint that is never reached, and gains that a replay cannot have."""
        if beyond := [point for point in self.checkpoints if point > self.budget(topics)]:
            raise ValueError(f"checkpoint {beyond[0]} is above the budget of {self.budget(topics)} judgments")
        if (gain := (grading.gains or {}).get(0, 0.0)) > 0:
            raise ValueError(
                f"the gains give grade 0 the gain {gain:g}: a replay needs 0 there, because documents that "
                "the qrels do not know count as not relevant"
            )


@dataclass(frozen=True, eq=False)
class Simulation:
    """One replay. The grades in `campaign` are those that the assessor gives, `misjudged` of them wrong."""

    campaign: JudgedCollection
    plan: SimulationPlan
    contributing: BoolArray
    replay: Replay
    misjudged: int
    seconds: float
    groups: IntArray | None = None

    def as_dict(self) -> dict[str, Any]:
        result = {
            "method": self.plan.method,
            "p": self.plan.p,
            "scope": self.plan.scope,
            "batch": self.plan.batch,
            **_counts(self.replay.end),
            "seconds": round(self.seconds, 3),
            "scores": self._scores(self.replay.end),
            "options": dict(self.plan.options),
            "seed": self.plan.seed,
        }
        if self.plan.checkpoints:
            result["checkpoints"] = [
                _counts(point) | {"scores": self._scores(point)} for point in self.replay.checkpoints
            ]
        if self.plan.assessor_errors != NO_ERRORS:
            result["assessor_errors"] = asdict(self.plan.assessor_errors) | {"misjudged": self.misjudged}
        if self.replay.released is not None:
            result["topic_method"] = self.plan.topic_method
            result["released"] = [self.campaign.topics[topic].number for topic in self.replay.released]
        if self.plan.until is not None:
            result["stopped"] = {
                "until": self.plan.until.text,
                "test_every": self.plan.test_every,
                "passed": self.replay.passed,
                "at": len(self.replay.topics) if self.replay.passed else None,
            }
            if self.plan.until.presumes:
                result["stopped"]["topics_without_judgment"] = self._topics_without_judgment()
        return result

    def _scores(self, point: Checkpoint) -> list[dict[str, Any]]:
        columns = (part.tolist() for part in (*point.means(), point.projections()))
        return [
            dict(zip(("run", *SCORES), row, strict=True))
            for row in zip(self.campaign.runs, *columns, strict=True)
        ]

    def notices(self) -> list[str]:
        """Reasons for fewer judgments or checkpoints than requested, and why to doubt the stop test."""
        judged, budget = len(self.replay.topics), self.plan.budget(len(self.campaign.topics))
        notices = []
        if judged < budget and not self.replay.passed:
            notices.append(f"{self.plan.method} had no document left after {judged} of {budget} judgments")
        if beyond := [str(point) for point in self.plan.checkpoints if point > judged]:
            notices.append(
                f"the replay ended after {judged} judgments, before {', '.join(beyond)} of --checkpoints"
            )
        until, left = self.plan.until, self._topics_without_judgment()
        if until is not None and until.presumes and left:
            notices.append(
                f"{left} of {len(self.campaign.topics)} topics have no judgment: there, {until.text} "
                "presumes the relevance of all documents"
            )
        return notices

    def _topics_without_judgment(self) -> int:
        return len(self.campaign.topics) - len(np.unique(self.replay.topics))

    def order(self) -> Iterator[tuple[str, str, float]]:
        """Topic, docno and weight of what was judged, in the order chosen."""
        made = self.replay
        for topic, document, weight in zip(made.topics, made.documents, made.weights, strict=True):
            yield (*self._names(int(topic), int(document)), float(weight))

    def qrels(self) -> Iterator[tuple[str, str, Grade]]:
        """Judged documents with their grades, topics together; 0 where the qrels did not know one. A random
        sample also yields the documents that it was drawn from and that are not judged, as -1: infAP needs
        them."""
        made = self.replay
        for place in np.argsort(made.topics, kind="stable"):
            topic = int(made.topics[place])
            number, docno = self._names(topic, int(made.documents[place]))
            yield number, docno, self.campaign.topics[topic].grades.get(docno, 0)
        if self.plan.method == "random":
            yield from self._pooled_only()

    def _pooled_only(self) -> Iterator[tuple[str, str, int]]:
        depth = make_options(PoolDepth, self.plan.options, "random").depth
        judged = set(zip(self.replay.topics.tolist(), self.replay.documents.tolist(), strict=True))
        for topic, pool in enumerate(self.replay.state.pools):
            for document in pooled_indices(pool, self.contributing, depth).tolist():
                if (topic, document) not in judged:
                    yield (*self._names(topic, document), NOT_JUDGED)

    def prels(self) -> Iterator[tuple[str, str, int, PrelMethod, float]]:
        """Judged documents, topics together, with the grade, the method that asked for each and the
        probability with which it was drawn; 1 outside the samples."""
        if self.plan.method == "sample":
            yield from self._sampled_prels()
            return
        made, again = self.replay, self._reopened()
        for topic in np.unique(made.topics).tolist():
            places = made.documents[made.topics == topic]
            pool = made.state.pools[topic]
            method = again.alternative(topic, MethodSpec(self.plan.method, self.plan.options))
            by_mtc = method.asked_by_mtc(topic) if isinstance(method, AlternatingMethod) else ()
            asked = np.array(sorted(by_mtc), dtype=np.int64)
            drawn = self._judged_strata(topic) or made.state.sample(topic)
            prels = prels_of(pool.documents[places], drawn, pool.documents[asked])
            rows = zip(places.tolist(), prels.methods.tolist(), prels.inclusion.tolist(), strict=True)
            for document, method, inclusion in rows:
                number, docno = self._names(topic, document)
                grade = self.campaign.topics[topic].grades.get(docno, 0)
                yield number, docno, grade, PrelMethod(method), inclusion

    def _sampled_prels(self) -> Iterator[tuple[str, str, int, PrelMethod, float]]:
        """The judged beginning of each topic's sample."""
        size, setting = (
            make_options(SampleOptions, self.plan.options, "sample").size,
            self.replay.state.setting,
        )
        for topic, pool in enumerate(setting.pools):
            known = np.zeros(len(pool), dtype=np.bool_)
            known[list(setting.judgments.judged_in(topic))] = True
            drawn, inclusion = judged_prefix(setting, topic, size, known)
            for document, chance in zip(drawn.tolist(), inclusion.tolist(), strict=True):
                number, docno = self._names(topic, document)
                grade = self.campaign.topics[topic].grades.get(docno, 0)
                yield number, docno, int(grade), PrelMethod.SAMPLE, chance

    def _judged_strata(self, topic: int) -> StatapSample | None:
        """The sample with the probabilities of what is judged; None unless strata serve the topics."""
        if self.plan.method != "strata":
            return None
        judged = np.zeros(len(self.replay.state.pools[topic]), dtype=np.bool_)
        judged[self.replay.documents[self.replay.topics == topic]] = True
        return judged_sample(
            self.replay.state.pools[topic], self._drawn(topic), judged, np.zeros_like(judged)
        )

    def _drawn(self, topic: int) -> DrawnStrata:
        options = make_options(StrataOptions, self.plan.options, "strata")
        return draw_strata(self.replay.state.setting, topic, options)

    def strata(self) -> Iterator[tuple[str, str, int, Grade | None]]:
        """Every document of the strata with its stratum, from 1, and its grade if it is judged."""
        judged = set(zip(self.replay.topics.tolist(), self.replay.documents.tolist(), strict=True))
        for topic, known in enumerate(self.campaign.topics):
            for document, stratum in enumerate(self._drawn(topic).strata.tolist()):
                if stratum == NOT_POOLED:
                    continue
                number, docno = self._names(topic, document)
                grade = known.grades.get(docno, 0) if (topic, document) in judged else None
                yield number, docno, stratum + 1, grade

    def _reopened(self) -> CampaignState:
        """The same judgments, no topic closed: MTC passes over what a closed topic leaves unjudged."""
        state, setting = self.replay.state, self.replay.state.setting
        again = CampaignState(
            state.pools,
            CampaignSpec(
                runs=setting.runs,
                p=setting.p,
                method=self.plan.method,
                scope=setting.scope,
                contributing=setting.contributing,
                groups=self.groups,
                options=self.plan.options,
                seed=setting.seed,
                keys=setting.keys,
            ),
        )
        if self.plan.unjudged == "bypass":
            for topic, known in enumerate(self.campaign.topics):
                for document, place in enumerate(state.pools[topic].documents.tolist()):
                    if known.docnos[place] not in known.grades:
                        again.pass_over(topic, document)
        judged = {topic: setting.judgments.judged_in(topic) for topic in range(len(state.pools))}
        again.restore(state.base, state.residual, judged)
        return again

    def unjudged_in_samples(self) -> int:
        """Number of documents drawn and not judged: without them the probabilities are too high."""
        state, left = self.replay.state, 0
        for topic, pool in enumerate(state.pools):
            drawn = state.sample(topic)
            judged = state.setting.judgments.judged_in(topic)
            if drawn is not None:
                left += int((~np.isin(drawn.documents, pool.documents[list(judged)])).sum())
        return left

    def _names(self, topic: int, document: int) -> tuple[str, str]:
        known = self.campaign.topics[topic]
        return known.number, known.docnos[self.replay.state.pools[topic].documents[document]]


def _counts(point: Checkpoint) -> dict[str, Any]:
    mean_residual = float(np.mean(point.means()[1]))
    return dict(zip(COUNTS, (point.judged, point.bypassed, point.relevant, mean_residual), strict=True))


def _release(campaign: JudgedCollection, plan: SimulationPlan, grading: Grading) -> Release:
    """Topics by a method that learns from what was judged of those before; the oracle from all qrels."""
    setting = topic_setting(campaign, seed=plan.seed)
    assert plan.topic_method is not None
    method = make_topic_method(plan.topic_method, setting)
    most = min(plan.release or len(campaign.topics), len(campaign.topics))
    beforehand: list[int] = []
    if TOPIC_METHODS[plan.topic_method].complete:
        judged = {
            place: np.nan_to_num(relevance)
            for place, relevance in known_relevance(campaign, grading, POOL_DEPTH).items()
        }
        beforehand = [choice.topic for choice in method.choose([], judged, most)]

    def release(state: CampaignState, released: Sequence[int]) -> int | None:
        if len(released) == most:
            return None
        if beforehand:
            return beforehand[len(released)]
        judged = {topic: _judged(campaign.topics[topic], state, topic) for topic in released}
        return method.choose(released, judged, 1)[0].topic

    return release


def _judged(topic: JudgedTopic, state: CampaignState, place: int) -> FloatArray:
    gains = np.full(len(topic.docnos), np.nan)
    for document, gain in state.setting.judgments.judged_in(place).items():
        gains[state.pools[place].documents[document]] = gain
    return pooled_relevance(topic, POOL_DEPTH, gains.__getitem__)


@dataclass(frozen=True, eq=False)
class Simulator:
    """A campaign that is replayed once or, with several seeds, many times."""

    campaign: JudgedCollection
    plan: SimulationPlan
    contributing: BoolArray
    grading: Grading
    groups: IntArray | None = None

    @cached_property
    def pools(self) -> list[TopicPool]:
        return [
            build_topic_pool(topic.rankings, self.plan.p, self.contributing) for topic in self.campaign.topics
        ]

    def run(self, seed: int, progress: Callable[[int], object] = lambda judged: None) -> Simulation:
        plan, pools = replace(self.plan, seed=seed), self.pools
        campaign = judged_with_errors(self.campaign, plan.assessor_errors, self.grading, seed)
        gains = [
            topic.gains(self.grading)[pool.documents]
            for topic, pool in zip(campaign.topics, pools, strict=True)
        ]
        started = time.perf_counter()
        made = replay(
            pools,
            gains,
            CampaignSpec(
                runs=len(campaign.runs),
                p=plan.p,
                method=plan.method,
                scope=plan.scope,
                contributing=self.contributing,
                groups=self.groups,
                batch=plan.batch,
                options=plan.options,
                seed=seed,
                keys=[topic_key(topic.number) for topic in campaign.topics],
            ),
            judgments=plan.judgments,
            per_topic=plan.per_topic,
            unjudged=plan.unjudged,
            until=None if plan.until is None else plan.until.test(campaign.runs),
            test_every=plan.test_every,
            release=None if plan.topic_method is None else _release(campaign, plan, self.grading),
            checkpoints=plan.checkpoints,
            progress=progress,
        )
        seconds = time.perf_counter() - started
        misjudged = _misjudged(self.campaign, campaign, made)
        return Simulation(campaign, plan, self.contributing, made, misjudged, seconds, self.groups)


def judged_with_errors(
    campaign: JudgedCollection, errors: AssessorErrors, grading: Grading, seed: int
) -> JudgedCollection:
    """The campaign with the grades of an assessor who errs about documents of the qrels. A document that is
    wrongly graded relevant has the lowest relevant grade of the qrels."""
    if errors == NO_ERRORS:
        return campaign
    grades = {grade for topic in campaign.topics for grade in topic.grades.values()}
    lowest = min((grade for grade in grades if grading.gain(grade) > 0), default=1)

    def judged(topic: JudgedTopic, docno: str, grade: Grade) -> Grade:
        relevant = grading.gain(grade) > 0
        if not errors.errs(relevant, topic.number, docno, seed):
            return grade
        return 0 if relevant else lowest

    topics = [
        replace(topic, grades={docno: judged(topic, docno, grade) for docno, grade in topic.grades.items()})
        for topic in campaign.topics
    ]
    return JudgedCollection(campaign.runs, tuple(topics))


def _misjudged(true: JudgedCollection, given: JudgedCollection, made: Replay) -> int:
    """Number of wrong judgments."""
    if given is true:
        return 0
    count = 0
    for topic, document in zip(made.topics.tolist(), made.documents.tolist(), strict=True):
        docno = true.topics[topic].docnos[made.state.pools[topic].documents[document]]
        count += true.topics[topic].grades.get(docno) != given.topics[topic].grades.get(docno)
    return count
