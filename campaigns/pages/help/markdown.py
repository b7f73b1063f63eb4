"""A Markdown file of docs/ as HTML of the site: anchors as on GitHub, links to pages, two themes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.html import escape
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

CONTENTS = "README"
# Files outside docs/ that the site answers for by another address.
ELSEWHERE = {"../README.md": "help:contents", "../campaigns/api/client.py": "api:client"}

_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_PICTURE = re.compile(
    r"<picture>\s*<source[^>]*srcset=\"(?P<dark>[^\"]+)\"[^>]*>\s*"
    r"<img(?P<before>[^>]*?)\ssrc=\"(?P<light>[^\"]+)\"(?P<after>[^>]*)>\s*</picture>"
)


@dataclass(frozen=True)
class Section:
    """A heading, its place in the page, and the words below it up to the next heading."""

    level: int
    title: str
    anchor: str
    text: str


def parse(source: str) -> list[Token]:
    """Tokens in which each heading has its anchor."""
    tokens = _parser().parse(source)
    seen: dict[str, int] = {}
    for heading, inline in _headings(tokens):
        anchor = anchor_of(_words(inline))
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        heading.attrSet("id", f"{anchor}-{count}" if count else anchor)
    return tokens


def anchor_of(title: str) -> str:
    """The anchor that GitHub gives a heading.

    Examples
    --------
    >>> anchor_of("A, B and C: what `p` means")
    'a-b-and-c-what-p-means'
    """
    return _NOT_IN_ANCHORS.sub("", title.lower()).replace(" ", "-")


def sections_of(tokens: list[Token]) -> Iterator[Section]:
    heading, inline, words = Token("", "", 0), Token("", "", 0), list[str]()
    for before, token in zip([heading, *tokens], tokens, strict=False):
        if token.type == "heading_open" and heading.tag:
            yield _section(heading, inline, words)
        if token.type == "heading_open":
            heading, words = token, []
        elif token.type == "inline" and before is heading:
            inline = token
        elif token.type in ("inline", "fence"):
            words.append(_words(token) if token.children else token.content)
    if heading.tag:
        yield _section(heading, inline, words)


def render(tokens: list[Token], name: str) -> str:
    """HTML of the page of this name; the name decides where relative links lead."""
    folder = posixpath.dirname(name)
    for token in _all(tokens):
        if token.type == "link_open":
            _lead(token, str(token.attrGet("href")), folder)
        elif token.type == "image":
            token.attrSet("src", _picture_address(str(token.attrGet("src")), folder))
            token.attrSet("loading", "lazy")
        elif token.type in ("html_block", "html_inline"):
            token.content = _in_both_themes(_COMMENT.sub("", token.content), folder)
    html: str = _parser().renderer.render(tokens, _parser().options, {})
    return html


def pictures_of(html: str) -> list[str]:
    """Addresses of the pictures in rendered HTML."""
    return re.findall(r'<img[^>]* src="([^"]+)"', html)


def _section(heading: Token, inline: Token, words: list[str]) -> Section:
    return Section(int(heading.tag[1]), _words(inline), str(heading.attrGet("id")), " ".join(words))


def _headings(tokens: list[Token]) -> Iterator[tuple[Token, Token]]:
    return ((one, tokens[place + 1]) for place, one in enumerate(tokens) if one.type == "heading_open")


def _all(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or []


def _words(inline: Token) -> str:
    shown = ("text", "code_inline", "softbreak", "image")
    return "".join(token.content or " " for token in inline.children or [] if token.type in shown)


def _lead(token: Token, target: str, folder: str) -> None:
    """A link to a page of the handbook, to another site, or, where the site has no such file, no link."""
    path, _, anchor = target.partition("#")
    if "://" in path or path.startswith("mailto:"):
        token.attrSet("rel", "noopener")
        return
    end = f"#{anchor}" if anchor else ""
    if not path:
        token.attrSet("href", end)
        return
    place = posixpath.normpath(posixpath.join(folder, path))
    if place == f"{CONTENTS}.md":
        address = reverse("help:contents")
    elif place in ELSEWHERE:
        address = reverse(ELSEWHERE[place])
    elif place.startswith(".."):
        del token.attrs["href"]
        return
    elif place.endswith(".md"):
        address = reverse("help:page", args=[place.removesuffix(".md")])
    else:
        address = reverse("help:file", args=[place])
    token.attrSet("href", address + end)


def _picture_address(target: str, folder: str) -> str:
    place = posixpath.normpath(posixpath.join(folder, target))
    return reverse("help:file", args=[place])


def _in_both_themes(html: str, folder: str) -> str:
    """Replace a <picture> with a dark source by two images: the theme may be chosen apart from the
    system's."""

    def both(found: re.Match[str]) -> str:
        rest = (found["before"] + found["after"]).rstrip(" /")
        images = [
            f'<img class="{theme}" src="{_picture_address(found[theme], folder)}"{rest} loading="lazy">'
            for theme in ("light", "dark")
        ]
        return "".join(images)

    return _PICTURE.sub(both, html)


def _open_table(
    self: RendererHTML, tokens: list[Token], place: int, options: OptionsDict, env: EnvType
) -> str:
    """A wide table scrolls by itself, and its frame is named by the heading above it, and by its number where
    several follow."""
    above = [inline for _, inline in _headings(tokens[:place])]
    name = escape(_words(above[-1])) if above else ""
    since = max((at for at in range(place) if tokens[at].type == "heading_open"), default=0)
    earlier = sum(token.type == "table_open" for token in tokens[since:place])
    # Two regions of a page need names of their own.
    name += f", {earlier + 1}" if earlier else ""
    return f'<div class="scroll-x" tabindex="0" role="region" aria-label="{name}"><table>\n'


def _close_table(
    self: RendererHTML, tokens: list[Token], place: int, options: OptionsDict, env: EnvType
) -> str:
    return "</table></div>\n"


def _fence(self: RendererHTML, tokens: list[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    # A line may be longer than the page is wide: the keyboard scrolls it, too.
    return f'<pre tabindex="0"><code>{escape(tokens[place].content)}</code></pre>\n'


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for rule, write in (("table_open", _open_table), ("table_close", _close_table), ("fence", _fence)):
        parser.add_render_rule(rule, write)
    return parser
