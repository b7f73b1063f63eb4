"""Why a document comes next, against the worker's own queue."""

from __future__ import annotations

from threading import Thread

import pytest
from django.db import connection

from campaigns.computing.tasks import recompute
from campaigns.core.database import consistent_reads
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Document, Interval, Judgment, Topic
from campaigns.results.queues import alternatives, explain_document, priorities_of, queue_view
from campaigns.setup import campaigns as campaign_services
from selection.registry import METHODS, method_entry
from tests.campaigns.computing.test_fold import judge_at_random
from tests.campaigns.factories import make_campaign

pytestmark = pytest.mark.django_db

# Those that need no texts.
RANKED = [name for name in METHODS if not method_entry(name).unranked]


def topic_of(campaign: Campaign, number: str = "1") -> Topic:
    return Topic.objects.get(campaign=campaign, number=number)


@pytest.mark.parametrize("method", RANKED)
@pytest.mark.parametrize("scope", ["campaign", "topic"])
def test_the_weight_explained_is_the_weight_queued(method: str, scope: str) -> None:
    campaign = make_campaign(method=method, scope=scope)
    judge_at_random(campaign, 12, seed=3)
    recompute(campaign.id)
    for number in ("1", "2"):
        topic = topic_of(campaign, number)
        view = queue_view(campaign=campaign, topic=topic, limit=50)
        assert view.current
        assert view.method == method
        for row in view.rows:
            found = explain_document(campaign=campaign, topic=topic, docno=row.docno)
            assert found.weight == pytest.approx(row.weight, rel=1e-11)
            assert found.inclusion == row.inclusion or row.inclusion is None


@pytest.mark.parametrize("method", ["B", "C"])
@pytest.mark.parametrize("scope", ["campaign", "topic"])
@pytest.mark.parametrize("judged", [3, 8, 11])
def test_within_a_batch_the_weights_explained_are_those_of_its_beginning(
    method: str, scope: str, judged: int
) -> None:
    campaign = make_campaign(method=method, scope=scope, batch=5)
    judge_at_random(campaign, judged, seed=3)
    recompute(campaign.id)
    applied = Judgment.objects.count()
    # The explanation goes no further than the queue.
    judge_at_random(campaign, 4, seed=5)
    for number in ("1", "2"):
        topic = topic_of(campaign, number)
        rows = queue_view(campaign=campaign, topic=topic, limit=50).rows
        found = [explain_document(campaign=campaign, topic=topic, docno=row.docno) for row in rows]
        assert [one.weight for one in found] == [row.weight for row in rows]
        for one in found:
            assert one.as_of == applied
            assert sum(run.share for run in one.behind) == pytest.approx(one.weight, rel=1e-11)
        priorities = priorities_of(campaign=campaign, topic=topic, limit=50)
        assert priorities.queue.rows == rows
        for row in rows:
            assert sum(run.share for run in priorities.behind(row)) == pytest.approx(row.weight, rel=1e-11)


@pytest.mark.django_db(transaction=True)
def test_an_explanation_reads_one_state_of_the_tables() -> None:
    campaign = make_campaign()

    def meanwhile() -> None:
        judge_at_random(campaign, 6, seed=2)
        recompute(campaign.id)
        connection.close()

    def read() -> tuple[int, list[float]]:
        intervals = Interval.objects.filter(topic__campaign=campaign).order_by("topic", "run")
        return Judgment.objects.count(), list(intervals.values_list("residual", flat=True))

    recompute(campaign.id)
    with consistent_reads():
        before = read()
        other = Thread(target=meanwhile)
        other.start()
        other.join()
        assert read() == before
    count, residuals = read()
    assert count > before[0] == 0
    assert residuals != before[1]


@pytest.mark.parametrize("scope", ["campaign", "topic"])
def test_shares_add_up_to_the_weight_of_method_c(scope: str) -> None:
    campaign = make_campaign(scope=scope)
    judge_at_random(campaign, 8, seed=1)
    recompute(campaign.id)
    topic = topic_of(campaign)
    for row in queue_view(campaign=campaign, topic=topic, limit=3).rows:
        found = explain_document(campaign=campaign, topic=topic, docno=row.docno)
        assert sum(behind.share for behind in found.behind) == pytest.approx(found.weight, rel=1e-11)
        assert [behind.share for behind in found.behind] == sorted(
            (behind.share for behind in found.behind), reverse=True
        )


def test_the_others_would_serve_what_they_serve_when_chosen() -> None:
    campaign = make_campaign(scope="topic")
    judge_at_random(campaign, 9, seed=7)
    recompute(campaign.id)
    foreseen = {one.method: one for one in alternatives(campaign=campaign, topic=topic_of(campaign))}
    assert set(foreseen) == set(METHODS) - {"C"}
    for method in set(RANKED) - {"C"}:
        campaign_services.change_settings(campaign=campaign, method=method)
        recompute(campaign.id)
        rows = queue_view(campaign=campaign, topic=topic_of(campaign), limit=1).rows
        assert foreseen[method].docno == (rows[0].docno if rows else ""), method


def test_a_document_of_no_run_has_no_reason() -> None:
    campaign = make_campaign()
    recompute(campaign.id)
    Document.objects.create(collection=campaign.collection, docno="elsewhere")
    for docno in ("elsewhere", "nowhere"):
        with pytest.raises(Refusal, match="no run retrieves"):
            explain_document(campaign=campaign, topic=topic_of(campaign), docno=docno)


def test_before_the_worker_has_computed_nothing_is_queued() -> None:
    view = queue_view(campaign=(campaign := make_campaign()), topic=topic_of(campaign), limit=5)
    assert (view.rows, view.current, view.remaining) == ([], False, 0)
