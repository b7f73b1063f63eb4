"""The words of a page's scripts, in the language of the page."""

from __future__ import annotations

import gettext
from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


@register.simple_tag
def words(domain: str) -> SafeString | str:
    """A block for static/site/words.js; English needs none."""
    known = _known(get_language() or settings.LANGUAGE_CODE, domain)
    return json_script(known, "words") if known else ""


@lru_cache
def _known(language: str, domain: str) -> dict[str, Any]:
    found = gettext.translation(domain, settings.LOCALE_PATHS[0], [language], fallback=True)
    known: dict[str, Any] = {}
    # The library has no public way to ask for all of them; Django's own JavaScriptCatalog does the same.
    for key, said in sorted(getattr(found, "_catalog", {}).items(), key=str):
        if isinstance(key, tuple):
            known.setdefault(key[0], []).append(said)
        elif key:
            known[key] = said
    return known
