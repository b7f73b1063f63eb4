import pytest
from django.test import Client

from campaigns.models import Campaign
from campaigns.setup import campaigns as services
from tests.campaigns.factories import add_run, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft() -> Campaign:
    return make_campaign("Small", opened=False)


@pytest.fixture
def client(draft: Campaign) -> Client:
    return signed_in("Small-ada")


def status(campaign: Campaign) -> str:
    campaign.refresh_from_db()
    return campaign.status


def test_opening_pausing_closing(client: Client, draft: Campaign) -> None:
    for wish, reached in (("open", "open"), ("pause", "paused"), ("open", "open"), ("close", "closed")):
        reply = client.post("/campaigns/small/move/", {"to": wish}, follow=True)
        assert (reply.status_code, status(draft)) == (200, reached)


def test_a_draft_cannot_close(client: Client, draft: Campaign) -> None:
    page = client.post("/campaigns/small/move/", {"to": "close"}, follow=True).content.decode()
    assert "was never open" in page
    assert status(draft) == "draft"


@pytest.mark.parametrize("to", ["", "sleep"])
def test_an_unknown_move(client: Client, draft: Campaign, to: str) -> None:
    assert client.post("/campaigns/small/move/", {"to": to}).status_code == 400
    assert status(draft) == "draft"


def test_what_is_missing_is_said() -> None:
    services.create(organiser=make_user("ada"), name="Bare")
    client = signed_in("ada")
    part = client.get("/campaigns/bare/setup/open/").content.decode()
    for step, words in (("topics", "topics"), ("runs", "a run that contributes to the pool")):
        assert f'<a href="?step={step}" data-step="{step}">{words}</a>' in part
    assert "disabled" in part
    page = client.post("/campaigns/bare/move/", {"to": "open"}, follow=True).content.decode()
    assert "Before it opens, the campaign needs topics" in page


def test_the_list_of_runs(client: Client, draft: Campaign) -> None:
    add_run(draft, "late", {"1": ["a", "b"]}, group="Latecomers", contributes=False)
    page = client.get("/campaigns/small/setup/runs/").content.decode()
    row = page[page.index("late") : page.index("</tr>", page.index("late"))]
    assert "not in the pool" in row
    assert "Latecomers" in row
    assert "topics missing" in row
    assert ">2</td>" in row


def test_a_run_can_be_taken_out(client: Client, draft: Campaign) -> None:
    run = draft.runs.get(tag="z")
    page = client.post(f"/campaigns/small/runs/{run.id}/remove/", follow=True).content.decode()
    assert "The run z is out of the campaign" in page
    assert set(draft.runs.values_list("tag", flat=True)) == {"x", "y"}


def test_a_run_of_another_campaign_stays(client: Client) -> None:
    other = make_campaign("Other")
    run = other.runs.get(tag="z")
    assert client.post(f"/campaigns/small/runs/{run.id}/remove/").status_code == 404
    assert other.runs.count() == 3


def test_an_open_invitation(client: Client, draft: Campaign) -> None:
    """Kept as a number for the last step, while the people's step has a notice for one just made."""
    assert (
        client.post(
            "/campaigns/small/people/", {"act": "invite", "role": "assessor", "days": "14"}
        ).status_code
        == 200
    )
    page = client.get("/campaigns/small/setup/", {"step": "people"})
    assert page.status_code == 200
    assert 'id="invitation-link"' not in page.content.decode()
