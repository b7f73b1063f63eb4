"""Parts of sentences, as the reader's language writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext, pgettext

from campaigns.core.actors import COMMAND_LINE, SYSTEM


def group_digits(number: int | float) -> str:
    """12345 → 12,345 in English, 12.345 in German; whole numbers only, for counts."""
    return number_format(round(number), force_grouping=True)


def join_words(parts: Sequence[str]) -> str:
    """a and b, or a and b and c."""
    return gettext(" and ").join(parts)


def as_sentence(detail: str) -> str:
    """A refusal's detail where it stands by itself: with a capital letter and a full stop."""
    return f"{detail[:1].upper()}{detail[1:]}."


def reason_text(reason: str) -> str:
    """Reason why a document could not be judged, in the reader's language: it is stored in English."""
    texts = {
        "unreadable": pgettext("reason", "unreadable"),
        "missing text": pgettext("reason", "missing text"),
        "wrong language": pgettext("reason", "wrong language"),
        "conflict of interest": pgettext("reason", "conflict of interest"),
        "other": pgettext("reason", "other"),
    }
    return texts.get(reason, reason)


def actor_text(name: str) -> str:
    """Name of the actor, for pages: it is stored in English where no person acted."""
    names = {SYSTEM.name: gettext("the system"), COMMAND_LINE.name: gettext("the command line")}
    return names.get(name, name)


def host_of(url: str) -> str:
    """For sentences: what an address says beyond its host may be a secret."""
    return urlsplit(url).hostname or ""


# Letters of scripts written from right to left, and marks that turn the direction.
_RTL = r"\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_TURNING = re.compile(f"[{_RTL}\u200f\u202a-\u202e\u2066-\u2068]")
# From a first to a last of these letters, without punctuation that belongs to the sentence. Tags stay whole.
_RUNS = re.compile(rf"<[^<>]*>|[{_RTL}](?:(?:[{_RTL}\d_]|[^\w\n,:;.!?“”„()<>·→&])*[{_RTL}])?")
_ISOLATE, _END = "\u2068", "\u2069"


def isolate(name: object) -> str:
    """A name for a sentence. One that turns the direction is isolated (UAX 9): words, numbers and signs
    around it stay in place. Safe HTML stays safe."""
    text = name if isinstance(name, str) else str(name)
    if not _TURNING.search(text):
        return text
    isolated = f"{_ISOLATE}{text}{_END}"
    return SafeString(isolated) if isinstance(text, SafeString) else isolated


def isolate_runs(sentence: str) -> str:
    """A sentence with names in it, HTML or plain: what is written from right to left is isolated, unless it
    is already."""
    if _ISOLATE in sentence or not _TURNING.search(sentence):
        return sentence
    return _RUNS.sub(lambda run: run[0] if run[0][0] == "<" else f"{_ISOLATE}{run[0]}{_END}", sentence)
