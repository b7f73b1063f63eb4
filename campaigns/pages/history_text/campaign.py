"""Sentences about a campaign: its course, its topics, its training, and changed settings as old → new."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaigns.core.decimals import as_typed, decimal, signed
from campaigns.pages.history_text.sentences import (
    CampaignLinks,
    Saying,
    Sentence,
    plain,
    sentence,
    shorten_list,
)
from campaigns.pages.setup.methods import in_words, label_of
from campaigns.pages.topics.order import order_label
from campaigns.setup.setting import Choice
from campaigns.setup.settings import BY_NAME, SCORING_SETTINGS, SERVING_SETTINGS
from campaigns.templatetags.figures import zoned


def created_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    method = label_of(detail["method"])
    words = _("made the campaign “{name}”: {method}, p = {p}")
    return sentence(words, name=detail["name"], method=method, p=as_typed(detail["p"]))


def opened_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    again = detail.get("before", "draft") != "draft"
    return sentence(_("opened the campaign again") if again else _("opened the campaign for judging"))


def settings_copied_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    words = _("copied the settings of “{source}”")
    if left := detail.get("examples_left", 0):
        more = ngettext(
            "; {count} example of a topic was left out", "; {count} examples of topics were left out", left
        )
        return sentence(words + more, source=detail["source"], count=left)
    return sentence(words, source=detail["source"])


def topic_closed_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    if "judged" not in detail:
        return sentence(_("closed topic {topic} for all assessors"), topic=at.topic(detail["topic"]))
    words = _("closed topic {topic} after judging {judged} of its documents")
    return sentence(words, topic=at.topic(detail["topic"]), judged=detail["judged"])


def topic_done_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    values = {"topic": at.topic(detail["topic"]), "judged": detail["judged"]}
    if not detail["overlap_left"]:
        return sentence(_("was done with topic {topic} after judging {judged} of its documents"), **values)
    words = ngettext(
        "was done with topic {topic} after judging {judged} of its documents; {left} overlap document left",
        "was done with topic {topic} after judging {judged} of its documents; {left} overlap documents left",
        detail["overlap_left"],
    )
    return sentence(words, **values, left=detail["overlap_left"])


def topic_method_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    numbers = detail["topics"]
    before = ", ".join(_served_by(method) for method in detail["before"])
    words = ngettext(
        "had topic {topics} served otherwise: {before} → {method}",
        "had topics {topics} served otherwise: {before} → {method}",
        len(numbers),
    )
    return sentence(words, topics=shorten_list(numbers), before=before, method=_served_by(detail["method"]))


def topic_order_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    changes = detail["changes"]
    if "topic_method" in changes:
        before, method = (order_label(name) for name in changes["topic_method"])
        words = _("had topics released in another order: {before} → {method}")
        return sentence(words, before=before, method=method)
    if "topics_ahead" in changes:
        before, ahead = changes["topics_ahead"]
        words = _("changed how many topics are open ahead: {before} → {ahead}")
        return sentence(words, before=before, ahead=ahead)
    if "topics_first" in changes:
        first = shorten_list(changes["topics_first"][1]) or _("none")
        return sentence(_("placed topics before the others: {topics}"), topics=first)
    return sentence(_("changed the options of the topics’ order"))


def topic_released_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    topic = at.topic(detail["topic"])
    if "method" not in detail:
        return sentence(_("released topic {topic} by hand"), topic=topic)
    method = order_label(detail["method"])
    if detail.get("how") != "method" or "expected" not in detail:
        return sentence(_("released topic {topic} at its turn ({method})"), topic=topic, method=method)
    words = _(
        "released topic {topic} at its turn ({method}): correlation with the others {correlation}, expected "
        "agreement with all topics {expected}, of which it adds {adds}"
    )
    return sentence(
        words,
        topic=topic,
        method=method,
        correlation=decimal(detail.get("correlation"), 2),
        expected=decimal(detail["expected"], 3),
        adds=signed(detail.get("adds", 0.0)),
    )


def _served_by(method: str) -> str:
    return label_of(method) if method else _("as the campaign")


def training_added_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    items = detail["items"]
    if len(items) == 1:
        topic, docno, grade = items[0]
        words = _("added {docno} of topic {topic} to the training; {grade} is expected")
        return sentence(words, docno=docno, topic=at.topic(topic), grade=grade)
    if not detail["file"]:
        topics = shorten_list(detail["topics"])
        return sentence(
            _("added {count} items of topic {topic} to the training"), count=len(items), topic=topics
        )
    words = _("added {count} items to the training from {file}")
    return sentence(words, count=len(items), file=detail["file"])


def example_added_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    docnos, grade = shorten_list(detail["docnos"]), detail["grade"]
    if "topic" in detail:
        words = _("added {docnos} to the guidelines as an example of grade {grade} in topic {topic}")
        return sentence(words, docnos=docnos, grade=grade, topic=at.topic(detail["topic"]))
    words = _("added {docnos} to the guidelines as an example of grade {grade}")
    return sentence(words, docnos=docnos, grade=grade)


def example_changed_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    changes, said = detail["changes"], []
    if "grade" in changes:
        before, after = changes["grade"]
        said.append(_("grade {before} → {after}").format(before=before, after=after))
    if "topic" in changes:
        before, after = (number or _("every topic") for number in changes["topic"])
        said.append(_("topic {before} → {after}").format(before=before, after=after))
    if "reason" in changes:
        said.append(_("{setting}, revised").format(setting=_("reason")))
    words = _("changed the example {docno} in the guidelines: {changes}")
    return sentence(words, docno=detail["docno"], changes="; ".join(said))


CAMPAIGN_SENTENCES: dict[str, Saying] = {
    "created": created_sentence,
    "opened": opened_sentence,
    "paused": plain(gettext_lazy("paused the campaign")),
    "closed": plain(gettext_lazy("closed the campaign")),
    "settings copied": settings_copied_sentence,
    "archived": plain(gettext_lazy("archived the campaign")),
    "unarchived": plain(gettext_lazy("restored the campaign from the archive")),
    "topic closed": topic_closed_sentence,
    "topic done": topic_done_sentence,
    "topic resumed": plain(gettext_lazy("judges on in topic {topic}")),
    "topic reopened": plain(gettext_lazy("opened topic {topic} again")),
    "topic developed": plain(gettext_lazy("developed topic {topic}")),
    "topic reworded": plain(gettext_lazy("revised topic {topic}: revision {revision}")),
    "topic method": topic_method_sentence,
    "topic order": topic_order_sentence,
    "topic released": topic_released_sentence,
    "topic held": plain(gettext_lazy("held topic {topic} back")),
    "topic requeued": plain(gettext_lazy("requeued topic {topic}")),
    "topic moved": plain(gettext_lazy("moved topic {topic} to place {place} of those that wait")),
    "training added": training_added_sentence,
    "training removed": plain(
        gettext_lazy("took {docno} of topic {topic} out of the training, with the answers to it")
    ),
    "training moved": plain(gettext_lazy("moved {docno} of topic {topic} in the training")),
    "example added": example_added_sentence,
    "example changed": example_changed_sentence,
    "example removed": plain(gettext_lazy("deleted the example {docno} from the guidelines")),
    "example moved": plain(gettext_lazy("moved the example {docno} in the guidelines")),
}

LONGEST_VALUE = 60


def settings_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    changes = detail["changes"]
    words = _("changed the {settings}: {changes}")
    if detail["after"] and SCORING_SETTINGS & set(changes):
        words += _("; all runs were scored again; judgments stay ({after})")
    elif detail["after"] and SERVING_SETTINGS & set(changes):
        words += _("; the queues were computed again; judgments stay ({after})")
    methods = changes.get("method", ("", ""))
    said_of_each = "; ".join(_change(name, old, new, methods) for name, (old, new) in changes.items())
    page = at.page("settings", _("settings"))
    return sentence(words, settings=page, changes=said_of_each, after=detail["after"])


def _change(name: str, old: Any, new: Any, methods: Sequence[str]) -> str:
    label = label_of_setting(name)
    if name == "options":
        before, after = (
            _options(_differing(one, other), method)
            for one, other, method in zip((old, new), (new, old), methods, strict=True)
        )
        return f"{label} {before} → {after}"
    before, after = value_of(name, old), value_of(name, new)
    if max(len(before), len(after)) > LONGEST_VALUE and name != "grades":
        return _("{setting}, revised").format(setting=label)
    return f"{label} {before} → {after}"


def _differing(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in other or other[name] != value}


def _options(options: dict[str, Any], method: str) -> str:
    words = [in_words(option, value, method) for option, value in options.items()]
    return ", ".join(f"{label}: {value}" for label, value in words) or _("none")


def value_of(name: str, value: Any) -> str:
    if value is None or value in ("", {}, []):
        return _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, float):
        return as_typed(value)
    if isinstance(value, dict):
        return _options(value, "")
    if name == "due_at":
        # As the history has it, or as the campaign does.
        return zoned(datetime.fromisoformat(value) if isinstance(value, str) else value)
    if name == "shown_fields":
        return ", ".join(value)
    if name == "grades":
        return ", ".join(f"{row['grade']} “{row['label']}” {as_typed(row['gain'])}" for row in value)
    kind = BY_NAME[name].kind if name in BY_NAME else None
    return str(dict(kind.choices).get(value, value)) if isinstance(kind, Choice) else str(value)


def label_of_setting(name: str) -> str:
    """Return a setting's name in words; the history knows settings that are none of the campaign's."""
    if name == "language":
        return _("language of the documents")
    return str(BY_NAME[name].label) if name in BY_NAME else name.replace("_", " ")
