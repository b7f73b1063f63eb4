"""A deleted person leaves no name, address or session in any table; their judgments stay, without them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.collection import assignments
from campaigns.core.errors import Refusal
from campaigns.log.current import current_qrels
from campaigns.models import Campaign, Deed, Judgment
from campaigns.operations.person_deletion import delete_person
from campaigns.people.resets import request_reset
from tests.campaigns.factories import make_campaign, make_user, signed_in
from tests.campaigns.operations.everything import full_campaign, rows_with

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_site")]


@pytest.fixture
def root() -> User:
    return User.objects.create(username="root", is_staff=True, is_superuser=True)


def page_of(person: User) -> str:
    return f"/administration/people/{person.id}/delete/"


def test_deletion_leaves_no_name_in_any_table(root: User) -> None:
    campaign = full_campaign("Small")
    grace = User.objects.get(username="Small-grace")
    grace.first_name, grace.last_name = "Gracious", "Hopping"
    grace.save()
    assignments.assign_evenly(campaign=campaign, organiser=User.objects.get(username="Small-ada"))
    request_reset(address=grace.email, language="en")
    theirs = signed_in("Small-grace")
    assert theirs.get("/judge/").status_code == 200
    before = list(current_qrels(campaign=campaign)), Judgment.objects.filter(assessor=grace).count()
    names = ("Small-grace", "grace-Small@", "Gracious", "Hopping")
    assert len(rows_with(*names)) > 5
    reply = signed_in("root").post(page_of(grace), {"confirm": "Small-grace"}, follow=True)
    assert b"is deleted" in reply.content
    assert rows_with(*names) == []
    assert theirs.get("/judge/").status_code == 302
    grace.refresh_from_db()
    assert grace.username.startswith("person-")
    assert (grace.is_active, grace.has_usable_password(), grace.last_login) == (False, False, None)
    after = list(current_qrels(campaign=campaign)), Judgment.objects.filter(assessor=grace).count()
    assert after == before
    assert Deed.objects.filter(detail__person=grace.username).exists()


def test_an_account_without_evidence_goes_entirely(root: User) -> None:
    make_campaign("Small")
    alan = User.objects.get(username="Small-alan")
    assert delete_person(person=alan, administrator=root, confirmation="Small-alan") == ""
    assert not User.objects.filter(id=alan.id).exists()
    assert rows_with("Small-alan") == []


def test_people_of_a_deleted_campaign_can_go_entirely(root: User) -> None:
    make_campaign("Small")
    ada = User.objects.get(username="Small-ada")
    with pytest.raises(Refusal, match="only this person organises Small"):
        delete_person(person=ada, administrator=root, confirmation="Small-ada")
    Campaign.objects.get().memberships.filter(user=ada).update(user=root)
    pseudonym = delete_person(person=ada, administrator=root, confirmation="Small-ada")
    assert pseudonym.startswith("person-")
    assert rows_with("Small-ada") == []


def test_names_that_only_look_alike_stay(root: User) -> None:
    campaign = make_campaign("Small")
    # The name of an account may be anything, a word of the history among them.
    make_user("C")
    before = Deed.objects.get(campaign=campaign, kind="created").detail
    delete_person(person=User.objects.get(username="C"), administrator=root, confirmation="C")
    assert Deed.objects.get(campaign=campaign, kind="created").detail == before
    assert before["method"] == "C"


def test_only_administrators_delete_and_not_themselves(root: User) -> None:
    make_campaign("Small")
    alan = User.objects.get(username="Small-alan")
    assert Client().post(page_of(alan), {"confirm": "Small-alan"}).status_code == 302
    for name in ("Small-ada", "Small-grace", "Small-alan"):
        assert signed_in(name).get(page_of(alan)).status_code == 403
        assert signed_in(name).post(page_of(alan), {"confirm": "Small-alan"}).status_code == 403
    administrator = signed_in("root")
    for typed in ("", "small-alan", "Small-alan2"):
        reply = administrator.post(page_of(alan), {"confirm": typed})
        assert (reply.status_code, b"Type the account" in reply.content) == (400, True)
    assert administrator.post(page_of(root), {"confirm": "root"}).status_code == 409
    assert administrator.get("/administration/people/987654/delete/").status_code == 404
    assert administrator.delete(page_of(alan)).status_code == 405
    staff = User.objects.create(username="staff", is_staff=True)
    # Staff has no meaning here.
    assert signed_in("staff").post(page_of(alan), {"confirm": "Small-alan"}).status_code == 403
    assert User.objects.filter(username__in=["root", "staff", "Small-alan"]).count() == 3
    assert staff.is_active
