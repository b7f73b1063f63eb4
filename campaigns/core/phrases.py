"""Parts of sentences, as the reader's language writes them."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.utils.formats import number_format
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
    said = {
        "unreadable": pgettext("reason", "unreadable"),
        "missing text": pgettext("reason", "missing text"),
        "wrong language": pgettext("reason", "wrong language"),
        "conflict of interest": pgettext("reason", "conflict of interest"),
        "other": pgettext("reason", "other"),
    }
    return said.get(reason, reason)


def actor_text(name: str) -> str:
    """Name of the actor, for pages: it is stored in English where no person acted."""
    said = {SYSTEM.name: gettext("the system"), COMMAND_LINE.name: gettext("the command line")}
    return said.get(name, name)


def host_of(url: str) -> str:
    """For sentences: what an address says beyond its host may be a secret."""
    return urlsplit(url).hostname or ""
