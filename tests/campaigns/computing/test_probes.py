"""Probes from the stored queue to the judgment, to a copy rebuilt, and to the pages."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.collection.topics import set_method
from campaigns.computing import tasks
from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Computed, Judgment, Priority
from campaigns.results.queues import queue_view
from campaigns.setup import campaigns as services
from tests.campaigns.exchange.bundles.bundle_copies import copied, packed
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

NAMES = [f"d{n:02}" for n in range(40)]
LISTS = {"x": {"1": NAMES[:30]}, "y": {"1": NAMES[:9:-1]}}
SHARE = 0.3


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(lists=LISTS, options={"probe_share": SHARE})
    recompute(campaign.id)
    return campaign


def stored() -> list[tuple[Any, ...]]:
    rows = Priority.objects.order_by("topic").values_list("documents", "weights", "sources", "remaining")
    return [(bytes(documents), bytes(weights), *rest) for documents, weights, *rest in rows]


def queued(campaign: Campaign) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (
        Api(campaign, "Small-ada").get("priorities/", topic="1", limit=50).json()["results"]
    )
    return found


def rows_of(campaign: Campaign) -> list[tuple[str, str]]:
    """The only topic's documents, and who serves each."""
    view = queue_view(campaign=campaign, topic=campaign.topics.get(), limit=50)
    return [(row.docno, row.method) for row in view.rows]


def test_assessors_are_served_probes_exactly_and_judgments_name_them(campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    docno = grace.get("next/", topic="1").json()["docno"]
    for judged in range(1, 21):
        # The look-ahead of the open document is what the next judgment is answered from.
        recompute(campaign.id)
        first = queued(campaign)[0]
        assert docno == first["docno"]
        reply = grace.judge("1", docno, judged % 2)
        assert reply.status_code == 201
        record = Judgment.objects.get(document__docno=docno)
        assert (record.method, record.inclusion_probability) == (first["method"], None)
        assert record.served_exactly
        docno = reply.json()["next"]["docno"]
        probes = Judgment.objects.filter(method="probe").count()
        assert abs(probes - judged * SHARE) < 1
    assert set(Judgment.objects.values_list("method", flat=True)) == {"C", "probe"}


def test_a_copy_rebuilt_has_the_same_probes(campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    for docno in [row["docno"] for row in queued(campaign)[:7]]:
        grace.judge("1", docno, 1)
    recompute(campaign.id)
    kept = stored()
    assert "probe" in kept[0][2]
    tasks._copies.clear()
    Computed.objects.all().delete()
    Priority.objects.all().delete()
    recompute(campaign.id)
    assert stored() == kept


def test_pages_tell_a_probe_from_the_methods_own_choice(campaign: Campaign) -> None:
    ada, rows = signed_in("Small-ada"), queued(campaign)
    served_by = {row["method"]: row["docno"] for row in rows}
    assert served_by.keys() == {"C", "probe"}
    assert '<td data-label="For">Probe</td>' in ada.get("/campaigns/small/topics/1/").content.decode()

    def why(docno: str) -> str:
        return ada.get(f"/campaigns/small/topics/1/why/?docno={docno}").content.decode()

    assert "A probe, drawn at random" in why(served_by["probe"])
    assert "A probe, drawn at random" not in why(served_by["C"])
    [probe] = [row for row in rows if row["docno"] == served_by["probe"]]
    assert probe["runs"]
    assert {run["share"] for run in probe["runs"]} == {0.0}


def test_a_topic_has_the_share_of_its_own_method(campaign: Campaign) -> None:
    topics = list(campaign.topics.all())
    set_method(campaign=campaign, topics=topics, method="A", options={})
    recompute(campaign.id)
    assert {row["method"] for row in queued(campaign)} == {"A"}
    set_method(campaign=campaign, topics=topics, method="A", options={"probe_share": "0.1"})
    recompute(campaign.id)
    assert {row["method"] for row in queued(campaign)} == {"A", "probe"}


def test_another_method_begins_without_probes(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, method="A")
    assert campaign.options == {"probe_share": 0.0}


def test_settings_refuse_a_share_by_name(campaign: Campaign) -> None:
    ada = Api(campaign, "Small-ada")
    for method, share in (("C", 0.4), ("statap", 0.1)):
        reply = ada.client.patch(
            ada.root, {"method": method, "options": {"probe_share": share}}, content_type="application/json"
        )
        assert reply.status_code == 400
        [error] = reply.json()["errors"]
        assert error["field"] == "options.probe_share"


def test_bundles_keep_the_share_and_older_ones_may_lack_it(campaign: Campaign) -> None:
    copy = copied(packed(campaign))
    recompute(copy.id)
    assert copy.options == {"power": 3, "probe_share": SHARE}
    assert rows_of(copy) == rows_of(campaign)
    Campaign.objects.filter(id=campaign.id).update(options={})
    campaign.refresh_from_db()
    older = copied(packed(campaign), slug="older")
    recompute(older.id)
    assert older.options == {}
    assert {method for _, method in rows_of(older)} == {"C"}
