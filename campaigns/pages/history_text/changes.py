"""Changed settings, old → new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.models.campaign import Method, Policy, Scope, TopicChoice
from campaigns.pages.history_text.sentences import Places, Said, said
from campaigns.pages.setup.options import in_words

NAMES = {
    "name": gettext_lazy("name"),
    "guidelines": gettext_lazy("guidelines"),
    "p": gettext_lazy("persistence p"),
    "method": gettext_lazy("method"),
    "options": gettext_lazy("options of the method"),
    "scope": gettext_lazy("scope"),
    "batch": gettext_lazy("judgments between two reorderings"),
    "grades": gettext_lazy("grades"),
    "relevant_from": gettext_lazy("relevant from grade"),
    "min_judgments": gettext_lazy("minimum of judgments per topic"),
    "budget": gettext_lazy("budget"),
    "topic_choice": gettext_lazy("how assessors come to topics"),
    "training_required": gettext_lazy("training before the first topic"),
    "development_required": gettext_lazy("topics written out before they are judged"),
    "overlap_share": gettext_lazy("share judged by several"),
    "overlap_assessors": gettext_lazy("by how many"),
    "repeat_share": gettext_lazy("share shown again"),
    "policy": gettext_lazy("whose grade counts"),
    "seed": gettext_lazy("seed"),
}
CALLED: dict[str, dict[str, Any]] = {
    "method": dict(Method.choices),
    "scope": dict(Scope.choices),
    "topic_choice": dict(TopicChoice.choices),
    "policy": dict(Policy.choices),
}
LONGEST = 60
# What runs are scored by, and what decides which document is next.
SCORING = {"p", "grades", "relevant_from", "policy"}
SERVING = {"method", "options", "scope", "batch"}


def settings(detail: dict[str, Any], at: Places) -> Said:
    changes = detail["changes"]
    words = _("changed the {settings}: {changes}")
    if detail["after"] and SCORING & set(changes):
        words += _("; all runs were scored anew by the judgments so far, which stay ({after})")
    elif detail["after"] and SERVING & set(changes):
        words += _("; the queues were made anew, the judgments so far stay ({after})")
    methods = changes.get("method", ("", ""))
    said_of_each = "; ".join(_change(name, old, new, methods) for name, (old, new) in changes.items())
    page = at.page("settings", _("settings"))
    return said(words, settings=page, changes=said_of_each, after=detail["after"])


def _change(name: str, old: Any, new: Any, methods: Sequence[str]) -> str:
    label = str(NAMES.get(name, name.replace("_", " ")))
    if name == "options":
        before, after = (
            _options(_differing(one, other), method)
            for one, other, method in zip((old, new), (new, old), methods, strict=True)
        )
        return f"{label} {before} → {after}"
    before, after = value_of(name, old), value_of(name, new)
    if max(len(before), len(after)) > LONGEST and name != "grades":
        return _("{setting}, reworded").format(setting=label)
    return f"{label} {before} → {after}"


def _differing(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in other or other[name] != value}


def _options(told: dict[str, Any], method: str) -> str:
    words = [in_words(option, value, method) for option, value in told.items()]
    return ", ".join(f"{label}: {value}" for label, value in words) or _("none")


def value_of(name: str, value: Any) -> str:
    if value is None or value in ("", {}):
        return _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        return _options(value, "")
    if name == "grades":
        return ", ".join(f"{row['grade']} “{row['label']}” {row['gain']:g}" for row in value)
    return str(CALLED.get(name, {}).get(value, value))
