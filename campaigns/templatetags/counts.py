"""The counts of docs/glossary.md as pages write them: each kind has one word, and is named in the mark-up."""

from __future__ import annotations

from collections.abc import Callable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from campaigns.core.phrases import group_digits

register = template.Library()

COUNTS: dict[str, Callable[[int], str]] = {
    "log-entries": lambda n: ngettext("%(count)s log entry", "%(count)s log entries", n),
    "judged-documents": lambda n: ngettext("%(count)s judged document", "%(count)s judged documents", n),
    "repeats": lambda n: ngettext("%(count)s repeat", "%(count)s repeats", n),
    "decisions": lambda n: ngettext("%(count)s decided", "%(count)s decided", n),
    "runs": lambda n: ngettext("%(count)s run", "%(count)s runs", n),
    "distinct-runs": lambda n: ngettext("%(count)s distinct run", "%(count)s distinct runs", n),
    "withdrawn-runs": lambda n: ngettext("%(count)s withdrawn run", "%(count)s withdrawn runs", n),
}


def count_text(kind: str, number: int) -> str:
    return COUNTS[kind](number) % {"count": group_digits(number)}


@register.simple_tag
def count(kind: str, number: int, scope: str = "") -> SafeString:
    """`{% count "runs" n %}`: 143 runs. `scope`: of what, if not of the campaign. Within a scope, every page
    shows the same number of a kind; tests/campaigns/pages/test_counts.py compares them."""
    where = format_html(' data-of="{}"', scope) if scope else ""
    return format_html('<span data-counted="{}"{}>{}</span>', kind, where, count_text(kind, number))


@register.simple_tag
def run_counts(runs: int, *, withdrawn: int, distinct: int = 0) -> SafeString:
    """`distinct`: named where some runs are identical."""
    shown = [
        ("runs", runs),
        ("distinct-runs", distinct if distinct != runs else 0),
        ("withdrawn-runs", withdrawn),
    ]
    counts = [count(kind, number) for kind, number in shown if number or kind == "runs"]
    return format_html_join(", ", "{}", ((one,) for one in counts))
