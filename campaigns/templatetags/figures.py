from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.timesince import timesince

register = template.Library()


@register.filter
def grouped(number: int | float | None) -> str:
    """12345 → 12,345; whole numbers only, for counts."""
    return "" if number is None else f"{round(number):,}"


@register.filter
def hours(number: float | None) -> str:
    """0.4 → 24 min, 3.26 → 3.3 h, 31.7 → 32 h."""
    if number is None:
        return ""
    if number < 1:
        return f"{max(round(number * 60), 1)} min"
    return f"{number:.1f} h" if number < 10 else f"{round(number):,} h"


@register.filter
def ago(moment: datetime | None) -> str:
    """One unit is precise enough for what happened in the past."""
    if moment is None:
        return ""
    if (timezone.now() - moment).total_seconds() < 60:
        return "just now"
    return f"{timesince(moment, depth=1)} ago"


@register.filter
def duration(seconds: float | None) -> str:
    """12.3 s up to a minute and a half, 4 min beyond."""
    if seconds is None:
        return "–"
    return f"{seconds:.1f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


@register.filter
def milliseconds(number: int) -> str:
    return duration(number / 1000)


@register.filter
def rest(hundredths: float) -> str:
    """What is left of a hundred: where a column begins that stands on the ground."""
    return f"{100 - hundredths:.1f}"
