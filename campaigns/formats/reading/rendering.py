"""HTML and Markdown as safe HTML: structure and words stay, and nothing runs, loads or navigates.

Some texts take the parsers time by the square of their length: foreign ones are rendered by `readers` only.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from campaigns.formats.content_types import Kind, kind_of
from evaluation.extras import extra

if TYPE_CHECKING:
    import nh3
    from markdown_it import MarkdownIt


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


ALLOWED_TAGS = _names("""
    a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup dd del
    dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main
    mark nav ol p pre q rp rt ruby s samp section small span strike strong sub sup table tbody td tfoot
    th thead time tr tt u ul var wbr
""")
# What these hold is no text of the document, or a stand-in for something that is not shown.
DROPPED_TAGS = _names("""
    script style template noscript iframe frame frameset noframes object embed applet audio video canvas
    svg math title select datalist
""")

_CELL = {"colspan", "rowspan", "align", "valign"}
# No style, class or id: a document wears the page's own clothes, which fit both themes. No href either:
# links are shown and lead nowhere.
_ATTRIBUTES = {
    "*": {"lang", "dir", "title"},
    "td": _CELL,
    "th": _CELL | {"scope"},
    "col": {"span"},
    "colgroup": {"span"},
    "ol": {"start", "type", "reversed"},
    "li": {"value"},
    "img": {"src", "alt", "width", "height"},
    "time": {"datetime"},
}
_CARRIED_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif|bmp);base64,[A-Za-z0-9+/=\s]*\Z")
# Beyond this, Markdown is shown as it is written.
MARKDOWN_LONGEST = 1 << 19
_MARKUP = re.compile(r"<[^<>]*>")
# A browser leaves out what stands before the first element, and one line end at the beginning of a <pre>.
_BLANKS = "\t\n\f\r "


@lru_cache(maxsize=64)
def is_rendered(content_type: str) -> bool:
    """True if documents of this type are shown as HTML."""
    return kind_of(content_type) in (Kind.HTML, Kind.MARKDOWN)


def render_safe_html(body: str, content_type: str) -> str | None:
    """Safe HTML of an HTML or Markdown document; None for all that is not shown as HTML."""
    if not is_rendered(content_type):
        return None
    if kind_of(content_type) is Kind.MARKDOWN and len(body) > MARKDOWN_LONGEST:
        return plain_html(body, content_type)
    # Markdown may hold HTML; whatever comes out goes through the same sieve.
    return sanitise(_markdown().render(body) if kind_of(content_type) is Kind.MARKDOWN else body)


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    with extra("documents"):
        from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def sanitise(text: str) -> str:
    """HTML that can be put into any page: nothing in it runs, asks the network for anything, submits or leads
    away. Images stay if they are carried in the document itself; of others their description stays.

    Examples
    --------
    >>> sanitise("<p onclick='x()'>One <a href='javascript:x()'>link</a><script>x()</script>")
    '<p>One <a>link</a></p>'
    """
    return _cleaner().clean(text)


@lru_cache(maxsize=1)
def _cleaner() -> nh3.Cleaner:
    with extra("documents"):
        import nh3

    return nh3.Cleaner(
        tags=set(ALLOWED_TAGS),
        clean_content_tags=set(DROPPED_TAGS),
        attributes=_ATTRIBUTES,
        attribute_filter=_kept,
        link_rel=None,
        url_schemes={"data"},
        url_relative="deny",
    )


def _kept(tag: str, name: str, value: str) -> str | None:
    if (tag, name) == ("img", "src"):
        return value if _CARRIED_IMAGE.match(value) else None
    return value


def plain_html(body: str, content_type: str) -> str:
    """The words of a document that takes too long to render, as paragraphs; in linear time.

    >>> plain_html("<div>1 < 2 &amp; <b>3</b>", "text/html")
    '<p> 1 &lt; 2 &amp;  3 </p>'
    """
    # As browsers do: each line end is one character, and counts as one in the offsets of passages.
    body = body.replace("\r\n", "\n").replace("\r", "\n")
    if kind_of(content_type) is Kind.HTML:
        words = _MARKUP.sub(" ", body).replace("<", "&lt;").replace(">", "&gt;")
    else:
        words = html.escape(body, quote=False).replace("\n", "<br>\n")
    return f"<p>{words}</p>"


# The first word, or a picture that is carried in the document or described.
_SHOWN = re.compile(r"""(?:\A|>)(?:\s|&nbsp;)*(?!&nbsp;)[^<\s]|<img\b[^<>]*\s(?:src|alt)="[^"]""")
_NOT_SHOWN = {
    "pictures that are not stored": _names("img image svg canvas"),
    "forms": _names("form input textarea select"),
    "frames with other pages": _names("iframe frame object embed"),
    "video or sound": _names("video audio"),
    "scripts": _names("script"),
}
_OPENING = re.compile(r"<([a-z]+)\b|<!--", re.IGNORECASE)


def shows_nothing(rendered: str) -> bool:
    """True if safe HTML has neither a word nor a picture."""
    return _SHOWN.search(rendered) is None


def taken_out(body: str) -> list[str]:
    """Kinds of elements of a page that are not shown.

    >>> taken_out("<body><img src=x.gif><!-- <form> --></body>")
    ['pictures that are not stored']
    """
    names: set[str] = set()
    at = 0
    while tag := _OPENING.search(body, at):
        at = tag.end()
        if tag[1]:
            names.add(tag[1].lower())
        elif (at := body.find("-->", at)) < 0:
            break
    return [kind for kind, elements in _NOT_SHOWN.items() if elements & names]


def text_of_html(rendered: str) -> str:
    """Text that a browser shows of safe HTML: marked passages have their offsets in it."""
    collected = _TextCollector()
    collected.feed(rendered.lstrip(_BLANKS))
    collected.close()
    return "".join(collected.pieces)


class _TextCollector(HTMLParser):
    """Concatenates the text nodes that a browser makes of safe HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._after_pre = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._after_pre = tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        self._after_pre = False

    def handle_data(self, data: str) -> None:
        self.pieces.append(data.removeprefix("\n") if self._after_pre else data)
        self._after_pre = False
