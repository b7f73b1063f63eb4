"""Several organisers who change settings at once: none undoes, unknowingly, what another has done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.models import Campaign

# An option means nothing without its method.
JOINT_SETTINGS = ("method", "options")


class ConcurrentEdit(Refusal):
    """`names`: the settings that others have changed since the writer saw them."""

    def __init__(self, names: list[str]) -> None:
        detail = gettext("another organiser has since changed: %(names)s") % {"names": ", ".join(names)}
        super().__init__("changed_meanwhile", detail, field=names[0], status=409)
        self.names = names


def own_changes(
    *, campaign: Campaign, settings: Mapping[str, Any], seen: Mapping[str, Any]
) -> dict[str, Any]:
    """Select the settings that the writer means to change: they differ from the values that the writer saw.
    Refused if one of them has changed since, to something else."""
    own = {name: value for name, value in settings.items() if name not in seen or seen[name] != value}
    if set(JOINT_SETTINGS) & set(own):
        own |= {name: settings[name] for name in JOINT_SETTINGS if name in settings}
    lost = [name for name in own if name in seen and getattr(campaign, name) not in (seen[name], own[name])]
    if lost:
        raise ConcurrentEdit(lost)
    return own


def as_seen(campaign: Campaign, names: tuple[str, ...]) -> str:
    """The settings as a form keeps them, to say later what its writer saw."""
    return dump_seen({name: getattr(campaign, name) for name in names})


def dump_seen(seen: Mapping[str, Any]) -> str:
    return json.dumps(seen, default=datetime.isoformat)


def read_seen(text: str) -> dict[str, Any]:
    try:
        seen = json.loads(text)
        if due := seen.get("due_at"):
            seen["due_at"] = parse_datetime(due)
    except (ValueError, TypeError, AttributeError):
        seen = None
    if not isinstance(seen, dict):
        detail = gettext("this page is out of date; reload it")
        raise Refusal("bad_seen", detail)
    return seen
