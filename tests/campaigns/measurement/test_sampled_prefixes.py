"""Method `sample` from the queue to the prels: its judged beginning, and what was judged before it."""

from __future__ import annotations

import io

import numpy as np
import pytest

from campaigns.collection.topics import set_method
from campaigns.computing.live import LiveCampaign
from campaigns.computing.tasks import recompute
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.prels import PrelMethod
from campaigns.formats.qrels import read_qrels
from campaigns.measurement.prels import current_prels
from campaigns.models import Campaign, Sample, Topic
from campaigns.setup.campaigns import change_settings
from selection.methods.sample import prefix_inclusion, sampling_sizes
from tests.campaigns.factories import Api, add_run, make_campaign

pytestmark = pytest.mark.django_db

LISTS = {
    "x": {"1": [f"d{n:02}" for n in range(40)], "2": [f"d{n:02}" for n in range(5)]},
    "y": {"1": [f"d{n:02}" for n in reversed(range(20))], "2": ["d03", "d09"]},
}
Lines = dict[tuple[str, str], tuple[int, PrelMethod, float]]


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Sampled", LISTS, method="sample", options={"size": 6})


def judge_served(campaign: Campaign, count: int, topic: str = "1") -> list[str]:
    """Judge what comes next, grade 1 for even documents; their docnos."""
    api, judged = Api(campaign, f"{campaign.name}-grace"), []
    for _ in range(count):
        recompute(campaign.id)
        reply = api.get("next/", topic=topic)
        if reply.status_code == 204:
            break
        docno = reply.json()["docno"]
        assert api.judge(topic, docno, int(docno[1:]) % 2).status_code == 201
        judged.append(docno)
    recompute(campaign.id)
    return judged


def load(campaign: Campaign, text: str) -> None:
    parsed = read_qrels(io.BytesIO(text.encode()), "known")
    organiser = campaign.memberships.get(role="organiser").user
    store_qrels(campaign=campaign, user=organiser, parsed=parsed, file="known")


def lines(campaign: Campaign) -> Lines:
    rows = current_prels(campaign=campaign)
    return {(row.topic, row.docno): (row.grade, row.method, row.inclusion) for row in rows}


def served(campaign: Campaign, topic: str = "1", limit: int = 50) -> list[str]:
    """What the topic's queue holds by now, best first."""
    campaign.refresh_from_db()
    live = LiveCampaign.from_rows(campaign)
    live.catch_up(known=0)
    index = live.plan.numbers.index(topic)
    ids = live.arrays.pools[index].documents[live.state.queue(index, limit).documents].tolist()
    names = dict(campaign.collection.documents.values_list("id", "docno"))
    return [names[id] for id in ids]


def test_a_topic_ends_with_its_sample(campaign: Campaign) -> None:
    planned = served(campaign)
    assert judge_served(campaign, 20) == planned
    assert len(planned) == 6
    assert not Sample.objects.exists()
    assert {docno for _, docno in lines(campaign)} == set(planned)
    # A topic whose documents are fewer is judged completely.
    judge_served(campaign, 20, "2")
    assert [lines(campaign)["2", docno][2] for docno in ("d00", "d04", "d09")] == [1.0, 1.0, 1.0]


def test_prels_hold_the_beginning_with_its_own_probabilities(campaign: Campaign) -> None:
    judged = judge_served(campaign, 4)
    live = LiveCampaign.from_rows(campaign)
    pool = live.arrays.pools[0]
    sizes = sampling_sizes(pool, live.arrays.contributing, campaign.p)
    names = dict(campaign.collection.documents.values_list("id", "docno"))
    chances = prefix_inclusion(sizes, 6, 4)
    by_docno = {
        names[id]: chance for id, chance in zip(pool.documents.tolist(), chances.tolist(), strict=True)
    }
    assert sum(chances) == pytest.approx(4)
    assert lines(campaign) == {
        ("1", docno): (int(docno[1:]) % 2, PrelMethod.SAMPLE, by_docno[docno]) for docno in judged
    }


def test_a_document_without_a_grade_ends_the_beginning(campaign: Campaign) -> None:
    judged = judge_served(campaign, 5)
    api = Api(campaign, "Sampled-grace")
    assert api.judge("1", judged[2], undo=True).status_code == 201
    assert {docno for _, docno in lines(campaign)} == set(judged[:2])
    assert api.judge("1", judged[2], reason="unreadable").status_code == 201
    assert {docno for _, docno in lines(campaign)} == set(judged[:2])
    assert api.judge("1", judged[2], 1).status_code == 201
    assert {docno for _, docno in lines(campaign)} == set(judged)


def test_what_was_judged_otherwise_counts_only_in_the_sample(campaign: Campaign) -> None:
    planned = served(campaign)
    others = [f"d{n:02}" for n in range(40) if f"d{n:02}" not in planned]
    load(campaign, f"1 0 {planned[0]} 1\n1 0 {others[0]} 1\n")
    assert {docno for _, docno in lines(campaign)} == {planned[0]}
    assert served(campaign) == planned[1:]


def test_a_late_run_keeps_the_numbers(campaign: Campaign) -> None:
    change_settings(campaign=campaign, options={"size": 8})
    before = served(campaign)
    # It gives the documents that it ranks other sizes, and no other number: of those that it does not rank,
    # the sizes shrink alike, so that their order stays.
    add_run(campaign, "late", {"1": ["d01", "d38", "new"]})
    kept = [docno for docno in served(campaign) if docno not in ("d01", "d38", "new")]
    assert kept == [docno for docno in before if docno in kept]
    assert len(kept) > 3


def sample_after(campaign: Campaign) -> list[str]:
    """Eight documents judged by another method, then the sample."""
    judged = judge_served(campaign, 8)
    change_settings(campaign=campaign, method="sample", options={"size": 6})
    return judged


def test_a_sample_after_another_method_leaves_its_documents_out() -> None:
    campaign = make_campaign("Sampled", LISTS, method="C")
    frozen = sample_after(campaign)
    assert set(Topic.objects.values_list("sampled_from", flat=True)) == {8}
    planned = served(campaign)
    assert len(planned) == 6
    assert not set(planned) & set(frozen)
    # One document was open already, by the other method.
    assert set(planned) <= set(judge_served(campaign, 10))
    held = lines(campaign)
    assert {docno: held["1", docno][1:] for docno in frozen} == dict.fromkeys(
        frozen, (PrelMethod.OTHERWISE, 1.0)
    )
    assert all(held["1", docno][1] == PrelMethod.SAMPLE for docno in planned)
    assert sum(held["1", docno][2] < 1 for docno in planned) > 2
    # Judgments that come otherwise from here on do not count.
    other = next(f"d{n:02}" for n in range(40) if ("1", f"d{n:02}") not in held)
    load(campaign, f"1 0 {other} 1\n")
    assert lines(campaign) == held


def test_a_second_sample_is_drawn_afresh() -> None:
    campaign = make_campaign("Sampled", LISTS, method="C")
    sample_after(campaign)
    first = served(campaign)
    change_settings(campaign=campaign, method="A")
    judge_served(campaign, 1)
    change_settings(campaign=campaign, method="sample", options={"size": 6})
    assert set(Topic.objects.values_list("sampled_from", flat=True)) == {9}
    assert served(campaign) != first


def test_a_topic_of_its_own_method_is_sampled_from_then_on() -> None:
    campaign = make_campaign("Sampled", LISTS, method="C")
    judge_served(campaign, 3)
    topic = Topic.objects.get(campaign=campaign, number="1")
    set_method(campaign=campaign, topics=[topic], method="sample", options={"size": 5})
    assert dict(Topic.objects.values_list("number", "sampled_from")) == {"1": 3, "2": None}
    # Other options draw no other sample.
    judge_served(campaign, 1)
    set_method(campaign=campaign, topics=[topic], method="sample", options={"size": 4})
    change_settings(campaign=campaign, method="sample")
    assert dict(Topic.objects.values_list("number", "sampled_from")) == {"1": 3, "2": 4}
    set_method(campaign=campaign, topics=[topic], method="")
    assert dict(Topic.objects.values_list("number", "sampled_from")) == {"1": 3, "2": 4}


def test_a_frozen_document_without_a_grade_may_be_drawn_again() -> None:
    campaign = make_campaign("Sampled", LISTS, method="C")
    frozen = sample_after(campaign)
    change_settings(campaign=campaign, options={"size": 40})
    assert not set(frozen) & set(served(campaign))
    assert Api(campaign, "Sampled-grace").judge("1", frozen[0], undo=True).status_code == 201
    assert frozen[0] in served(campaign)
    assert ("1", frozen[0]) not in lines(campaign)
    assert np.isclose(sum(line[2] for line in lines(campaign).values()), 7)
