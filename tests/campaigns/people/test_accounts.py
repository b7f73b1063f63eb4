"""Deactivation: at once, with judgments kept, and undone."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Claim, Judgment, Membership
from campaigns.people import accounts, resets
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in, with_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root")


def test_deactivation_ends_sessions_and_tokens_at_once(campaign: Campaign, root: User) -> None:
    grace = User.objects.get(username="Small-grace")
    browsers, program = [signed_in("Small-grace") for _ in range(2)], with_token("Small-grace", "read")
    assert {one.get("/api/v1/campaigns/small/").status_code for one in (*browsers, program)} == {200}
    accounts.deactivate(user=grace, administrator=root)
    assert {one.get("/api/v1/campaigns/small/").status_code for one in (*browsers, program)} == {401}
    assert all(one.get("/judge/").status_code == 302 for one in browsers)
    # Not only because of the account: they are gone for good.
    accounts.reactivate(user=grace, administrator=root)
    assert {one.get("/api/v1/campaigns/small/").status_code for one in (*browsers, program)} == {401}
    assert signed_in("Small-grace").get("/judge/small/").status_code == 200


def test_judgments_roles_and_topics_stay(campaign: Campaign, root: User) -> None:
    api = Api(campaign, "Small-grace")
    assert api.judge("1", "a", 1).status_code == 201
    assert api.get("next/", topic="1").status_code == 200
    grace = User.objects.get(username="Small-grace")
    assert Claim.objects.filter(assessor=grace).exists()
    before = list(Judgment.objects.values())
    accounts.deactivate(user=grace, administrator=root)
    assert list(Judgment.objects.values()) == before
    assert Membership.objects.filter(user=grace, campaign=campaign, role="assessor").exists()
    assert not Claim.objects.filter(assessor=grace).exists()
    qrels = Api(campaign, "Small-ada").get("qrels/")
    assert b"".join(qrels).split() == [b"1", b"0", b"a", b"1"]


def test_it_stands_in_the_history_of_each_campaign(campaign: Campaign, root: User) -> None:
    grace = User.objects.get(username="Small-grace")
    make_campaign("Other")
    accounts.deactivate(user=grace, administrator=root)
    accounts.reactivate(user=grace, administrator=root)
    kinds = list(campaign.deeds.order_by("id").values_list("kind", flat=True))
    assert kinds[-2:] == ["account deactivated", "account reactivated"]
    assert not Campaign.objects.get(slug="other").deeds.filter(kind="account deactivated").exists()
    history = signed_in("Small-ada").get("/campaigns/small/history/").content.decode()
    assert "deactivated the account of Small-grace" in history
    assert "reactivated the account of Small-grace" in history


def test_campaigns_without_an_organiser_are_named(campaign: Campaign, root: User) -> None:
    assert accounts.deactivate(user=User.objects.get(username="Small-grace"), administrator=root) == []
    assert accounts.deactivate(user=User.objects.get(username="Small-ada"), administrator=root) == ["Small"]


@pytest.mark.parametrize("name", ["Small-ada", "inactive"])
def test_only_administrators_deactivate(campaign: Campaign, name: str) -> None:
    User.objects.create_superuser("inactive", is_active=False)
    grace, who = User.objects.get(username="Small-grace"), User.objects.get(username=name)
    for act in (accounts.deactivate, accounts.reactivate):
        with pytest.raises(Refusal, match="only administrators"):
            act(user=grace, administrator=who)
    grace.refresh_from_db()
    assert grace.is_active


def test_staff_has_no_meaning(campaign: Campaign) -> None:
    staff = User.objects.create(username="staff", is_staff=True)
    grace = User.objects.get(username="Small-grace")
    with pytest.raises(Refusal, match="only administrators"):
        accounts.deactivate(user=grace, administrator=staff)
    assert not resets.may_reset(staff, grace)


def test_nobody_locks_themself_out_and_nothing_is_done_twice(root: User) -> None:
    with pytest.raises(Refusal, match="your own account"):
        accounts.deactivate(user=root, administrator=root)
    user = make_user("edsger")
    with pytest.raises(Refusal, match="is active"):
        accounts.reactivate(user=user, administrator=root)
    accounts.deactivate(user=user, administrator=root)
    with pytest.raises(Refusal, match="deactivated already"):
        accounts.deactivate(user=user, administrator=root)
