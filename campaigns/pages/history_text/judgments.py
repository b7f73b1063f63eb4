from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

from campaigns.pages.history_text.sentences import Places, Said, said


def _what(detail: dict[str, Any], at: Places) -> dict[str, object]:
    topic, docno = detail["topic"], detail["docno"]
    return {"docno": at.document(topic, docno), "topic": at.topic(topic), "grade": detail["grade"]}


def judged(detail: dict[str, Any], at: Places) -> Said:
    if detail["adjudication"]:
        return said(_("decided {docno} in topic {topic}: {grade}"), **_what(detail, at))
    return said(_("judged {docno} in topic {topic}: {grade}"), **_what(detail, at))


def revised(detail: dict[str, Any], at: Places) -> Said:
    what = _what(detail, at)
    if detail["adjudication"]:
        return said(_("decided {docno} in topic {topic} again: {grade}"), **what)
    if detail["before"] is None:
        return said(_("judged {docno} in topic {topic} again: {grade}"), **what)
    return said(
        _("judged {docno} in topic {topic} again: {before} → {grade}"), before=detail["before"], **what
    )


def undone(detail: dict[str, Any], at: Places) -> Said:
    if detail["adjudication"]:
        return said(_("took back the decision on {docno} in topic {topic}"), **_what(detail, at))
    return said(_("took back the judgment of {docno} in topic {topic}"), **_what(detail, at))


def not_judged(detail: dict[str, Any], at: Places) -> Said:
    reason = _(detail["reason"])
    return said(_("could not judge {docno} in topic {topic}: {reason}"), reason=reason, **_what(detail, at))


def shown_again(detail: dict[str, Any], at: Places) -> Said:
    """An answer to what came once more, which the assessor did not know; it changes no grade."""
    what = _what(detail, at)
    if detail["undo"]:
        return said(_("took back the answer to {docno} in topic {topic}, shown once more"), **what)
    if detail["grade"] is None:
        words = _("was shown {docno} in topic {topic} once more, and could not judge it: {reason}")
        return said(words, reason=_(detail["reason"]), **what)
    words = _("was shown {docno} in topic {topic} once more: {before}, now {grade}")
    return said(words, before=detail["before"], **what)


TELL: dict[str, Callable[[dict[str, Any], Places], Said]] = {
    "judged": judged,
    "revised": revised,
    "undone": undone,
    "not judged": not_judged,
    "shown again": shown_again,
}
