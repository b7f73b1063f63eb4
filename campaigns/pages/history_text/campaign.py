"""The campaign's course: its own, its topics', its training's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.pages.history_text.sentences import Places, Said, listed, said
from campaigns.pages.setup.methods import label_of


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
