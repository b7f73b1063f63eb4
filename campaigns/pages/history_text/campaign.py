"""The campaign's course: its own, its topics', its training's.

Changed settings, old → new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaigns.models.campaign import Method, Policy, Scope, TopicChoice
from campaigns.pages.history_text.sentences import Places, Said, listed, said
from campaigns.pages.setup.methods import in_words, label_of


def created(detail: dict[str, Any], at: Places) -> Said:
    method = label_of(detail["method"])
    words = _("made the campaign “{name}”: {method}, p = {p}")
    return said(words, name=detail["name"], method=method, p=f"{detail['p']:g}")


def bundle_imported(detail: dict[str, Any], at: Places) -> Said:
    words = _("made this campaign out of the bundle {file}; what stands before is the history it brought")
    return said(words, file=detail["file"])


def opened(detail: dict[str, Any], at: Places) -> Said:
    again = detail.get("before", "draft") != "draft"
    return said(_("opened the campaign again") if again else _("opened the campaign for judging"))


def paused(detail: dict[str, Any], at: Places) -> Said:
    return said(_("paused the campaign"))


def closed(detail: dict[str, Any], at: Places) -> Said:
    return said(_("closed the campaign"))


def topic_closed(detail: dict[str, Any], at: Places) -> Said:
    if "judged" not in detail:
        return said(_("closed topic {topic} for everybody"), topic=at.topic(detail["topic"]))
    words = _("closed topic {topic} after judging {judged} of its documents")
    return said(words, topic=at.topic(detail["topic"]), judged=detail["judged"])


def topic_reopened(detail: dict[str, Any], at: Places) -> Said:
    return said(_("opened topic {topic} again"), topic=at.topic(detail["topic"]))


def topic_developed(detail: dict[str, Any], at: Places) -> Said:
    return said(_("wrote out what topic {topic} is about"), topic=at.topic(detail["topic"]))


def topic_reworded(detail: dict[str, Any], at: Places) -> Said:
    words = _("reworded topic {topic}: wording {revision}")
    return said(words, topic=at.topic(detail["topic"]), revision=detail["revision"])


def topic_method(detail: dict[str, Any], at: Places) -> Said:
    numbers = detail["topics"]
    before = ", ".join(_served_by(method) for method in detail["before"])
    words = ngettext(
        "had topic {topics} served otherwise: {before} → {method}",
        "had topics {topics} served otherwise: {before} → {method}",
        len(numbers),
    )
    return said(words, topics=listed(numbers), before=before, method=_served_by(detail["method"]))


def _served_by(method: str) -> str:
    return label_of(method) if method else _("as the campaign")


def training_added(detail: dict[str, Any], at: Places) -> Said:
    items = detail["items"]
    if len(items) == 1:
        topic, docno, grade = items[0]
        words = _("added {docno} of topic {topic} to the training; {grade} is expected")
        return said(words, docno=docno, topic=at.topic(topic), grade=grade)
    return said(_("added {count} items to the training from {file}"), count=len(items), file=detail["file"])


def training_removed(detail: dict[str, Any], at: Places) -> Said:
    words = _("took {docno} of topic {topic} out of the training, with the answers to it")
    return said(words, docno=detail["docno"], topic=at.topic(detail["topic"]))


def training_moved(detail: dict[str, Any], at: Places) -> Said:
    words = _("moved {docno} of topic {topic} in the training")
    return said(words, docno=detail["docno"], topic=at.topic(detail["topic"]))


TELL: dict[str, Callable[[dict[str, Any], Places], Said]] = {
    "created": created,
    "bundle imported": bundle_imported,
    "opened": opened,
    "paused": paused,
    "closed": closed,
    "topic closed": topic_closed,
    "topic reopened": topic_reopened,
    "topic developed": topic_developed,
    "topic reworded": topic_reworded,
    "topic method": topic_method,
    "training added": training_added,
    "training removed": training_removed,
    "training moved": training_moved,
}

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
