"""A document's HTML or Markdown as safe HTML: structure and words stay, and nothing runs, loads or navigates.

HTML nested without end takes the parsers of HTML time by the square of its depth, so it is flattened first.
"""

from __future__ import annotations

import re
from functools import lru_cache

import nh3
from markdown_it import MarkdownIt

from campaigns.formats.content_types import Kind, kind_of


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
# A second one closes the first, or there is nothing inside.
FLAT = _names("""
    p li dt dd option optgroup tr td th thead tbody tfoot colgroup col br hr img input meta link base
    area embed source track wbr param html head body
""")
INLINE = _names("""
    a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark nobr q s samp small span strike
    strong sub sup tt u var
""")

DEEPEST_HTML = 256
# Fewer opening tags cannot nest deep enough to be felt, and need not be looked at one by one.
FEW_TAGS = 4000

_TOKEN = re.compile(
    r"""<!--(?:-?>|.*?(?:--!?>|\Z))
    |<(?P<raw>script|style|textarea|title|xmp|noscript|iframe)\b.*?(?:</(?P=raw)\b[^>]*>|\Z)
    |<[!?][^>]*>?
    |<(?P<close>/?)(?P<name>[a-z][^\s/>]*)(?:[^>"']|"[^"]*"|'[^']*')*>?""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_DROPPED_TAG = re.compile(r"</?(?!(?:p|br|li|h[1-6])\b)[a-z][^<>]*>", re.IGNORECASE)

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

# Beyond this, Markdown is read as the plain text that it is: its parser takes seconds for a megabyte.
MARKDOWN_LONGEST = 1 << 19
# The same document is asked for again when a claim is renewed or a page reloaded.
_CACHE_SIZE, _CACHE_LONGEST = 64, 1 << 18


def render_safe_html(body: str, content_type: str) -> str | None:
    """Safe HTML of an HTML or Markdown document; None for all that is not shown as HTML."""
    kind = kind_of(content_type)
    if kind not in (Kind.HTML, Kind.MARKDOWN):
        return None
    if kind is Kind.MARKDOWN and len(body) > MARKDOWN_LONGEST:
        return None
    return _remembered(body, kind) if len(body) <= _CACHE_LONGEST else _render(body, kind)


def _render(body: str, kind: Kind) -> str:
    # Markdown may hold HTML; whatever comes out goes through the same sieve.
    return sanitise(_markdown().render(body) if kind is Kind.MARKDOWN else body)


@lru_cache(maxsize=_CACHE_SIZE)
def _remembered(body: str, kind: Kind) -> str:
    return _render(body, kind)


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def sanitise(html: str) -> str:
    """HTML that can be put into any page: nothing in it runs, asks the network for anything, submits or leads
    away. Images stay if they are carried in the document itself; of others their description stays.

    Examples
    --------
    >>> sanitise("<p onclick='x()'>One <a href='javascript:x()'>link</a><script>x()</script>")
    '<p>One <a>link</a></p>'
    """
    return nh3.clean(
        shallow(html),
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


def shallow(html: str) -> str:
    """The same HTML, or, where tags nest too deep, its words with their paragraphs, headings and items."""
    if html.count("<") > FEW_TAGS and _is_deep(html):
        return _DROPPED_TAG.sub(" ", _TOKEN.sub(_without_raw, html))
    return html


def _without_raw(token: re.Match[str]) -> str:
    return " " if token["name"] is None else token[0]


def _is_deep(html: str) -> bool:
    stack: list[str] = []
    for token in _TOKEN.finditer(html):
        name = (token["name"] or "").lower()
        if not name or name in FLAT:
            continue
        if not token["close"]:
            stack.append(name)
            if len(stack) > DEEPEST_HTML:
                return True
        elif name in stack:
            _close(stack, name)
    return False


def _close(stack: list[str], name: str) -> None:
    """As a browser does: an inline element is not closed from inside a block."""
    at = len(stack) - 1 - stack[::-1].index(name)
    if name not in INLINE or all(inner in INLINE for inner in stack[at:]):
        del stack[at:]
