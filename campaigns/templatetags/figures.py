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
def ago(moment: datetime | None) -> str:
    """One unit is precise enough for what happened in the past."""
    if moment is None:
        return ""
    if (timezone.now() - moment).total_seconds() < 60:
        return "just now"
    return f"{timesince(moment, depth=1)} ago"
