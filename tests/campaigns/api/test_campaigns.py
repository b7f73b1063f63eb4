from __future__ import annotations

from typing import Any

import pytest

from campaigns.models import Campaign
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

ALL = "/api/v1/campaigns/"


def test_create_list_and_change() -> None:
    make_user("ada")
    client = signed_in("ada")
    made = client.post(ALL, {"name": "News 2026", "p": 0.95}, content_type="application/json")
    assert made.status_code == 201, made.content
    assert made.json()["slug"] == "news-2026"
    assert made.json()["measure"] == "RBP(p=0.95)"
    assert [row["slug"] for row in client.get(ALL).json()["results"]] == ["news-2026"]
    changes = {"method": "A", "overlap_share": 0.1, "overlap_assessors": 3, "repeat_share": 0.05}
    changed = client.patch(f"{ALL}news-2026/", changes, content_type="application/json")
    assert {name: changed.json()[name] for name in changes} == changes
    assert Campaign.objects.get().configuration == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("p", 0),
        ("p", 1.0),
        ("p", "nan"),
        ("p", "often"),
        ("method", "D"),
        ("scope", "world"),
        ("batch", 0),
        ("min_judgments", -1),
        ("budget", 0),
        ("grades", []),
        ("grades", "three"),
        ("grades", [{"grade": 0, "label": "no", "gain": 0, "key": "0"}]),
        ("overlap_share", 1.5),
        ("overlap_share", -0.1),
        ("overlap_assessors", 1),
        ("overlap_assessors", 21),
        ("repeat_share", 0.6),
        ("colour", "red"),
        ("name", ""),
    ],
)
def test_bad_settings_are_named_and_change_nothing(field: str, value: Any) -> None:
    make_user("ada")
    client = signed_in("ada")
    client.post(ALL, {"name": "News"}, content_type="application/json")
    reply = client.patch(f"{ALL}news/", {field: value}, content_type="application/json")
    assert reply.status_code == 400, reply.content
    assert field in str(reply.json()["errors"]) + reply.json()["detail"]
    assert Campaign.objects.get().configuration == 1


def test_an_unfinished_campaign_does_not_open() -> None:
    make_user("ada")
    client = signed_in("ada")
    client.post(ALL, {"name": "News"}, content_type="application/json")
    reply = client.post(f"{ALL}news/open/", content_type="application/json")
    assert reply.status_code == 409
    assert "topics" in reply.json()["detail"]


def test_open_pause_close() -> None:
    campaign = make_campaign(opened=False)
    ada = Api(campaign, "Small-ada")
    assert ada.post("open/").json() == {"status": "open"}
    assert ada.post("pause/").json() == {"status": "paused"}
    assert ada.post("open/").json() == {"status": "open"}
    assert ada.post("close/").json() == {"status": "closed"}
    assert ada.post("pause/").status_code == 409


@pytest.mark.parametrize("path", ["open/", "pause/", "close/", "intervals/", "status/", "qrels/"])
def test_organisers_only(path: str) -> None:
    campaign = make_campaign()
    make_campaign("Other")
    moves = path in ("open/", "pause/", "close/")
    for username, status in (("Small-grace", 403), ("Other-ada", 404)):
        api = Api(campaign, username)
        reply = api.post(path) if moves else api.get(path)
        assert reply.status_code == status, (username, reply.content)
    wrong = Api(campaign, "Small-ada")
    assert (wrong.get(path) if moves else wrong.client.put(wrong.root + path)).status_code == 405


def test_an_assessor_sees_no_method_and_cannot_change_settings() -> None:
    campaign = make_campaign()
    grace = Api(campaign, "Small-grace")
    seen = [grace.get("").json(), grace.client.get(ALL).json()["results"][0]]
    for campaign_seen in seen:
        assert not {"method", "scope", "p", "measure", "budget"} & set(campaign_seen)
        assert not {"overlap_share", "overlap_assessors", "repeat_share"} & set(campaign_seen)
        assert all("gain" not in row for row in campaign_seen["grades"])
    reply = grace.client.patch(grace.root, {"p": 0.5}, content_type="application/json")
    assert reply.status_code == 403


def test_intervals_before_anything_is_computed_say_nothing_is_known() -> None:
    campaign = make_campaign()
    body = Api(campaign, "Small-ada").get("intervals/").json()
    assert body["judged"] == 0
    assert [(row["run"], row["base"], row["top"]) for row in body["runs"]] == [
        ("x", 0.0, 1.0),
        ("y", 0.0, 1.0),
        ("z", 0.0, 1.0),
    ]


def test_intervals_cost_the_same_number_of_queries_for_any_number_of_runs(
    django_assert_max_num_queries: Any,
) -> None:
    campaign = make_campaign()
    ada = Api(campaign, "Small-ada")
    with django_assert_max_num_queries(12):
        ada.get("intervals/")


def test_grades_in_use_stay_in_the_scale() -> None:
    campaign = make_campaign()
    Api(campaign, "Small-grace").judge("1", "a", 2)
    ada = Api(campaign, "Small-ada")
    two = [
        {"grade": 0, "label": "no", "gain": 0, "key": "0"},
        {"grade": 1, "label": "yes", "gain": 1, "key": "1"},
    ]
    reply = ada.client.patch(ada.root, {"grades": two}, content_type="application/json")
    assert (reply.status_code, reply.json()["code"]) == (409, "grade_in_use")


@pytest.mark.parametrize("path", ["next/?topic=%00", "judgments/?topic=%00", "intervals/?topic=%00"])
def test_a_nul_in_the_address_is_refused(path: str) -> None:
    ada = Api(make_campaign(), "Small-ada")
    assert ada.client.get(ada.root + path).status_code == 400
    assert ada.client.get("/judge/small/%00/").status_code == 400


@pytest.mark.parametrize(
    "body", ["[" * 100_000, '{"name": "x"', "\x00", '{"name": "' + "a" * 6_000_000 + '"}']
)
def test_odd_json_is_refused(body: str) -> None:
    make_user("ada")
    reply = signed_in("ada").post(ALL, body, content_type="application/json")
    assert reply.status_code in (400, 413)
    assert not Campaign.objects.exists()


def test_long_and_reserved_names() -> None:
    make_user("ada")
    client = signed_in("ada")
    for _ in range(2):
        reply = client.post(ALL, {"name": "a" * 200}, content_type="application/json")
    assert reply.json()["code"] == "slug_taken"
    assert len(Campaign.objects.get().slug) == 80
    other = client.post(ALL, {"name": "a" * 200, "slug": "other"}, content_type="application/json")
    assert other.status_code == 201
    assert client.post(ALL, {"name": "New"}, content_type="application/json").status_code == 409


def test_live_intervals_are_of_the_campaigns_measure() -> None:
    ada = Api(make_campaign(), "Small-ada")
    assert ada.get("intervals/", measure="RBP(p=0.8)").status_code == 200
    assert ada.get("intervals/", measure="P@10").status_code == 400


def test_names_in_any_script_that_can_be_shown() -> None:
    make_user("ada")
    client = signed_in("ada")

    def make(name: str) -> Any:
        return client.post(ALL, {"name": name}, content_type="application/json")

    # Emoji of several characters, and the blank of Japanese.
    names = ("検索\u3000評価", "Поиск", "\N{WOMAN}\u200d\N{PERSONAL COMPUTER} 1")
    assert [make(name).json()["slug"] for name in names] == ["campaign", "campaign-2", "1"]
    for name in ("two\nlines", "a\u202eb", "a\u2028b", "?!"):
        refused = make(name)
        assert (refused.status_code, refused.json()["code"]) == (400, "bad_name"), ascii(name)
        changed = client.patch(f"{ALL}campaign/", {"name": name}, content_type="application/json")
        assert (changed.status_code, changed.json()["errors"][0]["field"]) == (400, "name"), ascii(name)
    assert Campaign.objects.count() == 3
