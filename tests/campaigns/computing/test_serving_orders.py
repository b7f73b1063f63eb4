"""The setting that serves pools and samples at random or by docno, through worker, page and API."""

from __future__ import annotations

import pytest

from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Document, Sample
from campaigns.models.packed import unpack_ids
from campaigns.setup.campaigns import change_settings
from tests.campaigns.exchange.test_prels import wide_lists
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

LISTS = wide_lists(topics=1, runs=3, documents=30)


def served(campaign: Campaign) -> list[str]:
    """Docnos in the order in which the worker has them served."""
    campaign.refresh_from_db()
    live = LiveCampaign.from_rows(campaign)
    worker.bring_up_to_date(live)
    ids = live.documents(0, live.state.queue(0, 99))
    names = dict(Document.objects.filter(id__in=ids).values_list("id", "docno"))
    return [names[one] for one in ids]


@pytest.mark.parametrize(
    ("method", "options"),
    [("pooling", {"depth": 5}), ("statap", {"size": 8}), ("sample", {"size": 8}), ("strata", {})],
)
def test_documents_chosen_beforehand_are_served_by_docno(method: str, options: dict[str, object]) -> None:
    own = make_campaign("Own", LISTS, method=method, options=options)
    other = make_campaign("Docno", LISTS, method=method, options=options, serving_order="docno")
    assert served(other) == sorted(served(other))
    if method == "pooling":
        assert served(other) == sorted(served(own))
    reply = Api(other, "Docno-grace").get("next/", topic="1").json()
    assert reply["docno"] == served(other)[0]
    if method == "statap":
        row = Sample.objects.get(topic__campaign=other)
        docnos = dict(Document.objects.filter(collection=other.collection).values_list("id", "docno"))
        assert [docnos[one] for one in unpack_ids(row.documents).tolist()] == served(other)


def test_the_order_is_changed_by_api_and_page() -> None:
    campaign = make_campaign("Pool", LISTS, method="pooling")
    recompute(campaign.id)
    first = served(campaign)
    api = Api(campaign, "Pool-ada")

    def patch(value: object) -> int:
        reply = api.client.patch(api.root, {"serving_order": value}, content_type="application/json")
        return int(reply.status_code)

    assert patch("random") == 200
    shuffled = served(campaign)
    assert sorted(shuffled) == sorted(first)
    assert shuffled not in (first, sorted(first))
    for wrong in ("size", 3, None):
        assert patch(wrong) == 400
    assert Api(campaign, "Pool-grace").client.patch(
        api.root, {"serving_order": "docno"}, content_type="application/json"
    ).status_code in (403, 404)
    campaign.refresh_from_db()
    assert campaign.serving_order == "random"
    page = signed_in("Pool-ada").get("/campaigns/pool/setup/?step=measure").content.decode()
    assert 'name="serving_order"' in page
    change_settings(campaign=campaign, method="C")
    adaptive = served(campaign)
    change_settings(campaign=campaign, serving_order="docno")
    assert served(campaign) == adaptive


def test_in_docno_order_prels_of_a_sample_wait_for_its_end() -> None:
    campaign = make_campaign("Docno", LISTS, method="sample", options={"size": 5}, serving_order="docno")
    order = served(campaign)
    grace, ada = Api(campaign, "Docno-grace"), Api(campaign, "Docno-ada")

    def prels() -> list[str]:
        return [line.split()[1] for line in b"".join(ada.get("prels/")).decode().splitlines()]

    for docno in order[:-1]:
        assert grace.judge("1", docno, 1).status_code == 201
        assert prels() == []
    assert grace.judge("1", order[-1], 0).status_code == 201
    assert prels() == order
