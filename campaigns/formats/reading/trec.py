"""TREC documents: title and text between `<DOC>` and `</DOC>`, or the web page that a crawl put there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

from campaigns.formats.content_types import HTML, PLAIN
from campaigns.formats.errors import TITLE_CHARACTERS
from campaigns.formats.reading.plain_text import one_line, paragraphs, unescape


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


# A closing tag is sought near its opening tag, and for the first of these only: a document of nothing but
# opening tags would else take hours.
_MOST_OPENED = 100
# A web page follows its crawl header and is kept as it is, since its markup is part of it.
_PAGE = re.compile(r"</DOCHDR>(.*)\Z|(<!DOCTYPE\b.*|<HTML\b.*)\Z", re.IGNORECASE | re.DOTALL)
_CRAWL_HEADER = re.compile(r"<DOCHDR>(.*)\Z", re.IGNORECASE | re.DOTALL)
_TITLES = "TITLE|HEADLINE|DOCTITLE|HEAD|TTL|TI|HL|H3"
_OPENING_DOCNO = re.compile("<(DOCNO)>", re.IGNORECASE)
_OPENING_TITLE = re.compile(f"<({_TITLES})>", re.IGNORECASE)
_CLOSING = {name: re.compile(f"</{name}>", re.IGNORECASE) for name in ("DOCNO", *_TITLES.split("|"))}
_LONGEST_DOCNO = 1000
# Elements about a document, in the collections of TREC's discs, AQUAINT, CLEF and the web tracks: metadata.
# All others are text: leads, headings, captions, notes.
_ABOUT = _names(
    """
    docid fileid docoldno parent access code accnum date date1 date_time pubdate pubyear day month dd length
    limlen word.ct pg.col page section edition country city state region language type doctype pub so journal
    profile byline author au dateline subject descript in co cn gv tp ns re ticker company product topic
    category name copyrght correction-date first second slug endtime trailer header ht origin flag kw
    issue volume cfrno rindock billing frfiling signer signjob usdept usbureau agency source url
    """
)
_LONGEST_ABOUT = 5000
# In some files these hold the text.
_MAY_HOLD_TEXT = _names("page section")
_REST_OF_LINE = re.compile(r"[ \t\r]*(?:[\n<]|\Z)")
# Other elements end a paragraph.
_INLINE = _names("a b i em strong f font u sub sup span tt code s small big q cite abbr")
_VALUE = r"""(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)"""
_BARE = "nowrap|noshade|compact|checked|selected|ismap"
# Not what only looks like a tag: <one@example.org>, <see below>.
_TAG = re.compile(
    rf"<(/?)([A-Za-z][\w.-]*)(?:\s+(?:[\w.:-]+\s*=\s*{_VALUE}|(?:{_BARE})\b))*\s*/?>|<[!?][A-Za-z][^<>]*>",
    re.IGNORECASE,
)
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
    """`metadata`: the words of elements about the document, by their names in small letters."""

    title: str
    body: str
    content_type: str
    metadata: dict[str, str] = field(default_factory=dict)


def find_docno(head: str) -> Element | None:
    return _first_closed(_OPENING_DOCNO, head, _LONGEST_DOCNO)


def _first_closed(opening: re.Pattern[str], text: str, longest: int) -> Element | None:
    for tag in islice(opening.finditer(text), _MOST_OPENED):
        closing = _CLOSING[tag[1].upper()]
        if found := closing.search(text, tag.end(), tag.end() + longest + len(tag[0]) + 1):
            return Element(tag.start(), found.end(), text[tag.end() : found.start()])
    return None


def read_trec_text(text: str) -> TrecText:
    """Read a document without its docno: all but the elements about it is its text, in order."""
    if page := _PAGE.search(text):
        return _page(text[: page.start()], (page[1] or page[2] or "").strip())
    text = _without_comments(text)
    title = _title(text)
    rest = title.cut_from(text) if title else text
    body, about = _parted(rest)
    return TrecText(one_line(_plain(title.content)) if title else "", _plain(body), PLAIN, about)


def _page(before: str, page: str) -> TrecText:
    """A page and what its crawl put before it. Its own title is read with its HTML."""
    header = _CRAWL_HEADER.search(before)
    if header:
        before = before[: header.start()]
    title = _title(before)
    rest, about = _parted(title.cut_from(before) if title else before)
    if rest := _plain(rest):
        about["before the page"] = rest
    if words := header[1].split() if header else []:
        about |= {"url": words[0], "dochdr": " ".join(words[1:])}
    return TrecText(one_line(_plain(title.content)) if title else "", page, HTML, about)


def _title(text: str) -> Element | None:
    """The first element of a title; of one in another, such as <TI> in <H3>, the outer."""
    title = _first_closed(_OPENING_TITLE, text, TITLE_CHARACTERS)
    return title if title and _plain(title.content) else None


def _parted(text: str) -> tuple[str, dict[str, str]]:
    """The text without elements about it, and these."""
    body, about = _without(text, _ABOUT)
    return (body, about) if _plain(body) else _without(text, _ABOUT - _MAY_HOLD_TEXT)


def _without(text: str, names: frozenset[str]) -> tuple[str, dict[str, str]]:
    """The text without elements of these names, and their words. In <TEXT> and beside words on a line they
    are text, as is one that is closed nowhere near."""
    kept: list[str] = []
    about: dict[str, str] = {}
    end, opened, behind, in_text = 0, None, 0, False
    for tag in _TAG.finditer(text):
        name = (tag[2] or "").lower()
        begins_line = not text[behind : tag.start()].rpartition("\n")[2].strip()
        behind = tag.end()
        if name == "text":
            in_text = not tag[1]
        if in_text:
            opened = None
            continue
        if opened and tag[1] and name == opened[2].lower():
            if tag.start() - opened.end() > _LONGEST_ABOUT or not _REST_OF_LINE.match(text, behind):
                opened = None
                continue
            words = _plain(text[opened.end() : tag.start()])
            about[name] = f"{about[name]}; {words}" if about.get(name) else words
            kept.append(text[end : opened.start()])
            end, opened = tag.end(), None
        elif not tag[1] and name in names and begins_line:
            opened = tag
        # A <HEADER> around other elements, such as a title, is none of them.
        elif opened and name not in _INLINE and name not in ("p", "br", ""):
            opened = None
    kept.append(text[end:])
    return "\n\n".join(kept), {name: words for name, words in about.items() if words}


def _plain(text: str) -> str:
    return unescape(paragraphs(_TAG.sub(_break, _without_comments(text))))


def _break(tag: re.Match[str]) -> str:
    return " " if tag[2] and tag[2].lower() in _INLINE else "\n\n"


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
