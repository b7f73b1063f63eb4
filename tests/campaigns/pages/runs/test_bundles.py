"""Bundles by page and API: who gets them, and what becomes of one that is sent."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from campaigns.models import Campaign, Deed
from tests.campaigns.exchange.bundles.bundle_copies import contents, opened, packed
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small")
    Api(campaign, "Small-grace").judge("1", "a", 1)
    return campaign


def send(client: Client, content: bytes, slug: str = "") -> Any:
    file = SimpleUploadedFile("small.bundle.zip", content, content_type="application/zip")
    return client.post("/campaigns/new/bundle/", {"file": file, "slug": slug})


@pytest.mark.parametrize("path", ["/campaigns/small/exports/bundle/", "/api/v1/campaigns/small/bundle/"])
def test_a_bundle_is_for_the_campaigns_organisers(campaign: Campaign, path: str) -> None:
    make_user("stranger")
    reply = signed_in("Small-ada").get(path)
    assert reply.headers["Content-Type"] == "application/zip"
    assert 'filename="small.bundle.zip"' in reply.headers["Content-Disposition"]
    bundle = opened(b"".join(reply))
    assert (bundle.rows["judgments.jsonl"], bundle.texts, bundle.pseudonyms) == (1, True, False)
    assert Deed.objects.filter(campaign=campaign, kind="exported", detail__file="small.bundle.zip").exists()
    assert signed_in("Small-ada").post(path).status_code == 405
    assert signed_in("Small-grace").get(path).status_code == 403
    assert signed_in("stranger").get(path).status_code == 404


def test_without_texts_and_names(campaign: Campaign) -> None:
    page = signed_in("Small-ada").get("/campaigns/small/exports/bundle/?without_texts&pseudonyms")
    name = 'filename="small.without-texts.pseudonyms.bundle.zip"'
    assert name in page.headers["Content-Disposition"]
    api = Api(campaign, "Small-ada")
    reply = api.get("bundle/", texts="false", pseudonyms="true")
    one, other = (contents(b"".join(each)) for each in (page, reply))
    assert one == other
    assert not any(b"Small-grace" in entry for entry in one.values())
    wrong = api.get("bundle/", texts="perhaps")
    assert wrong.status_code == 400
    assert wrong.json()["errors"][0]["field"] == "texts"


def test_a_sent_bundle_becomes_a_campaign_of_the_sender(campaign: Campaign) -> None:
    content = packed(campaign)
    make_user("eve")
    client = signed_in("eve")
    assert "From a bundle" in client.get("/campaigns/new/bundle/").content.decode()
    reply = send(client, content, "mine")
    assert reply.status_code == 302
    assert reply.headers["Location"] == "/campaigns/mine/"
    assert client.get("/campaigns/mine/").status_code == 200
    assert Deed.objects.get(campaign__slug="mine", kind="bundle imported").actor_name == "eve"
    assert not Campaign.objects.get(slug="small").memberships.filter(user__username="eve").exists()


def test_what_is_wrong_is_said_and_nothing_stored(campaign: Campaign) -> None:
    content, client = packed(campaign), signed_in("Small-ada")
    for sent, slug, says in (
        (content, "", "the address “small” is taken"),
        (content[:-30], "x", "small.bundle.zip: this is not a whole zip file"),
        (content, "a b", "Enter a valid"),
    ):
        reply = send(client, sent, slug)
        assert reply.status_code == 400
        assert says in reply.content.decode()
    nothing = client.post("/campaigns/new/bundle/", {"slug": "x"})
    assert nothing.status_code == 400
    assert "Choose the bundle" in nothing.content.decode()
    assert list(Campaign.objects.values_list("slug", flat=True)) == ["small"]


def test_a_bundle_too_large_for_this_site(campaign: Campaign) -> None:
    with override_settings(MAX_UNPACKED_BYTES=100):
        reply = send(signed_in("Small-ada"), packed(campaign), "x")
    assert "at most 100 are read" in reply.content.decode()


def test_nobody_sends_one_without_signing_in(campaign: Campaign) -> None:
    assert send(Client(), packed(campaign), "x").status_code == 302
    assert Campaign.objects.count() == 1
    assert signed_in("Small-ada").put("/campaigns/new/bundle/", io.BytesIO(b"")).status_code == 405


@override_settings(SECRET_KEY="only for commands without a web server")
def test_a_site_without_a_key_says_so(campaign: Campaign) -> None:
    reply = Api(campaign, "Small-ada").get("bundle/")
    assert reply.status_code == 503
    assert reply.json()["code"] == "no_key"
