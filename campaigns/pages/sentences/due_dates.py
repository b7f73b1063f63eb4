"""Sentences about the due date."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core.phrases import group_digits
from campaigns.due_dates.work_left import DueWork
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
