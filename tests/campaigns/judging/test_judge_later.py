"""A document set aside comes back as it first came: by whom, how exactly, and how likely."""

from __future__ import annotations

import pytest

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Claim, Judgment, Sample
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

LISTS = {
    "x": {"1": [f"d{n:02}" for n in range(20)]},
    "y": {"1": [f"d{n:02}" for n in reversed(range(20))]},
}
Handed = tuple[str, bool | None, float | None, int | None, float | None]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(lists=LISTS, method="mtc+statap", options={"size": 15})
    recompute(campaign.id)
    return campaign


def set_aside(campaign: Campaign, api: Api, count: int) -> dict[str, Handed]:
    handed: dict[str, Handed] = {}
    for _ in range(count):
        docno = api.get("next/", topic="1").json()["docno"]
        # As the worker measures it, while the document is on screen.
        Claim.objects.filter(document__docno=docno).update(weight_given_up=0.25)
        claim = Claim.objects.get(document__docno=docno)
        measured = claim.queue_age, claim.weight_given_up
        handed[docno] = claim.method, claim.exact, claim.inclusion_probability, *measured
        assert api.post("later/", {"topic": "1", "docno": docno}).status_code == 200
        recompute(campaign.id)
    return handed


def recorded(docno: str) -> Handed:
    judged = Judgment.objects.get(document__docno=docno)
    measured = judged.queue_age, judged.weight_given_up
    return judged.method, judged.served_exactly, judged.inclusion_probability, *measured


@pytest.mark.parametrize("brought_back", [True, False])
def test_the_judgment_of_a_document_set_aside_says_how_it_was_served(
    campaign: Campaign, brought_back: bool
) -> None:
    grace = Api(campaign, "Small-grace")
    handed = set_aside(campaign, grace, 10)
    assert {method for method, *_ in handed.values()} == {"mtc", "statap"}
    assert any(exact for _, exact, *_ in handed.values())
    assert {age for *_, age, _ in handed.values()} == {0}
    # The sample holds most documents that MTC serves.
    assert Sample.objects.get().size == 15
    # Away from the desk, a document set aside may be judged without asking for it again.
    for docno in handed:
        if brought_back:
            assert grace.get("next/", topic="1", docno=docno).status_code == 200
        assert grace.judge("1", docno, 1).status_code == 201
    assert {docno: recorded(docno) for docno in handed} == handed


def test_it_stays_so_when_set_aside_again_and_by_somebody_else_in_between(campaign: Campaign) -> None:
    grace, alan = Api(campaign, "Small-grace"), Api(campaign, "Small-alan")
    hers = set_aside(campaign, grace, 4)
    his = set_aside(campaign, alan, 4)
    assert set(his) & set(hers)
    for docno in hers:
        grace.get("next/", topic="1", docno=docno)
        grace.post("later/", {"topic": "1", "docno": docno})
    for docno, handed in hers.items():
        grace.get("next/", topic="1", docno=docno)
        grace.judge("1", docno, 0)
        assert recorded(docno) == handed
