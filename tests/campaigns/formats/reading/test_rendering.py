"""What other people's HTML and Markdown come to: words and structure, and nothing that acts."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.formats.content_types import Kind, kind_of
from campaigns.formats.reading.rendering import (
    ALLOWED_TAGS,
    MARKDOWN_LONGEST,
    plain_html,
    render_safe_html,
    sanitise,
    text_of_html,
)

PIXEL = "data:image/png;base64,iVBORw0KGgo="


class Inspector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str | None]] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.found += [(tag, name, value) for name, value in attrs]


HARMLESS = {
    "lang",
    "dir",
    "title",
    "colspan",
    "rowspan",
    "align",
    "valign",
    "scope",
    "span",
    "start",
    "type",
} | {*("reversed", "value", "src", "alt", "width", "height", "datetime")}


def assert_harmless(html: str) -> None:
    seen = Inspector()
    seen.feed(html)
    assert seen.tags <= ALLOWED_TAGS
    assert {name for _, name, _ in seen.found} <= HARMLESS
    for tag, name, value in seen.found:
        if name == "src":
            assert tag == "img"
            assert (value or "").startswith("data:image/")


HOSTILE = [
    "<script>x()</script>",
    "<scr<script>ipt>x()</script>",
    "<img src=x onerror=x()>",
    "<img src='https://tracker.example/i.png' srcset='https://tracker.example/j.png 2x' alt='a chart'>",
    "<p onclick='x()' style='background:url(https://tracker.example/)' class=c id=i>text</p>",
    "<a href='javascript:x()'>a</a><a href='https://elsewhere.example/' target=_top>b</a>",
    "<meta http-equiv=refresh content='0;url=https://elsewhere.example/'>",
    "<base href='https://elsewhere.example/'><link rel=stylesheet href='//elsewhere.example/s.css'>",
    "<svg><script>x()</script><a xlink:href='javascript:x()'>c</a></svg><svg onload=x()>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=x()&gt;'>",
    "<form action='https://elsewhere.example/'><input name=a onfocus=x()><button>send</button></form>",
    "<iframe src='https://elsewhere.example/'></iframe><object data=x></object><embed src=x>",
    "<style>@import 'https://elsewhere.example/s.css'</style><video src=x poster=y></video>",
    "<noscript><p title='</noscript><img src=x onerror=x()>'></noscript>",
    "<template><script>x()</script></template><textarea><img src=x onerror=x()></textarea>",
    "<img src='data:image/svg+xml;base64,PHN2Zz4='><img src='data:text/html;base64,PHA+'>",
    "<body background='https://tracker.example/' onload=x()><table background=x><td background=y>d",
]


@pytest.mark.parametrize("html", HOSTILE)
def test_nothing_of_it_acts_or_asks(html: str) -> None:
    shown = sanitise(f"<p>before</p>{html}<p>after</p>")
    assert_harmless(shown)
    assert "elsewhere" not in shown
    assert "tracker" not in shown
    assert "before" in shown


@given(
    st.lists(st.sampled_from([*HOSTILE, "<b>", "</b>", "<!--", "-->", "<p", ">", "'", '"', "text", "<td>"]))
)
def test_however_it_is_mixed(pieces: list[str]) -> None:
    assert_harmless(sanitise("".join(pieces)))


def test_words_and_structure_stay() -> None:
    page = (
        "<html><head><title>Name</title><style>p{}</style></head><body><h1>Sorting</h1>"
        "<form>Words <label>of a form</label></form><table><tr><td colspan=2>cell</table>"
        "<ol start=3><li value=4>item</ol>"
        f"<p dir=rtl lang=he>שלום</p><img src='{PIXEL}' alt='dot'><font color=red>red</font></body>"
    )
    shown = sanitise(page)
    assert shown.startswith("<h1>Sorting</h1>Words of a form")
    assert '<td colspan="2">cell</td>' in shown
    assert '<ol start="3"><li value="4">item</li></ol>' in shown
    assert '<p dir="rtl" lang="he">שלום</p>' in shown or '<p lang="he" dir="rtl">שלום</p>' in shown
    assert PIXEL in shown
    assert shown.endswith("red")
    assert "Name" not in shown


def test_markdown_with_tables_and_html_goes_through_the_same_sieve() -> None:
    text = "# Sorting\n\n|a|b|\n|-|-|\n|1|2|\n\n"
    text += "~~old~~ <b onclick=x()>new</b> [link](javascript:x())\n<script>x()</script>\n"
    shown = render_safe_html(text, "text/markdown")
    assert shown is not None
    assert_harmless(shown)
    assert "<h1>Sorting</h1>" in shown
    assert "<td>2</td>" in shown
    assert "<s>old</s> <b>new</b>" in shown
    assert "x()</" not in shown


def test_what_is_not_html_has_none() -> None:
    assert render_safe_html("<p>x", "text/plain") is None
    assert render_safe_html("x", "image/png") is None
    assert render_safe_html("", "text/html") == ""


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        ("", Kind.TEXT),
        ("text/plain", Kind.TEXT),
        ("TEXT/HTML; charset=latin-1", Kind.HTML),
        ("application/xhtml+xml", Kind.HTML),
        ("text/markdown", Kind.MARKDOWN),
        ("application/ld+json", Kind.TEXT),
        ("image/svg+xml", Kind.IMAGE),
        ("image/tiff", Kind.OTHER),
        ("application/pdf", Kind.PDF),
        ("application/msword", Kind.OTHER),
    ],
)
def test_kinds(content_type: str, kind: Kind) -> None:
    assert kind_of(content_type) is kind


def test_long_pages_keep_their_structure() -> None:
    shown = sanitise("<div><ul><li><b>item</b><li>other</ul><br><img alt=x></div>" * 3000)
    assert shown.count("<li>") == 6000
    assert shown.count("<b>item</b>") == 3000


@pytest.mark.parametrize("content_type", ["text/html", "text/markdown"])
@given(
    st.lists(
        st.sampled_from([*HOSTILE, "<b>", "</b>", "<!--", "-->", "<p", ">", "'", '"', "&lt;", "&amp", "<<"])
    )
)
def test_what_is_too_costly_is_shown_as_harmless_words(content_type: str, pieces: list[str]) -> None:
    shown = plain_html("".join(pieces), content_type)
    assert_harmless(shown)
    seen = Inspector()
    seen.feed(shown)
    assert seen.tags <= {"p", "br"}


def test_the_plain_text_of_html_is_its_text_nodes() -> None:
    page = render_safe_html("<p>A &amp; <b>🎬</b> xe\u0301nd</p><pre>\nx</pre>", "text/html")
    assert text_of_html(page or "") == "A & 🎬 xe\u0301ndx"
    assert text_of_html(render_safe_html("*A* &amp; b\n\n- c", "text/markdown") or "") == "A & b\n\nc\n\n"


@pytest.mark.parametrize("content_type", ["text/html", "text/markdown"])
@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_a_line_end_of_plain_html_is_one_character(content_type: str, end: str) -> None:
    assert text_of_html(plain_html(f"one{end}two", content_type)) == "one\ntwo"


def test_long_markdown_is_shown_as_it_is_written() -> None:
    longest = "*x*\n" * (MARKDOWN_LONGEST // 4)
    assert (render_safe_html(longest, "text/markdown") or "").startswith("<p><em>x")
    shown = render_safe_html(longest + "y", "text/markdown") or ""
    assert text_of_html(shown) == longest + "y"
