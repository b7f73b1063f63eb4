"""Passwords made of the site's own words are refused: guessers try these first."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

# In English and German; the names of the site's hosts come in addition.
SITE_WORDS = frozenset(
    [
        "assess",
        "assessor",
        "admin",
        "organiser",
        "organizer",
        "relevance",
        "relevant",
        "judge",
        "judgment",
        "judgement",
        "topic",
        "campaign",
        "query",
        "document",
        "pool",
        "qrels",
        "trec",
        "password",
        "jury",
        "urteil",
        "thema",
        "kampagne",
        "relevanz",
        "organisation",
        "passwort",
    ]
)
# Fewer letters beside the site's words are soon guessed.
LEAST_OTHER_LETTERS = 4
SHORTEST_HOST_WORD = 4
_OTHER_THAN_LETTERS = re.compile(r"[\W\d_]+")


class SiteWordsValidator:
    """Refuse a password with under four letters beside the site's words. Digits and signs do not count."""

    def validate(self, password: str, user: User | None = None) -> None:
        letters = _OTHER_THAN_LETTERS.sub("", password.casefold())
        rest = letters
        # The longest first: “assessor” leaves nothing, “assess” would leave “or”.
        for word in sorted(SITE_WORDS | _host_words(), key=len, reverse=True):
            rest = rest.replace(word, "")
        if rest != letters and len(rest) < LEAST_OTHER_LETTERS:
            raise ValidationError(self.get_help_text(), code="password_of_site_words")

    def get_help_text(self) -> str:
        return gettext("A password needs more than words of this site, digits and signs.")


def _host_words() -> set[str]:
    hosts = [*settings.ALLOWED_HOSTS, urlsplit(settings.SITE_URL).hostname or ""]
    words = (word.casefold() for host in hosts for word in _OTHER_THAN_LETTERS.split(host))
    return {word for word in words if len(word) >= SHORTEST_HOST_WORD}
