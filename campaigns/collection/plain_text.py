"""The plain text of a document, in which marked passages have their offsets."""

from __future__ import annotations

from html.parser import HTMLParser

from campaigns.collection.rendering import render_safe_html
from campaigns.formats.content_types import Kind, kind_of

# A browser leaves out what stands before the first element, and one line end at the beginning of a <pre>.
_BLANKS = "\t\n\f\r "


def plain_text(body: str, content_type: str) -> str:
    """What the judging screen shows of a document, as characters.

    Plain text is the stored text itself. HTML and Markdown are the text of the sanitised HTML, without tags
    and with references resolved. Images, PDF and unknown types have none.
    """
    html = render_safe_html(body, content_type)
    if html is not None:
        collected = _TextCollector()
        collected.feed(html.lstrip(_BLANKS))
        collected.close()
        return "".join(collected.pieces)
    return body if kind_of(content_type) in (Kind.TEXT, Kind.MARKDOWN) else ""


class _TextCollector(HTMLParser):
    """Concatenates the text nodes that a browser makes of sanitised HTML."""

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
