"""In which language somebody is written to, and signs in elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.contrib.auth.models import User

from campaigns.models import PreferredLanguage

KNOWN = frozenset(code for code, _ in settings.LANGUAGES)


def prefer(*, user: User, code: str) -> None:
    """Keep what the person chose; a language that there is not changes nothing."""
    if code in KNOWN:
        PreferredLanguage.objects.update_or_create(user=user, defaults={"code": code})


def languages_of(users: Iterable[int]) -> dict[int, str]:
    """By the ids of the users; whoever is not in it has said nothing yet."""
    rows = PreferredLanguage.objects.filter(user__in=list(users), code__in=KNOWN)
    return dict(rows.values_list("user", "code"))
