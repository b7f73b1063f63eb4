"""An archived campaign: read only by every way in, off the list, out of the worker's hands, and restored."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from campaigns.computing.worker import campaigns_behind
from campaigns.core.errors import Refusal
from campaigns.log.audit import note
from campaigns.models import Campaign, Deed, Judgment, LogHead
from campaigns.pages.urls import urlpatterns as pages
from campaigns.people import invitations
from campaigns.setup import campaigns as services
from campaigns.setup.archive import archive, unarchive
from tests.campaigns.api.framework.operations import operations
from tests.campaigns.factories import Api, make_campaign, make_user, run_text, signed_in

pytestmark = pytest.mark.django_db

JSON = "application/json"
SAID = "“Small” is archived and read only; an organiser can restore it"
# What changes nothing of the campaign, or ends being archived.
STILL_POSSIBLE = {"copy_campaign", "delete_campaign", "archive_campaign", "unarchive_campaign"}
PAGES_STILL_POSSIBLE = {"move", "copy", "delete"}
NAMES = {
    "slug": "small",
    "number": "1",
    "docno": "a",
    "username": "Small-grace",
    "step": "judging",
    "part": "runs",
    "what": "qrels",
    "form": "csv",
    "figure": "intervals",
    "which": "a",
    "kind": "svg",
}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    assert Api(campaign, "Small-grace").judge("1", "a", 1).status_code == 201
    services.pause(campaign=campaign)
    archive(campaign=campaign)
    return campaign


@pytest.fixture
def ada(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


WRITING = [
    each
    for each in operations()
    if each.method in ("post", "put", "patch", "delete")
    and "/campaigns/{slug}/" in each.path
    and each.said["operationId"] not in STILL_POSSIBLE
    # Those of participants: tests/campaigns/participants/test_team_endpoints.py.
    and "/team/" not in each.path
]


def test_every_endpoint_that_writes_refuses(campaign: Campaign, ada: Client) -> None:
    names = defaultdict(lambda: "1", NAMES)
    before = Deed.objects.count(), Judgment.objects.count()
    assert len(WRITING) > 20
    for each in WRITING:
        reply = ada.generic(each.method.upper(), each.address(names), b"{}", content_type=JSON)
        assert (reply.status_code, reply.json()["code"]) == (409, "archived"), str(each)
        assert reply.json()["detail"] == SAID
    assert (Deed.objects.count(), Judgment.objects.count()) == before


def test_every_page_that_writes_refuses(campaign: Campaign, ada: Client) -> None:
    refusing = 0
    for pattern in pages:
        if "<slug:slug>/" not in str(pattern.pattern) or pattern.name in PAGES_STILL_POSSIBLE:
            continue
        # A participant's own page, which no organiser has.
        if str(pattern.name).startswith(("team", "receipt")):
            continue
        path = re.sub(r"<\w+:(\w+)>", lambda found: NAMES.get(found[1], "1"), str(pattern.pattern))
        reply = ada.post(f"/campaigns/{path}", {"act": "add"})
        assert reply.status_code in (405, 409), path
        refusing += reply.status_code == 409
        if reply.status_code == 409:
            assert SAID in reply.content.decode()
    assert refusing > 15
    fragment = ada.post("/campaigns/small/people/", {"act": "add"}, headers={"HX-Request": "true"})
    assert fragment.headers["HX-Refresh"] == "true"


def test_services_and_commands_refuse(campaign: Campaign, tmp_path: Any) -> None:
    (tmp_path / "late.run").write_bytes(run_text("late", {"1": ["a", "b"]}))
    said = io.StringIO()
    with pytest.raises(CommandError, match="refused"):
        call_command("import_runs", "small", str(tmp_path / "late.run"), stderr=said)
    assert SAID in said.getvalue()
    assert not campaign.runs.filter(tag="late").exists()
    for act in (services.open_campaign, services.close):
        with pytest.raises(Refusal, match="archived"):
            act(campaign=Campaign.objects.get(slug="small"))
    with pytest.raises(Refusal, match="archived"):
        services.change_settings(campaign=campaign, p=0.5)
    with pytest.raises(Refusal, match="archived"):
        note(campaign=campaign, kind="run handed in")
    campaign.refresh_from_db()
    assert (campaign.status, campaign.p) == ("paused", 0.8)


def test_an_organiser_who_opens_it_at_the_same_moment_is_refused(campaign: Campaign) -> None:
    unarchive(campaign=campaign)
    stale = Campaign.objects.get(id=campaign.id)
    archive(campaign=campaign)
    with pytest.raises(Refusal, match="archived"):
        services.open_campaign(campaign=stale)
    campaign.refresh_from_db()
    assert (campaign.status, LogHead.objects.get(campaign=campaign).accepting) == ("paused", False)


def test_an_open_campaign_is_not_archived(campaign: Campaign, ada: Client) -> None:
    unarchive(campaign=campaign)
    services.open_campaign(campaign=campaign)
    reply = Api(campaign, "Small-ada").post("archive/")
    assert (reply.status_code, reply.json()["code"]) == (409, "campaign_open")
    assert "pause or close it before" in reply.json()["detail"]


def test_pages_show_it_and_the_list_does_not(campaign: Campaign, ada: Client) -> None:
    for path in ("", "runs/", "topics/", "people/", "setup/", "history/", "exports/", "invitations/"):
        page = ada.get(f"/campaigns/small/{path}").content.decode()
        assert "This campaign is archived: it is read only." in page, path
        assert '<span class="chip warn">archived</span>' in page, path
    page = ada.get("/campaigns/").content.decode()
    assert "Small</strong>" not in page
    assert "Archived 1" in page
    assert "New campaign" in page
    assert "Small</strong>" in ada.get("/campaigns/?show=archived").content.decode()
    grace = signed_in("Small-grace")
    assert "This campaign is archived" in grace.get("/judge/small/").content.decode()
    assert "/judge/small/" not in grace.get("/judge/").content.decode()
    assert "/judge/small/" not in grace.get("/campaigns/").content.decode()


def test_the_list_of_the_api_has_it_where_it_is_asked_for(campaign: Campaign, ada: Client) -> None:
    assert ada.get("/api/v1/campaigns/").json()["results"] == []
    (row,) = ada.get("/api/v1/campaigns/?archived=true").json()["results"]
    assert row["slug"] == "small"
    assert row["archived_at"]


def test_exports_and_bundles_work_and_the_copy_is_not_archived(campaign: Campaign, ada: Client) -> None:
    assert ada.get("/api/v1/campaigns/small/qrels/").status_code == 200
    bundle = io.BytesIO(b"".join(ada.get("/campaigns/small/exports/bundle/")))
    bundle.name = "small.bundle.zip"
    reply = ada.post("/campaigns/new/bundle/", {"file": bundle, "slug": "copy"})
    assert reply.status_code == 302
    assert Campaign.objects.get(slug="copy").archived_at is None


def test_no_invitation_leads_into_it(campaign: Campaign) -> None:
    unarchive(campaign=campaign)
    ada = campaign.memberships.get(role="organiser").user
    made, _ = invitations.create(campaign=campaign, role="assessor", inviter=ada, link_of=str)
    archive(campaign=campaign)
    with pytest.raises(Refusal, match="archived"):
        invitations.accept(invitation_id=made.id, user=make_user("edsger"))


def test_the_worker_leaves_it_until_it_is_restored(campaign: Campaign, ada: Client) -> None:
    assert campaign.id not in campaigns_behind()
    assert ada.post("/campaigns/small/move/", {"to": "unarchive"}).headers["Location"] == "/campaigns/small/"
    assert campaign.id in campaigns_behind()
    assert Api(campaign, "Small-ada").post("open/").status_code == 200
    history = ada.get("/campaigns/small/history/").content.decode()
    assert "archived the campaign" in history
    assert "restored the campaign from the archive" in history


def test_only_organisers_archive(campaign: Campaign) -> None:
    unarchive(campaign=campaign)
    make_user("stranger")
    for name, status in (("Small-grace", 403), ("stranger", 404)):
        client = signed_in(name)
        for act in ("archive", "unarchive"):
            assert client.post("/campaigns/small/move/", {"to": act}).status_code == status
            assert client.post(f"/api/v1/campaigns/small/{act}/").status_code == status
    campaign.refresh_from_db()
    assert campaign.archived_at is None
