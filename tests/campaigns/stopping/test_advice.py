"""What is said about stopping: against the kernels asked directly, against every way that unjudged documents
could turn out, and as the real worker writes it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest

from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.core.database import ALL_CAMPAIGNS, Space
from campaigns.core.recompute_queue import request_recompute
from campaigns.models import Advice, Campaign
from campaigns.predictions import decided_pairs
from campaigns.setup import campaigns as services
from campaigns.stopping import advice_computation, tasks
from campaigns.stopping.advice import stopping_advice_of
from campaigns.stopping.advice_content import AdviceContent
from campaigns.stopping.tasks import advise, campaigns_to_advise
from tests.campaigns.factories import Api, Lists, make_campaign
from tests.campaigns.stopping.stopping_look import NEARLY_EQUAL, look, panel
from tests.plumbing.idle import wait_for, wait_until_idle
from tests.plumbing.locks import held_elsewhere


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


def completions(lists: Lists, known: dict[tuple[str, str], float], p: float) -> Iterator[dict[str, float]]:
    """Every run's mean RBP for each way in which the unjudged documents can turn out, all or nothing; what
    follows a ranking's end adds nothing, or all that it could."""
    topics = sorted({topic for run in lists.values() for topic in run})
    open_ = sorted(
        {(t, d) for run in lists.values() for t, docnos in run.items() for d in docnos} - known.keys()
    )
    for gains in itertools.product((0.0, 1.0), repeat=len(open_)):
        truth = known | dict(zip(open_, gains, strict=True))
        for tails in itertools.product((0.0, 1.0), repeat=len(lists)):
            yield {
                run: sum(rbp([truth[t, d] for d in lists[run].get(t, [])], p, tail) for t in topics)
                / len(topics)
                for run, tail in zip(lists, tails, strict=True)
            }


def rbp(gains: list[float], p: float, tail: float) -> float:
    seen = sum((1 - p) * p**place * gain for place, gain in enumerate(gains))
    return seen + p ** len(gains) * tail


@pytest.mark.django_db
def test_decided_pairs_are_those_that_nothing_can_turn_round() -> None:
    campaign = make_campaign("Small", NEARLY_EQUAL, p=0.5)
    grace = Api(campaign, "Small-grace")
    known: dict[tuple[str, str], float] = {}
    seen = set()
    for docno, grade in (("a", 2), ("b", 0), ("f", 0), ("g", 0), ("c", 1)):
        assert grace.judge("1", docno, grade).status_code == 201
        known["1", docno] = grade / 2
        look(campaign)
        found = stopping_advice_of(campaign=campaign)
        assert found is not None
        futures = list(completions(NEARLY_EQUAL, known, 0.5))
        for pair in found.pairs:
            ahead = min(future[pair.run] - future[pair.other] for future in futures)
            assert pair.decided == (ahead > 1e-12), (docno, pair)
            seen.add(pair.by)
        alone = all(
            min(f[found.best] for f in futures) > max(f[other] for f in futures) + 1e-12
            for other in NEARLY_EQUAL
            if other != found.best
        )
        assert found.distinct == alone
    assert seen == {"", "difference", "intervals"}


@pytest.mark.django_db
def test_a_run_may_miss_topics_and_runs_may_be_the_same() -> None:
    lists: Lists = {
        "x": {"1": ["a", "b"], "2": ["c"]},
        "same": {"1": ["a", "b"], "2": ["c"]},
        "y": {"2": ["d"]},
    }
    campaign = make_campaign("Small", lists)
    grace = Api(campaign, "Small-grace")
    for topic, docno in (("1", "a"), ("1", "b"), ("2", "c"), ("2", "d")):
        grace.judge(topic, docno, 1)
    look(campaign)
    found = stopping_advice_of(campaign=campaign)
    assert found is not None
    # Only what follows the ends of their rankings is open between them, and stays open.
    assert not found.pairs[0].decided
    assert {found.pairs[0].run, found.pairs[0].other} == {"x", "same"}


@pytest.mark.django_db
def test_what_would_take_too_long_is_left_out_and_named(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    monkeypatch.setattr(decided_pairs, "MOST_ADVICE_TOPICS", 1)
    look(campaign)
    found = stopping_advice_of(campaign=campaign)
    assert found is not None
    assert found.left_out == ["difference", "confidence", "certainty", "forecast"]
    assert found.forecast is None
    assert {pair.confidence for pair in found.pairs} == {None}
    assert "Left out, for it would take too long: pairs that only" in panel(campaign)


@pytest.mark.django_db
def test_one_look_at_a_time(campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    with held_elsewhere(Space.ADVICE, ALL_CAMPAIGNS):
        look(campaign)
        assert not Advice.objects.exists()
    look(campaign)
    assert Advice.objects.get().as_of == 1


@pytest.mark.django_db
def test_when_a_campaign_is_due(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = make_campaign("Draft", opened=False)
    worker.bring_up_to_date(LiveCampaign.from_rows(draft))
    assert campaigns_to_advise() == []
    advise(campaign.id)
    assert campaigns_to_advise() == []
    assert Advice.objects.get().as_of == 0
    Api(campaign, "Small-grace").judge("1", "a", 2)
    # It is due once the figures have moved, not while they are behind.
    assert campaigns_to_advise() == []
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    monkeypatch.setattr(tasks, "REST", 1e9)
    assert campaigns_to_advise() == []
    monkeypatch.setattr(tasks, "REST", 0)
    assert campaigns_to_advise() == [campaign.id]
    advise(campaign.id)
    assert Advice.objects.get().as_of == 1
    assert campaigns_to_advise() == []
    Advice.objects.update(content={**Advice.objects.get().content, "further": True})
    assert campaigns_to_advise() == [campaign.id]
    advise(campaign.id)
    services.close(campaign=campaign)
    assert campaigns_to_advise() == []


@pytest.mark.django_db
def test_the_task_leaves_rows_and_copy_as_a_recompute_would(campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    advise(campaign.id)
    Api(campaign, "Small-grace").judge("1", "b", 1)
    advise(campaign.id)
    fresh = LiveCampaign.from_rows(campaign)
    fresh.catch_up(known=0)
    shown = Api(campaign, "Small-ada").get("intervals/").json()
    assert shown["as_of"] == 2
    base, residual = fresh.state.mean_bounds()
    assert [row["base"] for row in shown["runs"]] == base.tolist()
    assert [row["residual"] for row in shown["runs"]] == residual.tolist()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("celery_worker")
def test_the_real_worker_writes_it() -> None:
    campaign = make_campaign("Small", NEARLY_EQUAL, p=0.5)
    request_recompute(campaign.id)
    grace = Api(campaign, "Small-grace")
    for docno, grade in (("a", 2), ("b", 0), ("f", 0)):
        grace.judge("1", docno, grade)

    def there() -> bool:
        if Advice.objects.filter(campaign=campaign, as_of=3).exists():
            return True
        # As the beat does, but sooner.
        tasks.advise_where_due.delay()
        wait_until_idle()
        return False

    wait_for(there)
    stored = AdviceContent.from_json(Advice.objects.get().content)
    direct = advice_computation.compute_advice(look(campaign))
    assert replace(stored, seconds=0, announced=None) == direct
    pairs = Api(campaign, "Small-ada").get("pairs/").json()["results"]
    assert (pairs[0]["run"], pairs[0]["other"], pairs[0]["by"]) == ("x", "y", "difference")
