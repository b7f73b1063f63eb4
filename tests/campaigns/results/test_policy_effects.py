from __future__ import annotations

import pytest
from django.test import Client

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign
from campaigns.models.campaign import Policy
from campaigns.results.policy_effects import policy_effects
from campaigns.results.score_ranges import score_ranges_of
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

PATH = "/campaigns/small/policies/"


@pytest.fixture
def campaign() -> Campaign:
    """Run y's first document is worth all or nothing, by whom one believes."""
    campaign = make_campaign()
    for name, given in (("grace", {"b": 2, "a": 1, "h": 0}), ("alan", {"b": 0, "a": 1, "h": 2})):
        for docno, grade in given.items():
            assert Api(campaign, f"Small-{name}").judge("1", docno, grade).status_code == 201
    assert Api(campaign, "Small-ada").judge("1", "b", 2).status_code == 201
    recompute(campaign.id)
    return campaign


def bases(campaign: Campaign) -> dict[str, float]:
    return {row.run: row.base for row in score_ranges_of(campaign=campaign)}


@pytest.mark.parametrize("own", Policy.values)
def test_the_effect_is_that_of_really_changing_the_policy(campaign: Campaign, own: str) -> None:
    services.change_settings(campaign=campaign, policy=own)
    recompute(campaign.id)
    before = bases(campaign)
    for effect in policy_effects(campaign=campaign):
        services.change_settings(campaign=campaign, policy=effect.policy)
        recompute(campaign.id)
        after = bases(campaign)
        changes = {run: after[run] - before[run] for run in before}
        assert effect.change == pytest.approx(changes[effect.run], abs=1e-12)
        assert abs(effect.change) == pytest.approx(max(map(abs, changes.values())), abs=1e-12)
        names = sorted(before, key=lambda run: -before[run])
        pairs = [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
        assert effect.swapped == sum(after[other] - after[one] > 1e-12 for one, other in pairs)
        assert effect.own == (effect.policy == own)
        if effect.own:
            assert (effect.documents, effect.change, effect.swapped) == (0, 0, 0)
            assert effect.tau == pytest.approx(1)
    assert any(effect.documents for effect in policy_effects(campaign=campaign))


def test_the_table(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    page = ada.get(PATH).content.decode()
    assert page.count("<tr>") == 5
    assert "what the others are compared with" in page
    assert 'hx-get="/campaigns/small/policies/"' in ada.get("/campaigns/small/people/").content.decode()


def test_before_two_people_have_graded_one_document() -> None:
    make_campaign("Empty")
    page = signed_in("Empty-ada").get("/campaigns/empty/policies/").content.decode()
    assert "As soon as two people have graded one document" in page


def test_who_may_not(campaign: Campaign) -> None:
    make_user("stranger")
    assert signed_in("Small-grace").get(PATH).status_code == 403
    assert signed_in("stranger").get(PATH).status_code == 404
    assert signed_in("Small-ada").post(PATH).status_code == 405
    assert Client().get(PATH).status_code == 302
