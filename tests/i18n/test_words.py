"""Texts of pages, scripts, mails and errors use the words of the glossary, and labels name a thing."""

from __future__ import annotations

import re
from functools import cache

from config.messages import SOURCES, update_catalogue

# A statement or a label that begins so lacks its noun; a question may.
HEADLESS = re.compile(r"(What|Who|Whoever|Whose|Whom|How|Its|Whatever|Whether)\b")
# Each has a word of the field in docs/glossary.md.
FORBIDDEN = (
    r"proposes? documents",
    r"scored only|score it only",
    r"futures|imagined|courses|trajectories of futures",
    r"beliefs?|wishes",
    r"people differ",
    r"judged by several people|shared? by several",
    r"steadiness|how steady",
    r"deeds?|acts?",
    r"set aside|taken back|took back|take back",
    r"dealt|parted|surely",
    r"data sets?|mails",
    r"anew|hang on|have a say|at the most|is let",
    r"nothing of|of no use",
    r"somebody|anybody|whoever",
)
TERMS = re.compile(rf"\b(?:{'|'.join(FORBIDDEN)})\b", re.IGNORECASE)
# Placeholders and tags are named for programmers.
HIDDEN = re.compile(r"%\(\w+\)\w|\{\w+\}|<[^>]+>")


@cache
def messages() -> list[str]:
    texts = list[str]()
    for domain in SOURCES:
        for message in update_catalogue("de", domain):
            if message.id:
                texts += [message.id] if isinstance(message.id, str) else message.id
    return [HIDDEN.sub("…", text).strip() for text in texts]


def test_statements_and_labels_have_a_noun_as_their_head() -> None:
    assert [text for text in messages() if HEADLESS.match(text) and "?" not in text] == []


def test_texts_use_the_words_of_the_glossary() -> None:
    assert [(found[0], text) for text in messages() if (found := TERMS.search(text))] == []
