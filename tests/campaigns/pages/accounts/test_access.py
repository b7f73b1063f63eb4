"""Every page of a campaign: who may see it, and by which method."""

from urllib.parse import quote

import pytest
from django.test import Client

from campaigns.models import Campaign
from tests.campaigns.factories import make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

READ = [
    "",
    "overview/",
    "curves/?run=1",
    "pair/",
    "documents/",
    "document/?docno=a",
    "people/Small-grace/",
    "setup/",
    "setup/collection/",
    "setup/topics/",
    "setup/runs/",
    "setup/open/",
    "delete/",
    "topics/",
    "topics/1/",
    "counterfactual/",
    "counterfactual/found/",
    "people/",
    "invitations/",
    "copy/",
    "examples/",
    "training/",
    "quality/",
    "questions/",
    "exports/",
    "exports/report/",
    "exports/qrels/",
    "exports/scores-csv/",
    "exports/passages/",
    "history/",
    "history/csv/",
    "mails/",
    "webhooks/",
]
POSTED = [
    "delete/",
    "mails/",
    "webhooks/",
    "people/",
    "invitations/",
    "copy/",
    "examples/",
    "training/",
    "quality/",
    "questions/",
    "topics/",
    "topics/1/",
    "counterfactual/",
]
WRITE = ["setup/save/judging/", "move/", "assign/", "runs/1/remove/"]


@pytest.fixture(scope="module")
def made(module_rows: None) -> int:
    return make_campaign("Small").id


@pytest.fixture
def campaign(made: int) -> Campaign:
    return Campaign.objects.get(id=made)


@pytest.mark.parametrize("path", READ)
def test_organisers_see_it(campaign: Campaign, path: str) -> None:
    reply = signed_in("Small-ada").get(f"/campaigns/small/{path}")
    assert reply.status_code == 200
    assert "script-src 'self'" in reply.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", [*READ, *WRITE])
def test_strangers_are_told_nothing(campaign: Campaign, path: str) -> None:
    make_user("eve")
    client = signed_in("eve")
    assert client.get(f"/campaigns/small/{path}").status_code in (404, 405)
    assert client.post(f"/campaigns/small/{path}").status_code in (404, 405)


@pytest.mark.parametrize("path", READ)
def test_assessors_are_told_no(campaign: Campaign, path: str) -> None:
    assert signed_in("Small-grace").get(f"/campaigns/small/{path}").status_code == 403


@pytest.mark.parametrize("path", WRITE)
def test_assessors_may_not_write(campaign: Campaign, path: str) -> None:
    assert signed_in("Small-grace").post(f"/campaigns/small/{path}", {"to": "close"}).status_code == 403
    campaign.refresh_from_db()
    assert campaign.status == "open"


@pytest.mark.parametrize("path", READ)
def test_anonymous_readers_sign_in_first(campaign: Campaign, path: str) -> None:
    reply = Client().get(f"/campaigns/small/{path}")
    assert (reply.status_code, reply.headers["Location"]) == (
        302,
        f"/sign-in/?next={quote(f'/campaigns/small/{path}')}",
    )


@pytest.mark.parametrize("path", [path for path in READ if path not in POSTED])
def test_what_is_read_is_not_posted_to(campaign: Campaign, path: str) -> None:
    assert signed_in("Small-ada").post(f"/campaigns/small/{path}").status_code == 405


@pytest.mark.parametrize("path", WRITE)
def test_what_writes_is_not_read(campaign: Campaign, path: str) -> None:
    assert signed_in("Small-ada").get(f"/campaigns/small/{path}").status_code == 405


def test_there_is_no_such_campaign_or_part(campaign: Campaign) -> None:
    client = signed_in("Small-ada")
    assert client.get("/campaigns/large/").status_code == 404
    assert client.get("/campaigns/small/setup/weather/").status_code == 404


def test_the_home_page_leads_by_role(campaign: Campaign) -> None:
    make_user("new")
    assert Client().get("/").headers["Location"].startswith("/sign-in/")
    assert signed_in("Small-ada").get("/").headers["Location"] == "/campaigns/"
    assert signed_in("Small-grace").get("/").headers["Location"] == "/judge/"
    assert signed_in("new").get("/").headers["Location"] == "/campaigns/"
