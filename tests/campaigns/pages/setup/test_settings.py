import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from campaigns.models import Campaign, Deed
from campaigns.pages.setup.forms import FORM_PARTS
from campaigns.setup import campaigns as services
from tests.campaigns.factories import make_campaign, signed_in

pytestmark = pytest.mark.django_db

FILLED: dict[str, Any] = {
    "name": "News track 2026",
    "p": "0.9",
    "method": "B",
    "scope": "topic",
    "batch": "5",
    "min_judgments": "20",
    "budget": "",
    "guidelines": "Read all of it.",
    "scale": "two",
}
OWN_SCALE = {
    "scale": "custom",
    "grade": ["0", "1", "3", ""],
    "label": ["no", "somewhat", "fully", ""],
    "gain": ["0", "0.25", "1", ""],
    "key": ["n", "s", "f", ""],
}


@pytest.fixture
def draft() -> Campaign:
    return make_campaign("Small", opened=False)


@pytest.fixture
def client(draft: Campaign) -> Client:
    return signed_in("Small-ada")


SETTINGS = "/campaigns/small/setup/"


def save_settings(client: Client, filled: dict[str, Any]) -> Any:
    """Save each part as its own form does, until one is refused; the last answer."""
    for part in FORM_PARTS:
        reply = client.post(f"{SETTINGS}save/{part}/", filled)
        if reply.status_code != 302:
            break
    return reply


def test_everything_is_set_at_once(client: Client, draft: Campaign) -> None:
    reply = save_settings(client, FILLED)
    assert (reply.status_code, reply.headers["Location"]) == (302, f"{SETTINGS}?step=people#people")
    draft.refresh_from_db()
    assert (draft.p, draft.method, draft.scope, draft.batch) == (0.9, "B", "topic", 5)
    assert (draft.min_judgments, draft.budget, draft.guidelines) == (20, None, "Read all of it.")
    assert [row["gain"] for row in draft.grades] == [0.0, 1.0]
    assert (draft.name, draft.slug, draft.status) == ("News track 2026", "small", "draft")


def test_a_scale_of_ones_own(client: Client, draft: Campaign) -> None:
    save_settings(client, {**FILLED, **OWN_SCALE})
    draft.refresh_from_db()
    assert draft.grades == [
        {"grade": 0, "label": "no", "gain": 0.0, "key": "n"},
        {"grade": 1, "label": "somewhat", "gain": 0.25, "key": "s"},
        {"grade": 3, "label": "fully", "gain": 1.0, "key": "f"},
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": ""}, "required"),
        ({"p": "1"}, "less than or equal to 0.99"),
        ({"p": "often"}, "number"),
        ({"p": "nan"}, "number"),
        ({"method": "D"}, "not one of the available choices"),
        ({"scope": "world"}, "not one of the available choices"),
        ({"batch": "0"}, "greater than or equal to 1"),
        ({"min_judgments": "-1"}, "greater than or equal to 0"),
        ({"budget": "0"}, "greater than or equal to 1"),
        ({"overlap_share": "1.1"}, "less than or equal to 1"),
        ({"overlap_share": "nan"}, "number"),
        ({"overlap_assessors": "1"}, "greater than or equal to 2"),
        ({"repeat_share": "0.6"}, "less than or equal to 0.5"),
        ({**OWN_SCALE, "gain": ["0", "much", "1", ""]}, "much"),
        ({**OWN_SCALE, "key": ["n", "n", "f", ""]}, "a key of its own"),
        ({"scale": "custom"}, "at least two grades"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_changed(
    client: Client, draft: Campaign, change: Any, says: str
) -> None:
    for part in FORM_PARTS:
        before = Campaign.objects.values().get(id=draft.id)
        reply = client.post(f"{SETTINGS}save/{part}/", {**FILLED, **change})
        if reply.status_code != 302:
            break
    assert reply.status_code == 400
    assert says in reply.content.decode()
    assert Campaign.objects.values().get(id=draft.id) == before


def test_what_was_typed_stays_typed(client: Client) -> None:
    for part, wrong, texts in (
        ("name", {"name": "Kept" * 100}, ["KeptKept"]),
        ("measure", {"p": "2"}, ['value="2"']),
        ("grades", {**OWN_SCALE, "relevant_from": "-1"}, ['value="somewhat"']),
        ("judging", {"budget": "0"}, ["Read all of it."]),
    ):
        page = client.post(f"{SETTINGS}save/{part}/", {**FILLED, **wrong}).content.decode()
        for text in texts:
            assert text in page


def test_settings_change_later(client: Client, draft: Campaign) -> None:
    campaign = draft
    services.open_campaign(campaign=campaign)
    campaign.refresh_from_db()
    before = campaign.configuration
    assert 'value="0.8"' in client.get(SETTINGS).content.decode()
    assert save_settings(client, {**FILLED, "budget": "500"}).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.name, campaign.slug) == ("News track 2026", "small")
    assert (campaign.p, campaign.budget) == (0.9, 500)
    assert campaign.configuration > before


def test_an_open_campaign_says_what_is_saved_and_stays_there(client: Client, draft: Campaign) -> None:
    services.open_campaign(campaign=draft)
    address = f"{SETTINGS}save/judging/"
    reply = client.post(address, FILLED, follow=True)
    assert reply.redirect_chain == [(f"{SETTINGS}?step=judging#judging-said", 302)]
    assert "The settings are saved." in reply.content.decode()
    swapped = client.post(address, FILLED, headers={"HX-Request": "true"})
    assert "The settings are saved." in swapped.content.decode()
    assert swapped.headers["HX-Trigger"] == "changed-settings"


def test_the_first_wrong_field_of_the_page_is_focused(client: Client) -> None:
    filled = {**FILLED, "repeat_share": "0.6", "budget": "0"}
    page = client.post(f"{SETTINGS}save/judging/", filled).content.decode()
    assert page.count("autofocus") == 1
    assert "autofocus" in page[page.index('name="budget"') :].split(">")[0]


def test_a_wrong_option_of_the_method_says_so_at_its_field(client: Client) -> None:
    page = client.post(f"{SETTINGS}save/measure/", {**FILLED, "method": "hedge", "hedge.beta": "7"})
    field = page.content.decode().split('id="option-hedge-beta"')[1].split("</div>")[0]
    assert "autofocus" in field
    assert 'id="option-hedge-beta_error"' in field


def test_messages_stand_beside_the_form(client: Client, draft: Campaign) -> None:
    services.open_campaign(campaign=draft)
    for address, filled, place in (
        (f"{SETTINGS}save/judging/", FILLED, "judging"),
        (f"{SETTINGS}save/name/", FILLED, "name"),
        ("/campaigns/small/move/", {"to": "archive"}, "archive"),
        ("/campaigns/small/move/", {"to": "pause"}, "open"),
        (f"{SETTINGS}drop-topics/", {"topic": "none"}, "topics"),
        ("/campaigns/small/source/", {"url_template": "no address"}, "source"),
        ("/campaigns/small/source/", {"url_template": ""}, "source"),
    ):
        reply = client.post(address, filled, follow=True)
        assert reply.redirect_chain[-1][0].endswith(f"#{place}-said")
        page = reply.content.decode()
        assert 'role="status"' in page.split(f'id="{place}-said"')[1].split("</div>")[0], address
        assert page.count('tabindex="-1" autofocus') == 1, address


def test_links_lead_to_settings_of_their_step(client: Client) -> None:
    """Written as `step_address "judging" … #policy`, in templates."""
    page = client.get(SETTINGS).content.decode()
    found = []
    for path in Path("templates").rglob("*.html"):
        text = path.read_text()
        steps = re.findall(r'step_address "(\w+)"', text)
        found += [(steps, name) for name in re.findall(r'(?:" %}|\{\{ set\w+ }})#(\w+)', text) if steps]
    assert len(found) > 10
    parts = page.split('class="step"')
    for steps, name in found:
        part = next(one for one in parts if f' id="{name}"' in one)
        assert part.split('id="')[1].split('"')[0] in steps, name


def test_the_settings_page_of_old_leads_on(client: Client) -> None:
    reply = client.get("/campaigns/small/settings/")
    assert (reply.status_code, reply.headers["Location"]) == (302, SETTINGS)


def test_how_much_is_judged_twice_is_set_and_changed_later(client: Client, draft: Campaign) -> None:
    save_settings(client, {**FILLED, "overlap_share": "0.2", "overlap_assessors": "3"})
    campaign = Campaign.objects.get()
    assert (campaign.overlap_share, campaign.overlap_assessors, campaign.repeat_share) == (0.2, 3, 0.0)
    Campaign.objects.update(status="open")
    assert 'value="0.2"' in client.get(SETTINGS).content.decode()
    save_settings(client, {**FILLED, "overlap_share": "0.1", "overlap_assessors": "", "repeat_share": "0.05"})
    campaign.refresh_from_db()
    assert (campaign.overlap_share, campaign.overlap_assessors, campaign.repeat_share) == (0.1, 3, 0.05)
    changes = Deed.objects.filter(campaign=campaign, kind="settings").latest("id").detail["changes"]
    assert changes == {"overlap_share": [0.2, 0.1], "repeat_share": [0.0, 0.05]}
