"""A client that has the current answer gets a 304, and never one after a change."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from campaigns.collection import run_changes
from campaigns.computing.tasks import recompute
from campaigns.measurement.measure_computation import write_measured
from campaigns.models import Advice, Campaign, Deed
from campaigns.setup import campaigns
from tests.campaigns.factories import Api, add_run, make_campaign
from tests.campaigns.stopping.stopping_look import predict_scores

pytestmark = pytest.mark.django_db

EXPORTS = ["qrels/", "qrels/?pooled=true", "prels/", "exports/judgments-csv/", "exports/scores-csv/"]
MEASURED = ["measures/", "measures/pairs/", "exports/measures/"]
ANSWERS = [
    *EXPORTS,
    *MEASURED,
    "intervals/",
    "intervals/?topic=1",
    "pairs/",
    "predictions/",
    "priorities/?topic=1",
]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    Api(campaign, "Small-grace").judge("1", "a", 1)
    recompute(campaign.id)
    return campaign


def ask(campaign: Campaign, path: str, known: str = "", who: str = "Small-ada", **headers: str) -> Any:
    api = Api(campaign, who)
    given = {"If-None-Match": known, **headers} if known else headers
    return api.client.get(api.root + path, headers=given)


@pytest.mark.parametrize("path", ANSWERS)
def test_what_somebody_has_is_not_sent_again(campaign: Campaign, path: str) -> None:
    first = ask(campaign, path)
    tag = first.headers["ETag"]
    assert (first.status_code, tag[:3], tag[-1]) == (200, 'W/"', '"')
    assert b"".join(first) or path.startswith("prels")
    exported = Deed.objects.filter(kind="exported").count()
    for known in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        again = ask(campaign, path, known)
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
        for name in ("Cache-Control", "Vary"):
            assert set(again.headers[name].split(", ")) >= set(first.headers[name].split(", "))
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert {"Authorization", "Cookie", "Accept-Encoding"} <= set(first.headers["Vary"].split(", "))
    # Nothing went out.
    assert Deed.objects.filter(kind="exported").count() == exported
    for known in ('"other"', 'W/"', "nonsense", tag[:-2]):
        assert ask(campaign, path, known).status_code == 200


def judged(campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "b", 2)
    recompute(campaign.id)


def another_p(campaign: Campaign) -> None:
    campaigns.change_settings(campaign=campaign, p=0.5)
    recompute(campaign.id)


def another_scale(campaign: Campaign) -> None:
    grades = [{**row, "gain": 1.0 if row["grade"] else 0.0} for row in campaign.grades]
    campaigns.change_settings(campaign=campaign, grades=grades)


def another_run(campaign: Campaign) -> None:
    add_run(campaign, "late", {"1": ["z", "a"]})


def withdrawn(campaign: Campaign) -> None:
    run_changes.withdraw(run=campaign.runs.get(tag="z"))


def in_a_group(campaign: Campaign) -> None:
    run_changes.set_group(run=campaign.runs.get(tag="z"), group="ours")


def advised(campaign: Campaign) -> None:
    Advice.objects.update_or_create(
        campaign=campaign, defaults={"content": {}, "as_of": 1, "configuration": campaign.configuration}
    )


def measured(campaign: Campaign) -> None:
    write_measured(campaign)


def predicted(campaign: Campaign) -> None:
    predict_scores(campaign)


LOG = {"qrels/", "prels/", "exports/scores-csv/", "intervals/", "intervals/?topic=1", "priorities/?topic=1"}


@pytest.mark.parametrize(
    ("change", "paths"),
    [
        (judged, {*LOG, "exports/judgments-csv/", "exports/judgments-jsonl/", "exports/qrels/"}),
        (another_p, LOG | {"pairs/", "predictions/", *MEASURED}),
        (another_scale, {*LOG, "qrels/?policy=mean"}),
        (another_run, LOG | {"qrels/?pooled=true"}),
        (withdrawn, LOG | {"pairs/", "predictions/", *MEASURED}),
        (measured, {*MEASURED, "measures/?measure=RBP(p=0.8)"}),
        (in_a_group, {"exports/measures/", "exports/scores-csv/", "intervals/", "intervals/?topic=1"}),
        (advised, {"pairs/"}),
        (predicted, {"pairs/", "predictions/", "predictions/?topics=judged", "exports/scores-csv/"}),
    ],
)
def test_whatever_changes_the_answer_changes_its_tag(
    campaign: Campaign, change: Callable[[Campaign], None], paths: set[str]
) -> None:
    before = {path: ask(campaign, path).headers["ETag"] for path in paths}
    change(campaign)
    for path, tag in before.items():
        assert ask(campaign, path, tag).status_code == 200, path


def test_a_default_policy_that_changes(campaign: Campaign) -> None:
    tag = ask(campaign, "qrels/").headers["ETag"]
    campaigns.change_settings(campaign=campaign, policy="mean")
    assert ask(campaign, "qrels/", tag).status_code == 200


def test_tags_let_nobody_in(campaign: Campaign) -> None:
    make_campaign("Other")
    for path in ANSWERS:
        tag = ask(campaign, path).headers["ETag"]
        for known in (tag, "*"):
            assert ask(campaign, path, known, who="Small-grace").status_code == 403
            assert ask(campaign, path, known, who="Other-ada").status_code == 404


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("pairs/?versus=bottom", "versus"),
        ("predictions/?topics=some", "topics"),
        ("predictions/?run=nobody", "run"),
        ("qrels/?policy=loudest", "policy"),
        ("qrels/?pooled=2", "pooled"),
        ("intervals/?measure=AP", "measure"),
        ("measures/?measure=AP", "measure"),
        ("measures/pairs/?measure=AP", "measure"),
        ("measures/pairs/?run=nobody", "run"),
        ("priorities/?topic=1&limit=0", "limit"),
    ],
)
def test_what_is_wrong_is_said_whatever_somebody_has(campaign: Campaign, path: str, field: str) -> None:
    for known in ("", "*"):
        reply = ask(campaign, path, known)
        assert (reply.status_code, reply.json()["errors"][0]["field"]) == (400, field)
        assert "ETag" not in reply.headers


@pytest.mark.parametrize("path", ANSWERS)
def test_head(campaign: Campaign, path: str) -> None:
    api = Api(campaign, "Small-ada")
    full = api.get(path)
    exported = Deed.objects.filter(kind="exported").count()
    reply = api.client.head(api.root + path)
    assert (reply.status_code, b"".join(reply)) == (200, b"")
    for name in ("ETag", "Content-Type", "Cache-Control"):
        assert reply.headers[name] == full.headers[name]
    # An export's length is known only once it is made.
    assert reply.headers.get("Content-Length") == full.headers.get("Content-Length")
    assert Deed.objects.filter(kind="exported").count() == exported
    assert (
        api.client.head(api.root + path, headers={"If-None-Match": reply.headers["ETag"]}).status_code == 304
    )


@pytest.mark.parametrize("path", ["intervals/", "qrels/", ""])
def test_compressed_it_says_the_same(campaign: Campaign, path: str) -> None:
    plain = ask(campaign, path)
    packed = ask(campaign, path, **{"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert gzip.decompress(b"".join(packed)) == b"".join(plain)
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert packed.headers.get("ETag") == plain.headers.get("ETag")
    if path:
        known = plain.headers["ETag"]
        assert ask(campaign, path, known, **{"Accept-Encoding": "gzip"}).status_code == 304


def test_who_does_not_want_it_compressed_gets_it_plain(campaign: Campaign) -> None:
    for said in ("gzip;q=0", "br, GZIP ; q=0.000, deflate", "identity"):
        plain = ask(campaign, "intervals/", **{"Accept-Encoding": said})
        assert "Content-Encoding" not in plain.headers, said
        assert "Accept-Encoding" in plain.headers["Vary"]
    for said in ("gzip;q=0.5", "gzip;q=1, br;q=0"):
        assert ask(campaign, "intervals/", **{"Accept-Encoding": said}).headers["Content-Encoding"] == "gzip"


def test_pages_are_not_compressed_nor_packed_files_again(campaign: Campaign) -> None:
    client = Api(campaign, "Small-ada").client
    for path in ("/campaigns/small/", "/api/v1/campaigns/small/bundle/"):
        reply = client.get(path, headers={"Accept-Encoding": "gzip"})
        assert reply.status_code == 200
        assert "Content-Encoding" not in reply.headers
