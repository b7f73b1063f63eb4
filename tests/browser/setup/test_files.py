"""One place for all files: a mix of them is sorted, shown and imported in the order of work."""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from campaigns.models import Campaign, Document, Judgment, Run, Topic
from campaigns.setup import campaigns as services
from tests.browser.organiser import fits, sign_in
from tests.browser.setup.test_setup import drop
from tests.campaigns.factories import Api, make_user, run_text
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data
from tests.plumbing.browser.chromium_fixtures import intercept

TOPICS = b"<top>\n<num> Number: 1\n<desc> Description:\nsorting rows by columns\n</top>\n"
DOCUMENTS = b"".join(json.dumps({"docno": n, "text": "Rows."}).encode() + b"\n" for n in "abc")
QRELS = b"1 0 a 1\n1 0 b 0\n"
PNG = b"\x89PNG\r\n\x1a\n\0\0"


def file(name: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": "", "buffer": content}


def archived(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def group(page: Page, place: str) -> Locator:
    return page.locator(f".file-group[data-place={place}]")


def said(page: Page) -> Locator:
    return page.locator("[data-said]")


@pytest.fixture
def empty(page: Page, live_site: str) -> Page:
    services.create(organiser=make_user("ada"), name="Empty")
    sign_in(page, live_site, "ada")
    page.goto("/campaigns/empty/setup/")
    return page


def test_a_mix_is_sorted_shown_and_imported_in_the_order_of_work(celery_worker: object, empty: Page) -> None:
    mix = [
        file("judged", QRELS),
        file("logo.png", PNG),
        file("x.gz", gzip.compress(run_text("x", {"1": ["a", "b"]}))),
        file("more.zip", archived(y=run_text("y", {"1": ["b"]}), z=run_text("z", {"1": ["c"]}))),
        file("needs", TOPICS),
        file("texts", DOCUMENTS),
    ]
    empty.locator("#any-files").set_input_files(mix)
    expect(said(empty)).to_have_text(
        "1 file of documents · 1 topic · 1 archive · 1 run · 1 qrels · 1 file not recognised: image"
    )
    expect(group(empty, "topics").locator(".first-record")).to_contain_text("sorting rows by columns")
    expect(group(empty, "runs").locator(".first-record")).to_contain_text("tag x")
    assert not Topic.objects.exists()
    empty.get_by_role("button", name="Import 5 files").click()
    expect(said(empty)).to_have_text("5 files imported · 1 left out")
    expect(empty.locator("#state-runs")).to_contain_text("3 runs")
    expect(empty.locator("#state-collection")).to_contain_text("3 documents")
    assert set(Run.objects.values_list("tag", flat=True)) == {"x", "y", "z"}
    assert Topic.objects.get().title == "sorting rows by columns"
    assert Judgment.objects.count() == 2
    # An image is a document where that is meant.
    empty.get_by_role("button", name="Use as documents").click()
    empty.get_by_role("button", name="Import 1 file").click()
    expect(said(empty)).to_have_text("6 files imported")
    assert Document.objects.filter(docno="logo", content_type="image/png").exists()
    assert fits(empty)


def test_wrong_files_say_what_they_are(empty: Page) -> None:
    Api(Campaign.objects.get(), "ada").upload("topics/", TOPICS, "t")
    bundle = archived(**{"campaign.json": b"{}", "documents.jsonl": b"", "manifest.json": b"{}"})
    broken = b"".join(b"1 Q0 d%d %d high w\n" % (n, n) for n in range(300))
    files = [
        file("p", b"1 d 1 1 0.5\n"),
        file("b.zip", bundle),
        file("t.csv", b"a,b\nc,d\n"),
        file("w", broken),
    ]
    empty.locator("#any-files").set_input_files(files)
    expect(said(empty)).to_have_text(
        "1 run · 3 files not recognised: bundle of a campaign, prels, table (CSV)"
    )
    other = group(empty, "other")
    expect(other).to_contain_text("A bundle is a campaign of its own")
    other.get_by_role("button", name="Leave out p").click()
    # A wrong use is not offered for import: its columns are to be chosen first.
    table = other.locator("li", has_text="t.csv")
    table.get_by_role("button", name="Use as qrels").click()
    expect(group(empty, "qrels")).to_contain_text("Choose which column is: topic, docno, and grade.")
    expect(empty.get_by_role("button", name="Import 2 files")).to_be_disabled()
    empty.get_by_role("button", name="Leave out t.csv").click()
    # A wrong file is refused by the server, which changes nothing.
    empty.get_by_role("button", name="Import 1 file").click()
    expect(said(empty)).to_have_text("0 files imported · 1 refused · 1 left out")
    run = group(empty, "runs").locator(".errors li")
    expect(run).to_have_count(1)
    expect(run).to_contain_text(re.compile(r"line 1 and 299 more\s+score: .*'high'"))
    assert not Run.objects.exists()
    assert not Judgment.objects.exists()
    # A campaign's bundle leads to the page that makes a campaign; this one is no whole bundle.
    other.get_by_role("button", name="Make a campaign from it").click()
    expect(empty.get_by_role("alert")).to_contain_text("Nothing was stored")


def test_topics_taken_for_documents_are_used_as_those(empty: Page) -> None:
    empty.locator("#any-files").set_input_files([file("short.tsv", b"d1\trows\nd2\tcolumns\n")])
    expect(said(empty)).to_have_text("2 topics")
    empty.get_by_role("button", name="Use as documents").click()
    expect(said(empty)).to_have_text("1 file of documents")
    empty.get_by_role("button", name="Import 1 file").click()
    expect(said(empty)).to_have_text("1 file imported")
    assert set(Document.objects.values_list("docno", flat=True)) == {"d1", "d2"}


def test_a_cancelled_import_keeps_what_is_waiting(empty: Page) -> None:
    Api(Campaign.objects.get(), "ada").upload("topics/", TOPICS, "t")
    # The first run never arrives.
    intercept(empty, re.compile("/runs/$"), lambda route: None)
    empty.locator("#any-files").set_input_files([file(n, run_text(n, {"1": ["a"]})) for n in "xy"])
    empty.get_by_role("button", name="Import 2 files").click()
    expect(empty.locator("[data-state=sending]")).to_have_count(1)
    empty.get_by_role("button", name="Cancel").click()
    expect(empty.get_by_role("button", name="Import 2 files")).to_be_visible()
    empty.get_by_role("button", name="Clear the list").click()
    expect(empty.locator(".upload-file")).to_have_count(0)
    assert not Run.objects.exists()


@needs_data
def test_cranfield_is_dropped_as_a_folder(celery_worker: object, empty: Page) -> None:
    drop(empty, ".dropzone", TREC_DATA / "cranfield")
    expect(said(empty)).to_contain_text("16 runs", timeout=60_000)
    expect(said(empty)).to_have_text("2 files of documents · 675 topics · 16 runs · 3 qrels")
    # The same documents, topics and judgments in other formats.
    for name in ("cran.all.1400", "topics.trec", "cran.qry", "qrels.graded.txt", "cranqrel"):
        empty.get_by_role("button", name=f"Leave out cranfield/{name}").click()
    expect(said(empty)).to_have_text("1 file of documents · 225 topics · 16 runs · 1 qrels")
    empty.get_by_role("button", name="Import 19 files").click()
    expect(said(empty)).to_have_text("19 files imported", timeout=120_000)
    counts = [model.objects.count() for model in (Document, Topic, Run, Judgment)]
    assert counts == [1400, 225, 16, 1837]


def test_another_field_becomes_the_text_of_documents(empty: Page) -> None:
    lines = b'{"docno": "a", "title": "Lakes in winter", "segment": "They freeze."}\n'
    empty.locator("#any-files").set_input_files([file("b.jsonl", lines), file("c.jsonl", lines)])
    expect(said(empty)).to_have_text("2 files of documents")
    files = group(empty, "collection").locator(".upload-file")
    choice = files.first.get_by_label("Text of the documents")
    expect(choice).to_have_value("segment")
    choice.select_option("title")
    # The first record is shown as it is read now; the line keeps its place, and its field the focus.
    expect(group(empty, "collection").locator(".first-record")).to_contain_text("text Lakes in winter")
    expect(files.locator(".upload-name")).to_have_text(["b.jsonl", "c.jsonl"])
    expect(choice).to_have_value("title")
    expect(choice).to_be_focused()
    files.nth(1).get_by_role("button", name="Leave out").click()
    empty.get_by_role("button", name="Import 1 file").click()
    expect(files).to_contain_text("imported: 1 document, 1 new")
    expect(files.get_by_role("combobox")).to_have_count(0)
    assert Document.objects.get().body.startswith("Lakes in winter")
