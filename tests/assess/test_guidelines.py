"""What assessors read beside the document: guidelines in Markdown, and what each grade means."""

from __future__ import annotations

import pytest

from campaigns.quality import training
from campaigns.setup.campaigns import change_settings
from campaigns.setup.examples import add_examples
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db


def test_guidelines_are_markdown_without_anything_that_runs() -> None:
    text = "# What counts\n\n- *names* it\n\n<script>alert(1)</script> <b onclick='x()'>so</b>\nand so"
    make_campaign("Small", guidelines=text)
    client = signed_in("Small-grace")
    for path in ("/judge/small/", "/judge/small/1/"):
        page = client.get(path).content.decode()
        assert "<h1>What counts</h1>" in page
        assert "<li><em>names</em> it</li>" in page
        assert "alert(1)" not in page
        assert "onclick" not in page
    assert 'id="guidelines"' in page


def test_without_guidelines_there_is_no_panel() -> None:
    make_campaign("Small")
    assert "show-guidelines" not in signed_in("Small-grace").get("/judge/small/1/").content.decode()


def test_panel_has_room_for_examples_only_where_there_are_some() -> None:
    campaign = make_campaign("Small")
    for docno in "abcde":
        training.add_item(campaign=campaign, topic="1", docno=docno, grade=1, reason="so")
    grace = signed_in("Small-grace")
    paths = ("/judge/small/1/", "/judge/small/training")
    for path in paths:
        assert "show-guidelines" not in grace.get(path).content.decode()
    add_examples(campaign=campaign, docnos=["f"], grade=1, reason="as everyone sees")
    for path in paths:
        page = grace.get(path).content.decode()
        assert "data-examples" in page
        assert 'id="show-guidelines"' in page
        # The rest comes once the panel opens.
        assert "as everyone sees" not in page


def test_definitions_describe_the_buttons_and_gains_stay_secret() -> None:
    campaign = make_campaign("Small")
    grades = [{**row, "definition": f"means <{row['grade']}>"} for row in campaign.grades]
    change_settings(campaign=campaign, grades=grades)
    page = signed_in("Small-grace").get("/judge/small/1/").content.decode()
    assert 'aria-describedby="definition-2"' in page
    assert "means &lt;2&gt;" in page
    shown = Api(campaign, "Small-grace").get("").json()["grades"]
    assert shown[1] == {"grade": 1, "label": "relevant", "key": "1", "definition": "means <1>"}


@pytest.mark.parametrize(
    "more", [{"definition": "x" * 501}, {"definition": 3}, {"note": "yes"}, {"colour": 1}]
)
def test_grades_that_cannot_be(more: dict[str, object]) -> None:
    campaign = make_campaign("Small")
    grades = [{**row, **more} for row in campaign.grades]
    reply = Api(campaign, "Small-ada").client.patch(
        "/api/v1/campaigns/small/", {"grades": grades}, content_type="application/json"
    )
    assert reply.status_code == 400


def test_organisers_write_definitions_where_grades_are_named() -> None:
    campaign = make_campaign("Small")
    posted = {
        "scale": "custom",
        "grade": ["0", "1"],
        "label": ["no", "yes"],
        "gain": ["0", "1"],
        "key": ["0", "1"],
        "definition": ["", " It names\r\nthe film. "],
        "note": ["", "yes"],
    }
    reply = signed_in("Small-ada").post("/campaigns/small/setup/save/grades/", posted)
    assert reply.status_code < 400
    campaign.refresh_from_db()
    assert campaign.grades[0] == {"grade": 0, "label": "no", "gain": 0.0, "key": "0"}
    assert campaign.grades[1]["definition"] == "It names\nthe film."
    assert campaign.grades[1]["note"] is True
