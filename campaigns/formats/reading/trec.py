"""TREC documents: title and text between `<DOC>` and `</DOC>`, or the web page that a crawl put there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from campaigns.formats.content_types import HTML, PLAIN
from campaigns.formats.errors import TITLE_CHARACTERS
from campaigns.formats.reading.plain_text import one_line, paragraphs, unescape

# A closing tag is sought near its opening tag, and for the first of these only: a document of nothing but
# opening tags would else take hours.
_MOST_OPENED = 100
# A web page follows its crawl header and is kept as it is, since its markup is part of it.
_PAGE = re.compile(r"</DOCHDR>(.*)\Z|(<!DOCTYPE\b.*|<HTML\b.*)\Z", re.IGNORECASE | re.DOTALL)
_TITLES = "TITLE|HEADLINE|HEAD|TTL|TI|H3"
_OPENING_DOCNO = re.compile("<(DOCNO)>", re.IGNORECASE)
_OPENING_TITLE = re.compile(f"<({_TITLES})>", re.IGNORECASE)
_CLOSING = {name: re.compile(f"</{name}>", re.IGNORECASE) for name in ("DOCNO", *_TITLES.split("|"))}
_LONGEST_DOCNO = 1000
_TEXT = re.compile(r"</?TEXT>", re.IGNORECASE)
_BREAK = re.compile(r"</?(?:P|BR|LI|TR|H\d)\b[^<>]*>", re.IGNORECASE)
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>")
_LONGEST_COMMENT = 5000


@dataclass(frozen=True)
class Element:
    """Begin, end and content of an element."""

    begin: int
    end: int
    content: str

    def cut_from(self, text: str) -> str:
        return text[: self.begin] + text[self.end :]


@dataclass(frozen=True)
class TrecText:
    title: str
    body: str
    content_type: str


def find_docno(head: str) -> Element | None:
    return _first_closed(_OPENING_DOCNO, head, _LONGEST_DOCNO)


def _first_closed(opening: re.Pattern[str], text: str, longest: int) -> Element | None:
    for tag in islice(opening.finditer(text), _MOST_OPENED):
        closing = _CLOSING[tag[1].upper()]
        if found := closing.search(text, tag.end(), tag.end() + longest + len(tag[0]) + 1):
            return Element(tag.start(), found.end(), text[tag.end() : found.start()])
    return None


def read_trec_text(text: str) -> TrecText:
    """Read a document without its docno."""
    title = _first_closed(_OPENING_TITLE, text, TITLE_CHARACTERS)
    shown = one_line(_plain(title.content)) if title else ""
    if page := _PAGE.search(text):
        return TrecText(shown, (page[1] or page[2] or "").strip(), HTML)
    # What follows every other tag is inside, also where the last <TEXT> is not closed.
    bodies = _TEXT.split(text)[1::2] or [title.cut_from(text) if title else text]
    return TrecText(shown, _plain("\n\n".join(bodies)), PLAIN)


def _plain(text: str) -> str:
    return unescape(paragraphs(_MARKUP.sub(" ", _BREAK.sub("\n\n", _without_comments(text)))))


def _without_comments(text: str) -> str:
    """The text with a blank for each comment; one that is not closed soon is none."""
    parts, end, close = [], 0, -1
    at = text.find("<!--")
    while at >= 0:
        if close < at + 4 and (close := text.find("-->", at + 4)) < 0:
            break
        if close - at - 4 > _LONGEST_COMMENT:
            at = text.find("<!--", at + 4)
            continue
        parts.append(text[end:at])
        end = close + 3
        at = text.find("<!--", end)
    return " ".join([*parts, text[end:]])
