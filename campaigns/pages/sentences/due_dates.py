"""Sentences about work that waits, and its due date."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core.phrases import group_digits
from campaigns.due_dates.work_left import DueWork
from campaigns.overview.waiting_work import WaitingWork
from campaigns.templatetags.figures import due as due_time


def due_sentence(due: DueWork, short: bool = False) -> str:
    """`short`: without the number of judgments left, which stands beside it."""
    values = {"when": due_time(due.at), "shown": group_digits(due.left), "n": due.per_day}
    if not due.left or short:
        return _day_text(due) % values
    if due.over:
        text = ngettext(
            "%(shown)s judgment left to the minimum. It was due %(when)s.",
            "%(shown)s judgments left to the minimum. They were due %(when)s.",
            due.left,
        )
    elif due.per_day:
        text = ngettext(
            "%(shown)s judgment left to the minimum, due %(when)s: %(pace)s a day.",
            "%(shown)s judgments left to the minimum, due %(when)s: %(pace)s a day.",
            due.left,
        )
        values["pace"] = group_digits(due.per_day)
    else:
        text = ngettext(
            "%(shown)s judgment left to the minimum, due %(when)s.",
            "%(shown)s judgments left to the minimum, due %(when)s.",
            due.left,
        )
    return text % values


def _day_text(due: DueWork) -> str:
    if due.over:
        return _("It was due %(when)s.")
    if due.per_day:
        return ngettext(
            "Due %(when)s: %(n)s judgment a day.", "Due %(when)s: %(n)s judgments a day.", due.per_day
        )
    return _("Due %(when)s.")


def waiting_label(work: WaitingWork) -> str:
    """Name the work that waits for a person."""
    match work.kind:
        case "adjudicate":
            text = ngettext(
                "%(count)s document to adjudicate", "%(count)s documents to adjudicate", work.count
            )
        case "questions":
            text = ngettext("%(count)s open question", "%(count)s open questions", work.count)
        case "runs":
            text = ngettext("%(count)s run handed in", "%(count)s runs handed in", work.count)
        case "begin":
            text = _("Choose a topic")
        case "topic" if not work.count:
            text = _("Topic %(topic)s")
        case "topic":
            text = ngettext(
                "%(count)s judgment left in topic %(topic)s",
                "%(count)s judgments left in topic %(topic)s",
                work.count,
            )
    return text % {"count": group_digits(work.count), "topic": work.topic}


def week_label(week: Sequence[int], begun: bool) -> str:
    """State how much assessors judged lately; `week`: judgments of each day, today last."""
    if today := week[-1]:
        text = ngettext("%(count)s judgment today", "%(count)s judgments today", today)
        return text % {"count": group_digits(today)}
    if total := sum(week):
        text = ngettext("%(count)s judgment this week", "%(count)s judgments this week", total)
        return text % {"count": group_digits(total)}
    return _("no judgment this week") if begun else _("no assessor has judged yet")
