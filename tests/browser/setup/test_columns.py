"""Files of other tools, dropped at once on an empty campaign: mapped by their columns, imported, opened."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Locator, Page, expect

from campaigns.models import Document, Judgment, Run, Topic
from campaigns.setup import campaigns as services
from tests.browser.organiser import fits, sign_in
from tests.browser.setup.test_files import archived, file, group, said
from tests.campaigns.factories import make_user

NOUNS = ("lakes", "rivers", "mountains", "harbours")


def beir() -> bytes:
    """A zip as BEIR hands it out."""
    corpus = [
        {"_id": f"d{n}", "title": f"On {noun}", "text": f"{noun} freeze."} for n, noun in enumerate(NOUNS)
    ]
    queries = [
        {"_id": f"q{n}", "text": f"which {noun} freeze", "metadata": {}} for n, noun in enumerate(NOUNS[:2])
    ]
    return archived(
        **{
            "lakes/corpus.jsonl": "".join(json.dumps(one) + "\n" for one in corpus).encode(),
            "lakes/queries.jsonl": "".join(json.dumps(one) + "\n" for one in queries).encode(),
            "lakes/qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq0\td0\t1\nq1\td0\t0\n",
        }
    )


def odd_parquet(first: int) -> bytes:
    """Documents under names that nobody knows."""
    columns = {
        "key": [f"p{first + n}" for n in range(20)],
        "caption": [f"Page {first + n}" for n in range(20)],
        "story": [f"The lake behind house {first + n} was frozen from December to March." for n in range(20)],
        "seen": [2020 + n for n in range(20)],
    }
    made = io.BytesIO()
    pq.write_table(pa.table(columns), made)
    return made.getvalue()


MS_MARCO = "".join(
    f"{topic}\td{place}\t{place + 1}\n" for topic in ("q0", "q1") for place in range(4)
).encode()


@pytest.fixture
def empty(page: Page, live_site: str) -> Page:
    services.create(organiser=make_user("ada"), name="Empty")
    sign_in(page, live_site, "ada")
    page.goto("/campaigns/empty/setup/")
    return page


def line(page: Page, name: str) -> Locator:
    return page.locator(".upload-file", has=page.get_by_text(name, exact=True))


def test_files_of_other_tools_are_mapped_and_imported(celery_worker: object, empty: Page) -> None:
    files = [
        file("lakes.zip", beir()),
        file("msmarco.tsv", MS_MARCO),
        file("pages-1.parquet", odd_parquet(0)),
        file("pages-2.parquet", odd_parquet(20)),
    ]
    empty.locator("#any-files").set_input_files(files)
    expect(said(empty)).to_have_text("1 archive · 1 run · 2 files not recognised: Parquet file")
    expect(group(empty, "runs").locator(".first-record")).to_contain_text("topic q0")
    # A table of unknown names is shown, and what it holds is to be said.
    for name in ("pages-1.parquet", "pages-2.parquet"):
        odd = line(empty, name)
        expect(odd.locator("thead th")).to_have_text(["key", "caption", "story", "seen"])
        expect(odd.locator("tbody tr").first).to_contain_text("The lake behind house")
        odd.get_by_role("button", name="Use as documents").click()
        expect(odd.get_by_text("Choose which column is: docno.")).to_be_visible()
    button = empty.locator("[data-import]")
    expect(button).to_be_disabled()
    expect(empty.locator("[data-unread]")).to_contain_text("pages-1.parquet, pages-2.parquet")
    odd = line(empty, "pages-1.parquet")
    odd.get_by_label("docno").select_option("key")
    expect(odd.get_by_label("docno")).to_be_focused()
    odd.get_by_label("text").select_option("story")
    expect(odd.locator(".read-as")).to_contain_text("docno p0")
    expect(odd.locator(".read-as")).to_contain_text("text The lake behind house 0")
    odd.get_by_label("title").select_option("caption")
    expect(odd.locator(".read-as")).to_contain_text("title Page 0")
    # The choice is one for all files with these columns.
    other = line(empty, "pages-2.parquet")
    expect(other.locator("summary").first).to_have_text("Columns: docno = key, title = caption, text = story")
    expect(empty.locator("[data-unread]")).to_be_hidden()
    button.click()
    expect(said(empty)).to_have_text("4 files imported")
    assert Document.objects.count() == 44
    assert Document.objects.get(docno="p39").title == "Page 39"
    assert Document.objects.get(docno="p39").metadata == {"seen": "2039"}
    assert (Topic.objects.count(), Judgment.objects.count(), Run.objects.get().tag) == (2, 2, "msmarco")
    # The next file of these columns needs no choice.
    empty.locator("#any-files").set_input_files([file("pages-3.parquet", odd_parquet(40))])
    expect(group(empty, "collection").locator(".first-record")).to_contain_text("title Page 40")
    expect(button).to_be_enabled()
    assert fits(empty)
    button.click()
    expect(said(empty)).to_have_text("5 files imported")
    assert Document.objects.count() == 64
    empty.goto("/campaigns/empty/setup/?step=people")
    empty.get_by_text("Add a person without an invitation").click()
    empty.fill("#create-username", "grace")
    empty.get_by_role("button", name="Make an account").click()
    expect(empty.locator("#state-people")).to_contain_text("1 assessor")
    empty.goto("/campaigns/empty/setup/?step=open")
    empty.get_by_role("button", name="Open the campaign").click()
    expect(empty.get_by_text("The campaign is open")).to_be_visible()
