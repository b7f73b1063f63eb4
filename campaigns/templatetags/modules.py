"""A page's script with all that it imports, named at once: else a browser learns of each module only when it
has read the one that imports it, and a page of four levels waits four times."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from posixpath import dirname, join, normpath

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()

_IMPORT = re.compile(r'^(?:import|export)\b[^"\';]*?from\s*"(\.[^"]+)"|^import\s+"(\.[^"]+)"', re.MULTILINE)


@register.simple_tag
def module(name: str) -> SafeString:
    found = imports_of.__wrapped__(name) if settings.DEBUG else imports_of(name)
    address = static(name)
    # Imports are relative: they lead to where this script lies.
    home = address.removesuffix(name)
    links = format_html_join("\n  ", '<link rel="modulepreload" href="{}">', ((home + one,) for one in found))
    return format_html('{}\n  <script type="module" src="{}"></script>', links, address)


@lru_cache
def imports_of(name: str) -> tuple[str, ...]:
    """The modules that this one needs, whatever they need included, in the order in which they are met."""
    found: dict[str, None] = {name: None}
    waiting = [name]
    while waiting:
        one = waiting.pop(0)
        new = [each for each in _named_in(one) if each not in found]
        found.update(dict.fromkeys(new))
        waiting += dict.fromkeys(new)
    return tuple(found)[1:]


def _named_in(name: str) -> list[str]:
    place = finders.find(name)
    if place is None:
        raise template.TemplateSyntaxError(f"there is no script {name}")
    named = _IMPORT.findall(Path(str(place)).read_text())
    return [normpath(join(dirname(name), by_name or bare)) for by_name, bare in named]
