"""Text inside files: decoded with an error for each bad line, tidied, and fit to be stored."""

from __future__ import annotations

import html
import re
from bisect import bisect_right

from campaigns.formats.errors import ErrorList
from campaigns.formats.lines import LineBlocks, text_lines

_PARAGRAPH = re.compile(r"\n[ \t\r\f\v]*\n")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def read_text(blocks: LineBlocks, errors: ErrorList) -> str:
    """A whole file as text, line ends as newlines; raises at once if a line is no text."""
    lines = [line.rstrip(b"\r") for _, line in text_lines(blocks, errors)]
    errors.raise_if_any()
    return b"\n".join(lines).decode()


class LineNumbers:
    """Which line a place in a text is on."""

    def __init__(self, text: str) -> None:
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def __call__(self, place: int) -> int:
        return bisect_right(self._ends, place - 1) + 1


def one_line(text: str) -> str:
    return " ".join(text.split())


def paragraphs(text: str) -> str:
    """Text whose lines were broken to fit a page, as one line a paragraph."""
    tidy = (one_line(paragraph) for paragraph in _PARAGRAPH.split(text))
    return "\n\n".join(paragraph for paragraph in tidy if paragraph)


def unescape(text: str) -> str:
    """`&amp;` and the like as the characters they stand for."""
    return storable(html.unescape(text)) if "&" in text else text


def storable(text: str) -> str:
    """Text that a database takes: NUL and half characters, which escapes can smuggle in, become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _UNSTORABLE.sub("�", text)
    return text.replace("\0", "�")
