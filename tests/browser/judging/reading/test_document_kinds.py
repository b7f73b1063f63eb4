"""Documents as they are: HTML, Markdown, images, PDF, long and broken texts, in a real Chromium."""

from __future__ import annotations

import base64
import re
import struct
import zlib

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from campaigns.collection.access import set_url_template
from campaigns.collection.documents import store_documents
from campaigns.computing.tasks import recompute
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Collection
from tests.browser.judging_desk import Desk, log
from tests.campaigns.factories import make_campaign

HOSTILE = """<!DOCTYPE html><html><head><meta http-equiv="refresh" content="0;url=https://evil.example/">
<base href="https://evil.example/"><title>Evil</title><link rel="stylesheet" href="https://evil.example/s.css">
<style>@import url(https://evil.example/i.css); body { display: none }</style></head>
<body onload="top.hacked = 1" background="https://evil.example/b.png">
<h1>Sorting matrices</h1><p onclick="top.hacked = 1" style="background: url(https://evil.example/p.png)">A
sorted <b>matrix</b> of rows.</p><script>top.hacked = 1</script>
<img src="https://evil.example/t.gif" onerror="top.hacked = 1" alt="a chart of rows">
<img src=x onerror="top.hacked = 1">
<svg onload="top.hacked = 1"><script>top.hacked = 1</script></svg>
<a href="javascript:top.hacked = 1" id="evil">a link</a>
<a href="https://evil.example/" target="_top">away</a>
<form action="https://evil.example/" method="post"><input name="q" autofocus onfocus="top.hacked = 1">
<button>Send</button></form>
<iframe src="https://evil.example/f"></iframe><object data="https://evil.example/o"></object>
<video src="https://evil.example/v" poster="https://evil.example/v.png"></video>
<p dir="rtl">שורות ממוינות</p><table><tr><th>row</th><td>1</td></tr></table><p>The end.</p></body></html>"""

MARKDOWN = "# Sorted rows\n\n|row|key|\n|---|---|\n|1|*two*|\n\n"
MARKDOWN += "<script>top.hacked = 1</script>\n\n- first\n- second\n"


def png(width: int, height: int) -> str:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + bytes(range(256)) * (width // 256 + 1))[: width + 1] * height)
    image = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return base64.b64encode(image).decode()


PDF = base64.b64encode(
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj trailer<</Root 1 0 R>>\n%%EOF\n"
).decode()


class Shown(Desk):
    """One document on the screen, and everything that the browser asked for meanwhile."""

    def __init__(self, page: Page, site: str, record: DocumentRecord, *, template: str = "") -> None:
        self.campaign = make_campaign("Desk", {"up": {"7": [record.docno, "other"]}})
        records = [record, DocumentRecord("other", "", "Another document with a row.", "text/plain")]
        store_documents(collection=self.campaign.collection, records=records, file="texts")
        set_url_template(collection=self.campaign.collection, template=template)
        self.campaign.topics.update(title="sorting the rows of matrices")
        recompute(self.campaign.id)
        super().__init__(page, site)
        self.asked: list[str] = []
        page.on("request", lambda request: self._ask(request))
        self.open()
        self.frame = page.frame_locator("iframe.frame")
        self.text = page.locator("#document-text")

    def _ask(self, request: Request) -> None:
        self.asked.append(request.url)

    @property
    def outside(self) -> list[str]:
        own = self.address.split("/judge/")[0]
        return [url for url in self.asked if not url.startswith((own, "data:", "blob:", "about:"))]


def shown(page: Page, site: str, body: str, kind: str = "text/plain", **more: str) -> Shown:
    return Shown(page, site, DocumentRecord("doc", more.pop("title", ""), body, kind), **more)


FORMS = [
    (
        "english",
        "convergent series",
        "Its convergence: it converges. Conversion.",
        ["convergence", "converges"],
    ),
    ("english", "matrix", "Matrices, a matrix and the matrons.", ["Matrices", "matrix"]),
    ("german", "die Häuser", "Die alten Häusern und ein Haus.", ["Häusern", "Haus"]),
    ("french", "cheval", "Les chevaux, un cheval, une chaise.", ["chevaux", "cheval"]),
]


@pytest.mark.parametrize(("language", "title", "body", "marked"), FORMS)
def test_terms_are_found_in_their_forms(
    page: Page, live_site: str, language: str, title: str, body: str, marked: list[str]
) -> None:
    desk = shown(page, live_site, body)
    Collection.objects.update(language=language)
    desk.campaign.topics.update(title=title)
    page.reload()
    expect(desk.text.locator("mark")).to_have_text(marked)


def test_nothing_in_html_runs_or_asks_outside_and_its_words_are_read(page: Page, live_site: str) -> None:
    desk = shown(page, live_site, HOSTILE, "text/html")
    expect(desk.frame.locator("h1")).to_have_text("Sorting matrices")
    expect(desk.frame.locator("body")).to_contain_text("The end.")
    expect(desk.frame.locator("body")).to_contain_text("שורות ממוינות")
    expect(desk.frame.locator("img")).to_have_count(0)
    expect(desk.frame.locator(".image-of")).to_have_text("a chart of rows")
    expect(page.locator("#match-counts")).to_have_text("7 matches: sorting 2 · rows 3 · matrices 2")
    expect(desk.frame.locator("mark").first).to_have_text("Sorting")
    for link in desk.frame.locator("a").all():
        link.click()
    alive = "body :is(script, style, form, input, iframe, object, svg, [onclick], [href])"
    expect(desk.frame.locator(alive)).to_have_count(0)
    assert page.evaluate("[window.hacked, location.pathname]") == [None, "/judge/desk/7/"]
    assert desk.outside == []
    page.wait_for_function(
        """() => {
          const { clientHeight, contentDocument } = document.querySelector("iframe.frame");
          return clientHeight >= contentDocument.body.scrollHeight && clientHeight > 100;
        }"""
    )


def test_even_unsanitised_html_could_do_nothing_in_the_frame(browser: Browser, live_site: str) -> None:
    # A page of its own: here the policy is meant to speak up.
    page = browser.new_page()
    desk = shown(page, live_site, "<p>harmless</p>", "text/html")
    expect(desk.frame.locator("p")).to_have_text("harmless")
    page.locator("iframe.frame").evaluate(
        """f => {
          const d = f.contentDocument;
          const script = d.createElement("script");
          script.textContent = "top.hacked = 1";
          d.body.append(script);
          const link = d.createElement("a");
          link.href = "javascript:top.hacked = 1";
          d.body.append(link);
          link.click();
        }"""
    )
    assert page.evaluate("window.hacked") is None
    assert page.locator("iframe.frame").get_attribute("sandbox") == "allow-same-origin"
    page.close()


def test_keys_pressed_in_the_frame_judge(page: Page, live_site: str) -> None:
    desk = shown(page, live_site, "<p>Sorted rows, sorting.</p>", "text/html")
    desk.frame.locator("p").click()
    assert page.evaluate("document.activeElement.localName") == "iframe"
    desk.press("t")
    expect(desk.frame.locator("mark.here")).to_have_text("Sorted")
    desk.press("1")
    expect(page.locator("#document-title")).to_have_text("other")
    expect(page.locator("iframe.frame")).to_be_hidden()
    expect(desk.text).to_contain_text("Another document")
    desk.saved()
    assert log(desk.campaign) == [("doc", 1)]


def test_markdown_is_set_in_both_themes_and_sizes(page: Page, live_site: str) -> None:
    desk = shown(page, live_site, MARKDOWN, "text/markdown")
    expect(desk.frame.locator("h1")).to_have_text("Sorted rows")
    expect(desk.frame.locator("td em")).to_have_text("two")
    expect(desk.frame.locator("li")).to_have_count(2)
    look = "e => [getComputedStyle(e).color, parseFloat(getComputedStyle(e).fontSize)]"
    light = desk.frame.locator("td").first.evaluate(look)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.locator("#paper").evaluate("p => { p.dataset.size = 'largest'; }")
    expect(desk.frame.locator("html")).to_have_attribute("data-theme", "dark")
    dark = desk.frame.locator("td").first.evaluate(look)
    assert dark[0] != light[0]
    assert dark[1] > light[1]
    assert dark[0] == page.locator("#document-title").evaluate("e => getComputedStyle(e).color")
    assert page.evaluate("window.hacked") is None


def test_images_fit_and_have_a_name(page: Page, live_site: str) -> None:
    desk = shown(page, live_site, png(3000, 2000), "image/png", title="A drawing")
    picture = desk.text.get_by_role("img", name="A drawing")
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("naturalWidth", 3000)
    box, view = picture.bounding_box(), page.viewport_size
    assert box is not None
    assert view is not None
    assert box["width"] < view["width"] - 350
    assert box["height"] < view["height"]
    assert abs(box["width"] / box["height"] - 1.5) < 0.02


def test_a_damaged_image_says_so(page: Page, live_site: str) -> None:
    damaged = base64.b64encode(b"\x89PNG\r\n\x1a\nbroken").decode()
    desk = shown(page, live_site, damaged, "image/png")
    expect(desk.text).to_contain_text("cannot be shown")


def test_scripts_in_a_drawing_do_not_run(page: Page, browser: Browser, live_site: str) -> None:
    drawing = (
        "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='200' onload='top.hacked = 1'>"
        "<script>top.hacked = 1</script><image href='https://evil.example/i.png' width='9' height='9'/></svg>"
    )
    body = base64.b64encode(drawing.encode()).decode()
    desk = shown(page, live_site, body, "image/svg+xml")
    expect(desk.text.get_by_role("img")).to_have_js_property("naturalWidth", 300)
    assert page.evaluate("window.hacked") is None
    assert desk.outside == []
    alone = browser.new_page(storage_state=page.context.storage_state())
    reached: list[str] = []

    def answer(route: Route) -> None:
        reached.append(route.request.url)
        route.abort()

    alone.route("https://evil.example/**", answer)
    alone.goto(f"{live_site}/api/v1/campaigns/desk/documents/doc/content/")
    expect(alone.locator("svg")).to_be_attached()
    assert alone.evaluate("window.hacked") is None
    assert reached == []
    alone.close()


def test_pdf_is_left_to_the_browser(page: Page, live_site: str) -> None:
    with page.expect_request(re.compile("/documents/doc/content/")):
        desk = shown(page, live_site, PDF, "application/pdf")
    link = desk.text.get_by_role("link", name="open the PDF")
    expect(link).to_have_attribute("href", re.compile("^/api/v1/campaigns/desk/documents/doc/content/"))
    able = page.evaluate("navigator.pdfViewerEnabled")
    assert desk.text.locator("iframe.pdf").count() == int(able)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("", "text/plain", "not stored here"),
        (" \n\t ", "text/plain", "not stored here"),
        ("", "text/html", "not stored here"),
        ("<script>only()</script>", "text/html", "nothing to read"),
        ("", "image/png", "not stored here"),
        ("0x", "application/msword", "documents of the type application/msword"),
    ],
)
def test_what_cannot_be_shown_says_so_and_leads_to_its_source(
    page: Page, live_site: str, body: str, kind: str, words: str
) -> None:
    desk = shown(page, live_site, body, kind, template="https://source.example/d?id={docno}")
    expect(desk.text).to_contain_text(words)
    link = page.get_by_role("link", name="open the source")
    expect(link).to_have_attribute("href", "https://source.example/d?id=doc")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    assert desk.outside == []


def test_text_that_runs_from_right_to_left_stands_at_the_right(page: Page, live_site: str) -> None:
    desk = shown(page, live_site, "A row.\n\nשורות ממוינות לפי מפתח.\n\nNUL\0byte \x01\x7f � end")
    edges = desk.text.evaluate(
        """text => [...text.querySelectorAll("p")].map((p) => {
          const range = document.createRange();
          range.selectNodeContents(p);
          const words = range.getBoundingClientRect();
          const box = p.getBoundingClientRect();
          return [words.left - box.left, box.right - words.right];
        })"""
    )
    (left_gap, _), (far, near) = edges[0], edges[1]
    assert left_gap < 2
    assert near < 2 < far
    expect(desk.text).to_contain_text("NUL�byte")


LONG = (
    "The quick brown fox jumps over the lazy dog, and nothing else is said here at all.\n" * 11 + "\n"
) * 1100


def test_a_long_text_is_read_at_once_and_completed_in_slices(page: Page, live_site: str) -> None:
    dense = "Sorting the rows of matrices: sorted rows."
    desk = shown(page, live_site, f"{LONG}A row.\n\n{LONG}{dense}\n\n{LONG}The very end, sorted.\n")
    expect(desk.text.locator("p").first).to_contain_text("quick brown fox")
    counts = page.locator("#match-counts")
    expect(counts).to_have_text("7 matches: sorting 3 · rows 3 · matrices 1")
    expect(desk.text.locator(".portion").last).to_contain_text("The very end, sorted.")
    assert desk.text.evaluate("t => t.textContent.split(/\\s+/).length") > 3 * 1100 * 11 * 16
    assert desk.text.locator("mark").count() == 0
    desk.press("d")
    expect(page.locator("mark.here")).to_have_text("Sorting")
    expect(page.locator("mark.here")).to_be_in_viewport()
    desk.press("T")
    expect(page.locator("mark.here")).to_have_text("row")
    expect(page.locator("mark.here")).to_be_in_viewport()
    desk.press("1")
    expect(page.locator("#document-title")).to_have_text("other")
    expect(counts).to_have_text("1 match: rows 1")


@pytest.mark.parametrize("word", ["sorting ", "x"])
def test_a_line_of_a_megabyte_is_read(page: Page, live_site: str, word: str) -> None:
    line = word * (1_000_000 // len(word))
    desk = shown(page, live_site, line)
    expect(desk.text.locator("p").first).to_be_visible()
    expected = (
        "125,000 matches: sorting 125,000"
        if word.strip() == "sorting"
        else "No topic terms found in this document."
    )
    expect(page.locator("#match-counts")).to_have_text(expected)
    assert desk.text.evaluate("t => t.textContent.trim().length") == len(line.strip())
    widest = page.locator("#paper").evaluate("t => [t.scrollWidth, t.clientWidth]")
    assert widest[0] <= widest[1] + 1
    desk.press("0")
    expect(page.locator("#document-title")).to_have_text("other")


def test_long_html_is_searched_in_every_part(page: Page, live_site: str) -> None:
    part = "<div>" + "<p>The quick brown fox jumps over the lazy dog.</p>" * 400 + "</div>"
    desk = shown(
        page,
        live_site,
        f"<main>loose sorted words{part}<p>A row.</p>{part}{part}<p>Matrix</p></main>",
        "text/html",
    )
    expect(page.locator("#match-counts")).to_have_text("3 matches: sorting 1 · rows 1 · matrices 1")
    desk.press("T")
    expect(desk.frame.locator("mark.here")).to_have_text("Matrix")
    expect(desk.frame.locator("mark.here")).to_be_in_viewport()


def test_a_campaign_of_all_kinds_is_judged_without_a_pointer(page: Page, live_site: str) -> None:
    desk = shown(page, live_site, "<p>One.</p>", "text/html")
    campaign: Campaign = desk.campaign
    assert desk.judge("1") == "doc"
    assert desk.judge("0") == "other"
    desk.saved()
    desk.press("u")
    desk.press("u")
    expect(desk.frame.locator("p")).to_have_text("One.")
    desk.saved()
    assert log(campaign)[-1] == ("doc", None)
