"""Query templates: JSON whose strings name fields of a topic, as in `{"query": "{{topic.title}}"}`.

A place is filled after the template was read as JSON, so no topic can change its structure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext

from campaigns.core.errors import with_nearest
from campaigns.engines.hit_mapping import clean

MOST_DEPTH = 1000
LONGEST_TEMPLATE = 20_000
DEEPEST_TEMPLATE = 20
OWN_FIELDS = ("number", "title", "description", "narrative")
DEPTH = "k"
EXAMPLE = '{"query": "{{topic.title}}"}'
_PLACE = re.compile(r"\{\{([^{}]*)\}\}")


class BadTemplate(ValueError):
    """Reason why a template cannot be used."""


def parse_template(text: str) -> dict[str, Any]:
    """A template from its JSON text.

    Raises
    ------
    BadTemplate : it is no JSON object, or too long.
    """
    if len(text) > LONGEST_TEMPLATE:
        raise _too_long()
    try:
        template = json.loads(text)
    except (ValueError, RecursionError) as error:
        detail = gettext("the template is no JSON: %(reason)s") % {"reason": error}
        raise BadTemplate(detail) from None
    if not isinstance(template, dict):
        detail = gettext("a template is a JSON object, such as %(example)s")
        raise BadTemplate(detail % {"example": EXAMPLE})
    return dict(template)


def check_template(template: Mapping[str, Any], further_fields: frozenset[str] = frozenset()) -> None:
    """Refuse a template that names no field of a topic, or one that no topic has.

    Raises
    ------
    BadTemplate : with the name, and the nearest known one.
    """
    try:
        written = json.dumps(template, allow_nan=False)
    except (ValueError, RecursionError):
        raise BadTemplate(gettext("the template is no JSON object")) from None
    if any(text != clean(text) for text in _strings(template)):
        raise BadTemplate(gettext("the template holds NUL or half a character"))
    if len(written) > LONGEST_TEMPLATE or _depth_of(template) > DEEPEST_TEMPLATE:
        raise _too_long()
    if any("{{" in _PLACE.sub("", text) for text in _strings(template)):
        raise BadTemplate(gettext("a place is written %(example)s") % {"example": "{{topic.title}}"})
    names = places_in(template)
    known = [f"topic.{name}" for name in (*OWN_FIELDS, *sorted(further_fields))] + [DEPTH]
    for name in names:
        if name not in known:
            detail = gettext("there is no “%(name)s”; there are %(known)s")
            detail %= {"name": name[:80], "known": ", ".join(known)}
            raise BadTemplate(with_nearest(detail, name, known))
    if not any(name.startswith("topic.") for name in names):
        detail = gettext("the template names no field of the topic, such as %(example)s")
        raise BadTemplate(detail % {"example": "{{topic.title}}"})


def places_in(template: Any) -> list[str]:
    """Names of all places, in their order, each once."""
    if isinstance(template, str):
        return list(dict.fromkeys(map(str.strip, _PLACE.findall(template))))
    return list(dict.fromkeys(name for part in _parts(template) for name in places_in(part)))


def fill(template: Any, values: Mapping[str, str], depth: int) -> Any:
    """Put a topic's values into the places. `{{k}}` alone in a string becomes the number of hits."""
    if isinstance(template, str):
        own = {**values, DEPTH: str(depth)}
        if _PLACE.fullmatch(template) and places_in(template) == [DEPTH]:
            return depth
        return _PLACE.sub(lambda place: own[place[1].strip()], template)
    if isinstance(template, Mapping):
        return {name: fill(part, values, depth) for name, part in template.items()}
    if isinstance(template, list):
        return [fill(part, values, depth) for part in template]
    return template


def _depth_of(value: Any) -> int:
    return 1 + max(map(_depth_of, _parts(value)), default=0)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    if isinstance(value, Mapping):
        yield from value
    for part in _parts(value):
        yield from _strings(part)


def _parts(value: Any) -> Collection[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def _too_long() -> BadTemplate:
    detail = gettext("a template has at most %(most)s characters and %(levels)s levels")
    return BadTemplate(detail % {"most": LONGEST_TEMPLATE, "levels": DEEPEST_TEMPLATE})
