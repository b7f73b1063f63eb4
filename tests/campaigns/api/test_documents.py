"""Reading documents back, who may, and where they can be seen at their source."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from django.contrib.staticfiles import finders

from campaigns.collection.access import set_url_template, source_url
from campaigns.collection.documents import store_documents
from campaigns.core.errors import Refusal
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Collection
from campaigns.models.collection import LANGUAGES
from campaigns.pages.setup.collection import LANGUAGE_NAMES
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

PNG = b"\x89PNG\r\n\x1a\nrest"
TEMPLATE = "https://example.org/d?id={docno}"
BODIES = {
    "a": ("<h1>Head</h1><script>x()</script>", "text/html"),
    "b": (base64.b64encode(PNG).decode(), "image/png"),
    "c": ("**bold**", "text/markdown"),
    "d": ("plain", "text/plain"),
    "e": (base64.b64encode(b"%PDF-1.4").decode(), "application/pdf"),
    "x/y?#%": ("<p>odd", "text/html"),
}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Read", {"up": {"1": list(BODIES)}}, opened=False)
    records = [DocumentRecord(docno, "", body, kind) for docno, (body, kind) in BODIES.items()]
    store_documents(collection=campaign.collection, records=records, file="texts")
    set_url_template(collection=campaign.collection, template=TEMPLATE)
    ada(campaign).post("open/")
    return campaign


def ada(campaign: Campaign) -> Api:
    return Api(campaign, "Read-ada")


def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Read-grace")


def served(campaign: Campaign) -> dict[str, Any]:
    """Every document as the assessor gets it, by docno."""
    api, found = grace(campaign), {}
    for _ in BODIES:
        document = api.get("next/", topic="1").json()["document"]
        found[document["docno"]] = document
        api.judge("1", document["docno"], 0)
    return found


def test_what_is_served_says_how_to_show_it(campaign: Campaign) -> None:
    found = served(campaign)
    assert {docno: row["kind"] for docno, row in found.items()} == {
        "a": "html",
        "b": "image",
        "c": "markdown",
        "d": "text",
        "e": "pdf",
        "x/y?#%": "html",
    }
    assert found["a"]["rendered"] == "<h1>Head</h1>"
    assert found["c"]["rendered"] == "<p><strong>bold</strong></p>\n"
    assert found["d"]["rendered"] is None
    assert (found["b"]["body"], found["b"]["content"]) == ("", "documents/b/content/?revision=1")
    assert found["d"]["content"] == ""
    assert found["x/y?#%"]["url"] == "https://example.org/d?id=x%2Fy%3F%23%25"


def test_bytes_come_with_their_type_and_nothing_of_them_can_run(campaign: Campaign) -> None:
    reply = ada(campaign).get("documents/b/content/")
    assert (reply.status_code, reply.content) == (200, PNG)
    assert reply["Content-Type"] == "image/png"
    assert reply["Content-Disposition"] == 'inline; filename="b"'
    assert reply["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in reply["Content-Security-Policy"]
    assert "sandbox" in reply["Content-Security-Policy"]
    page = ada(campaign).get("documents/a/content/")
    assert page["Content-Type"] == "text/html; charset=utf-8"
    assert "sandbox" in page["Content-Security-Policy"]
    odd = ada(campaign).get("documents/x%2Fy%3F%23%25/content/")
    assert odd["Content-Disposition"] == 'inline; filename="x_y?#%"'
    paper = ada(campaign).get("documents/e/content/")
    assert paper["Content-Type"] == "application/pdf"
    assert "default-src 'none'" in paper["Content-Security-Policy"]
    assert paper["X-Frame-Options"] == "SAMEORIGIN"


def test_assessors_read_what_was_put_before_them_and_nothing_else(campaign: Campaign) -> None:
    api = grace(campaign)
    first = api.get("next/", topic="1").json()["document"]["docno"]
    other = next(docno for docno in "abcde" if docno != first)
    assert api.get(f"documents/{first}/content/").status_code == 200
    assert api.get(f"documents/{other}/content/").status_code == 404
    api.judge("1", first, 1)
    assert api.get(f"documents/{first}/content/").status_code == 200
    assert Api(campaign, "Read-alan").get(f"documents/{first}/content/").status_code == 404


def test_strangers_and_other_methods_are_refused(campaign: Campaign) -> None:
    make_campaign("Other")
    stranger = Api(campaign, "Other-ada")
    for path in ("documents/a/", "documents/a/content/"):
        assert stranger.get(path).status_code == 404
        assert ada(campaign).post(path).status_code == 405
    assert ada(campaign).get("documents/nowhere/").status_code == 404
    assert ada(campaign).get("documents/nowhere/content/").status_code == 404


def test_documents_are_read_back_by_organisers(campaign: Campaign) -> None:
    reply = ada(campaign).get("documents/x/y%3F%23%25/")
    assert reply.json() == {
        "docno": "x/y?#%",
        "title": "",
        "body": "<p>odd",
        "content_type": "text/html",
        "kind": "html",
        "url": "https://example.org/d?id=x%2Fy%3F%23%25",
        "document_revision": 1,
        "metadata": [],
        "earlier": [],
    }
    assert grace(campaign).get("documents/a/").status_code == 403


@pytest.mark.parametrize(
    "template",
    [
        "javascript:alert({docno})",
        "ftp://example.org/{docno}",
        "example.org/{docno}",
        "//example.org/{docno}",
        "https:///{docno}",
        "https://{docno}.example.org/",
        "https://me@example.org/{docno}",
        "https://example.org/",
        "https://example.org/{docno}/{page}",
        "https://example.org/ {docno}",
        "https://example.org/{docno}\nx",
        'https://example.org/"{docno}',
        "https://example.org:99999/{docno}",
        "https://[::1/{docno}",
        "https://example.org/{docno}" + "x" * 500,
    ],
)
def test_addresses_that_lead_astray_are_refused(template: str) -> None:
    with pytest.raises(Refusal) as caught:
        set_url_template(collection=Collection(), template=template)
    assert caught.value.field == "url_template"


def test_an_address_is_made_of_any_docno() -> None:
    assert source_url("", "d") == ""
    assert source_url("http://h.example/{docno}/{docno}", "é&/../") == (
        "http://h.example/%C3%A9%26%2F..%2F/%C3%A9%26%2F..%2F"
    )


def test_organisers_set_the_language_of_the_documents(campaign: Campaign) -> None:
    api = ada(campaign)
    assert api.get("").json()["language"] == "english"
    patched = api.client.patch(api.root, {"language": "german"}, content_type="application/json")
    assert patched.json()["language"] == "german"
    assert grace(campaign).get("").json()["language"] == "german"
    wrong = api.client.patch(api.root, {"language": "klingon"}, content_type="application/json")
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "language")
    refused = grace(campaign).client.patch(api.root, {"language": "french"}, content_type="application/json")
    assert refused.status_code == 403
    page = api.client.post(f"/campaigns/{campaign.slug}/source/", {"url_template": "", "language": "x"})
    assert page.status_code == 302
    assert Campaign.objects.get().collection.language == "german"


def test_each_language_has_its_stemmer() -> None:
    assert set(LANGUAGES) == set(LANGUAGE_NAMES)
    for name in ("base", *LANGUAGES):
        assert finders.find(f"stemmers/{name}-stemmer.js"), name


def test_organisers_set_the_address_by_patch_and_with_an_upload(campaign: Campaign) -> None:
    api = ada(campaign)
    wish = {"url_template": "http://h.example/{docno}"}
    patched = api.client.patch(api.root, wish, content_type="application/json")
    assert patched.json()["url_template"] == "http://h.example/{docno}"
    wrong = api.client.patch(
        api.root, {"url_template": "h/{docno}", "name": "New"}, content_type="application/json"
    )
    assert wrong.status_code == 400
    assert wrong.json()["errors"][0]["field"] == "url_template"
    assert api.get("").json()["name"] == "Read"
    assert "url_template" not in grace(campaign).get("").json()
    assert api.upload("collection/", b"f\ttext\n", url_template="http://i.example/{docno}").status_code == 201
    assert api.get("").json()["url_template"] == "http://i.example/{docno}"
    assert api.upload("collection/", b"g\ttext\n", url_template="i/{docno}").status_code == 400
    assert api.get("documents/g/").status_code == 404
    again = api.client.patch(api.root, {"url_template": ""}, content_type="application/json")
    assert again.json()["url_template"] == ""


def test_organisers_set_the_address_on_the_setup_page(campaign: Campaign) -> None:
    client, page = ada(campaign).client, "/campaigns/read/source/"
    assert client.post(page, {"url_template": "http://h.example/{docno}"}).status_code == 302
    assert b'value="http://h.example/{docno}"' in client.get("/campaigns/read/setup/").content
    part = client.post(page, {"url_template": "h"}, headers={"HX-Request": "true"})
    assert part.status_code == 200
    assert b'aria-invalid="true"' in part.content
    campaign.collection.refresh_from_db()
    assert campaign.collection.url_template == "http://h.example/{docno}"
    assert client.get(page).status_code == 405
    assert grace(campaign).client.post(page, {"url_template": ""}).status_code in (403, 404)
