"""Estimates from prels of method `sample`: against full judgments, all draws, wrong files, and the edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from campaigns.formats.grading import Grading
from campaigns.formats.prels import PrelMethod, SampledJudgment
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from campaigns.scoring.sampled_estimates import SampledEstimates, SampleMismatch, sampled_estimates
from campaigns.scoring.score_tables import score_runs
from evaluation.arrays import BoolArray, FloatArray
from evaluation.estimation.corrected import TooEarly
from evaluation.estimation.inclusion import sizes_at_ranks
from evaluation.names import parse_measure
from selection.methods.sample import prefix_inclusion

P = 0.8
RBP, GRADED = parse_measure("RBP(p=0.8)"), Grading.of_list([0.0, 0.5, 1.0])
MEASURES = ("RBP(p=0.8)", "RBP(p=0.5)", "P@10", "DCG@5", "nDCG@10", "AP")


def sizes_of(topic: JudgedTopic, contributing: BoolArray | None = None) -> FloatArray:
    lists = [
        ranking
        for place, ranking in enumerate(topic.rankings)
        if ranking is not None and (contributing is None or contributing[place])
    ]
    ranks = np.concatenate([np.arange(1, len(ranking) + 1) for ranking in lists])
    return sizes_at_ranks(np.concatenate(lists), ranks, len(topic.docnos), len(lists), P)


def sampled(
    topic: JudgedTopic,
    drawn: Sequence[int],
    size: int,
    *,
    frozen: Sequence[int] = (),
    contributing: BoolArray | None = None,
) -> JudgedTopic:
    """The topic with these documents as the judged beginning of a sample of `size`."""
    sizes = sizes_of(topic, contributing)
    sizes[list(frozen)] = 0.0
    chances = prefix_inclusion(sizes, size, len(drawn))
    prels = {
        topic.docnos[d]: SampledJudgment(int(topic.grades[topic.docnos[d]]), float(chances[d])) for d in drawn
    } | {
        topic.docnos[d]: SampledJudgment(int(topic.grades[topic.docnos[d]]), 1.0, int(PrelMethod.OTHERWISE))
        for d in frozen
    }
    return replace(topic, drawn=prels)


def make_topic(number: int, documents: int = 20, runs: int = 3, length: int = 20) -> JudgedTopic:
    """All documents graded 0, 1 or 2; each run ranks `length` of them."""
    random = np.random.default_rng(number)
    docnos = [f"d{n:03}" for n in range(documents)]
    rankings = [random.permutation(documents)[:length].astype(np.int32) for _ in range(runs)]
    grades = dict(zip(docnos, random.choice([0, 1, 2], documents, p=[0.5, 0.3, 0.2]).tolist(), strict=True))
    return JudgedTopic(f"t{number}", docnos, list(rankings), grades)


def serving_order(
    topic: JudgedTopic, size: int, seed: int, contributing: BoolArray | None = None
) -> list[int]:
    sizes = sizes_of(topic, contributing)
    certain = prefix_inclusion(sizes, size, size) >= 1
    with np.errstate(divide="ignore"):
        key = np.where(certain, -sizes, np.random.default_rng(seed).random(len(sizes)) / sizes)
    drawable = np.flatnonzero(sizes)
    return [int(d) for d in drawable[np.argsort(key[drawable])][:size]]


def collection(topics: Sequence[JudgedTopic]) -> JudgedCollection:
    return JudgedCollection(tuple("xyz"[: len(topics[0].rankings)]), tuple(topics))


def drawn_collection(count: int = 16, size: int = 8, seed: int = 0) -> JudgedCollection:
    made = [make_topic(number) for number in range(count)]
    return collection(
        [sampled(topic, serving_order(topic, size, seed + n), size) for n, topic in enumerate(made)]
    )


def scores(estimates: SampledEstimates) -> list[float]:
    return [run.score for run in estimates.runs if run.score is not None]


@pytest.mark.parametrize("grading", [GRADED, Grading()])
@pytest.mark.parametrize("name", MEASURES)
def test_what_is_judged_completely_scores_as_evaluate_does(name: str, grading: Grading) -> None:
    topics = [make_topic(number) for number in range(4)]
    complete = collection([sampled(topic, range(20), 20) for topic in topics])
    estimates = sampled_estimates(complete, parse_measure(name), grading)
    wanted = [row.scored.score for row in score_runs(complete, [parse_measure(name)], grading).means]
    assert scores(estimates) == pytest.approx(wanted, abs=1e-12)
    assert estimates.too_early is None
    if name != "AP":
        lows = [run.low for run in estimates.runs]
        assert lows == pytest.approx(wanted, abs=1e-9)
        assert all(pair.decided == (abs(pair.difference) > 1e-9) for pair in estimates.pairs())


@pytest.mark.parametrize("name", MEASURES)
def test_half_judged_by_another_method_is_counted_exactly(name: str) -> None:
    topics = [make_topic(number) for number in range(4)]
    frozen = [1, 4, 7, 8, 11, 19]
    rest = [d for d in range(20) if d not in frozen]
    complete = collection([sampled(topic, rest, 20, frozen=frozen) for topic in topics])
    wanted = [row.scored.score for row in score_runs(complete, [parse_measure(name)], GRADED).means]
    assert scores(sampled_estimates(complete, parse_measure(name), GRADED)) == pytest.approx(
        wanted, abs=1e-12
    )


def test_intervals_of_samples_cover_the_truth() -> None:
    made = [make_topic(number) for number in range(16)]
    truth = [row.scored.score for row in score_runs(collection(made), [RBP], GRADED).means]
    covered, decided, errors = [], [], []
    for seed in range(0, 3000, 100):
        estimates = sampled_estimates(drawn_collection(seed=seed), RBP, GRADED)
        for run, true in zip(estimates.runs, truth, strict=True):
            assert run.low is not None
            assert run.high is not None
            assert run.topics_low is not None
            covered.append(run.low <= true <= run.high)
            errors.append((run.score or 0.0) - true)
        for pair in estimates.pairs():
            at = ["xyz".index(name) for name in (pair.first, pair.second)]
            decided.append(abs(pair.difference - (truth[at[0]] - truth[at[1]])) <= pair.half_width)
    assert np.mean(covered) > 0.88
    assert np.mean(decided) > 0.88
    assert abs(np.mean(errors)) < 0.01


def test_every_sample_of_three_of_four_alike_is_right_on_average() -> None:
    """Four documents that weigh alike: all four samples of three, beside a topic that is judged completely.

    The model of a topic knows which of the others were drawn, and so the mean is the truth but for a little;
    over Poisson samples it is exact (tests of the kernel).
    """
    cycle = [np.roll(np.arange(4), shift).astype(np.int32) for shift in range(4)]
    grades = {"d0": 1, "d1": 0, "d2": 0, "d3": 1}
    four = JudgedTopic("four", list(grades), list(cycle), grades)
    whole, runs = sampled(replace(four, number="whole"), range(4), 4), tuple("wxyz")
    truth = [row.scored.score for row in score_runs(JudgedCollection(runs, (whole,)), [RBP], Grading()).means]
    found = []
    for drawn in combinations(range(4), 3):
        part = sampled(four, drawn, 3)
        assert [one.inclusion for one in (part.drawn or {}).values()] == pytest.approx([0.75] * 3)
        found.append(scores(sampled_estimates(JudgedCollection(runs, (part, whole)), RBP, Grading())))
    assert 2 * np.mean(found, axis=0) - truth == pytest.approx(truth, abs=0.005)


def test_a_wrong_probability_is_refused() -> None:
    right = drawn_collection()
    topic = right.topics[3]
    assert topic.drawn is not None
    docno, one = next((docno, one) for docno, one in topic.drawn.items() if one.inclusion < 1)
    wrong = replace(topic, drawn={**topic.drawn, docno: replace(one, inclusion=one.inclusion + 1e-5)})
    topics = (*right.topics[:3], wrong, *right.topics[4:])
    with pytest.raises(
        SampleMismatch, match=rf"topic t3, {docno}: its probability is .* in the prels"
    ) as error:
        sampled_estimates(replace(right, topics=topics), RBP, GRADED)
    assert (error.value.topic, error.value.docno) == ("t3", docno)
    assert error.value.stated - error.value.rebuilt == pytest.approx(1e-5)


def test_another_p_or_other_runs_are_refused() -> None:
    right = drawn_collection()
    with pytest.raises(SampleMismatch):
        sampled_estimates(right, RBP, GRADED, p=0.7)
    with pytest.raises(SampleMismatch):
        sampled_estimates(right, RBP, GRADED, contributing=np.array([True, True, False]))


def test_a_document_that_could_not_be_drawn_is_refused() -> None:
    right = drawn_collection()
    topic = right.topics[0]
    assert topic.drawn is not None
    more = replace(topic, drawn={**topic.drawn, "unknown": SampledJudgment(1, 0.5)})
    with pytest.raises(
        SampleMismatch, match=r"topic t0, unknown: its probability is 0\.5 in the prels and 0 by"
    ):
        sampled_estimates(replace(right, topics=(more, *right.topics[1:])), RBP, GRADED)


def test_topics_without_enough_are_left_out() -> None:
    right = drawn_collection()
    few = [sampled(topic, serving_order(topic, 8, n)[:2], 8) for n, topic in enumerate(right.topics[:2])]
    some = replace(right, topics=(*few, replace(right.topics[2], drawn=None), *right.topics[3:]))
    estimates = sampled_estimates(some, RBP, GRADED)
    assert estimates.topics == tuple(f"t{n}" for n in range(3, 16))
    assert estimates.left_out["t2"] == "no sample"
    assert set(estimates.left_out) == {"t0", "t1", "t2"}
    # Fewer than 15 topics say nothing of others like them.
    assert all(run.low is not None and run.topics_low is None for run in estimates.runs)


def test_only_certain_documents_are_no_sample() -> None:
    topic = make_topic(1)
    sizes = sizes_of(topic)
    size = next(size for size in range(1, 20) if (prefix_inclusion(sizes, size, size) >= 1).sum() >= 3)
    certain = [int(d) for d in np.argsort(-sizes)[:3]]
    one = sampled(topic, certain, size)
    estimates = sampled_estimates(collection([one, one]), RBP, GRADED)
    assert estimates.left_out == {"t1": "only documents that were certain to be drawn are judged"}
    assert [run.score for run in estimates.runs] == [None] * 3


def test_few_judgments_give_scores_without_intervals() -> None:
    estimates = sampled_estimates(drawn_collection(count=7), RBP, GRADED)
    assert estimates.too_early == TooEarly("topics", 7, 8)
    assert len(scores(estimates)) == 3
    assert all(run.low is None and run.topics_low is None for run in estimates.runs)
    assert estimates.pairs() == []
    assert sampled_estimates(drawn_collection(size=4), RBP, GRADED).too_early == TooEarly("judgments", 4, 5)


def test_weight_outside_the_population_is_added_or_refused() -> None:
    made = [make_topic(number, documents=60, length=40) for number in range(16)]
    contributing = np.array([True, True, False])
    topics = []
    for n, topic in enumerate(made):
        order = serving_order(topic, 10, n, contributing=contributing)
        topics.append(sampled(topic, order, 10, contributing=contributing))
    estimates = sampled_estimates(collection(topics), RBP, GRADED, contributing=contributing)
    first, _, other = estimates.runs
    assert first.beyond <= P**31 < 0.002
    assert first.low is not None
    assert first.high is not None
    assert first.score is not None
    assert first.high - first.score == pytest.approx(first.score - first.low + first.beyond)
    # The run that does not contribute ranks documents that could not be drawn.
    assert other.beyond > 0.01
    assert (other.score, other.low, other.high) == (None, None, None)
    assert [(pair.first, pair.second) for pair in estimates.pairs()] == [("x", "y")]
    # No run's first 60 ranks are within those that are drawn from.
    deep = sampled_estimates(collection(topics), parse_measure("P@60"), GRADED, contributing=contributing)
    assert [run.score for run in deep.runs] == [None] * 3


@pytest.mark.parametrize(
    "name", ["bpref", "infAP", "RR", "nDCG", "R@10", "RBP(p=0.8,ties=shared)", "P(rel=2)@5"]
)
def test_other_measures_have_no_estimate(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be estimated from a sample"):
        sampled_estimates(drawn_collection(), parse_measure(name), GRADED)


def test_kinds_of_measures_say_how_sure_they_are() -> None:
    known = drawn_collection()
    assert sampled_estimates(known, parse_measure("nDCG@10"), GRADED).approximate
    assert not sampled_estimates(known, RBP, GRADED).approximate
    points = sampled_estimates(known, parse_measure("AP"), GRADED)
    assert len(scores(points)) == 3
    assert all(run.low is None for run in points.runs)


def test_the_order_of_judging_and_what_was_removed_leave_no_trace() -> None:
    known = drawn_collection()
    turned = [replace(topic, drawn=dict(reversed([*(topic.drawn or {}).items()]))) for topic in known.topics]
    ours, theirs = (sampled_estimates(one, RBP, GRADED) for one in (known, collection(turned)))
    assert ours.runs == theirs.runs


@pytest.mark.parametrize("name", MEASURES)
def test_order_of_runs_changes_no_bit(name: str) -> None:
    topics = [make_topic(number, runs=9) for number in range(12)]
    contributing = np.arange(9) != 4
    drawn = [
        sampled(topic, serving_order(topic, 8, n, contributing), 8, contributing=contributing)
        for n, topic in enumerate(topics)
    ]
    given = JudgedCollection(tuple("ihgabcdef"), tuple(drawn))
    ours = sampled_estimates(given, parse_measure(name), GRADED, contributing=contributing)
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(9)
        shuffled = JudgedCollection(
            tuple(given.runs[run] for run in order),
            tuple(replace(topic, rankings=[topic.rankings[run] for run in order]) for topic in drawn),
        )
        theirs = sampled_estimates(shuffled, parse_measure(name), GRADED, contributing=contributing[order])
        assert theirs.runs == tuple(ours.runs[run] for run in order)
        assert theirs.planned == ours.planned
        pairs = {frozenset((one.first, one.second)): one for one in ours.pairs()}
        for one in theirs.pairs():
            same = pairs[frozenset((one.first, one.second))]
            assert (abs(one.difference), one.half_width) == (abs(same.difference), same.half_width)
