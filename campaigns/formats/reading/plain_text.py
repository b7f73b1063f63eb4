"""Plain text as it is stored: lines, paragraphs, and characters that a database takes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_PARAGRAPH = re.compile(r"\n[ \t\r\f\v]*\n")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
# Other threads wait until a text of this length is split.
_AT_ONCE = 1 << 16


def one_line(text: str) -> str:
    """Text with one blank between two words.

    >>> one_line(" one\\n  line ")
    'one line'
    """
    if len(text) <= _AT_ONCE:
        return " ".join(text.split())
    return "".join(_pieces_of_line(text))


def _pieces_of_line(text: str) -> Iterator[str]:
    first, inside_word = True, False
    for at in range(0, len(text), _AT_ONCE):
        piece = text[at : at + _AT_ONCE]
        words = " ".join(piece.split())
        if words:
            if not first and not (inside_word and not piece[0].isspace()):
                yield " "
            yield words
            first = False
        inside_word = not piece[-1].isspace()


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
