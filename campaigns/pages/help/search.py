"""Search over the handbook: sections whose headings or text hold all words asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from campaigns.pages.help.handbook import Page, all_pages
from campaigns.pages.help.markdown import Section

MOST_RESULTS = 30
LONGEST_QUERY = 200
# A word in a heading is worth more than any number of words below it.
IN_HEADING, IN_TITLE, IN_TEXT_AT_MOST = 12, 6, 5
EXCERPT_BEFORE, EXCERPT_AFTER = 60, 160


@dataclass(frozen=True)
class Hit:
    page: Page
    section: Section
    weight: int
    excerpt: SafeString


def search(query: str) -> list[Hit]:
    """The best sections first; of equal ones, in the order of the pages."""
    words = query[:LONGEST_QUERY].casefold().split()
    if not words:
        return []
    found = [
        Hit(page, section, weight, _excerpt(section.text, words))
        for page in all_pages()
        for section in page.sections
        if (weight := _weight(page, section, words))
    ]
    return sorted(found, key=lambda hit: -hit.weight)[:MOST_RESULTS]


def _weight(page: Page, section: Section, words: list[str]) -> int:
    title, heading, text = page.title.casefold(), section.title.casefold(), section.text.casefold()
    weight = 0
    for word in words:
        own = IN_HEADING * (word in heading) + min(text.count(word), IN_TEXT_AT_MOST)
        if not own and word not in title:
            return 0
        weight += own + IN_TITLE * (word in title)
    # All words in the title alone would list each section of that page.
    return weight if any(word in heading or word in text for word in words) else 0


def _excerpt(text: str, words: list[str]) -> SafeString:
    """The words around the first hit, with every hit marked."""
    pattern = re.compile("|".join(re.escape(word) for word in words), re.IGNORECASE)
    first = pattern.search(text)
    start = max(0, first.start() - EXCERPT_BEFORE) if first else 0
    end = (first.start() if first else 0) + EXCERPT_AFTER
    part = text[start:end]
    if start:
        part = "… " + part.partition(" ")[2]
    if end < len(text):
        part = part.rpartition(" ")[0] + " …"
    pieces, last = list[str](), 0
    for hit in pattern.finditer(part):
        pieces += [escape(part[last : hit.start()]), "<mark>", escape(hit[0]), "</mark>"]
        last = hit.end()
    # Every piece is escaped above.
    return mark_safe("".join([*pieces, escape(part[last:])]))  # noqa: S308
