"""Filters and tags by which templates write numbers, times and score ranges."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from uuid import uuid4

from django import template
from django.utils import timezone
from django.utils.formats import date_format, get_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext, npgettext_lazy, pgettext

from campaigns.core import decimals, phrases
from campaigns.models import TokenScope
from campaigns.models.people import INVITED_ROLES

register = template.Library()

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# Behind "ago", some languages bend the units otherwise than anywhere else.
_PAST: dict[str, Any] = {
    "year": npgettext_lazy("ago", "%(num)d year", "%(num)d years", "num"),
    "month": npgettext_lazy("ago", "%(num)d month", "%(num)d months", "num"),
    "week": npgettext_lazy("ago", "%(num)d week", "%(num)d weeks", "num"),
    "day": npgettext_lazy("ago", "%(num)d day", "%(num)d days", "num"),
    "hour": npgettext_lazy("ago", "%(num)d hour", "%(num)d hours", "num"),
    "minute": npgettext_lazy("ago", "%(num)d minute", "%(num)d minutes", "num"),
}


@register.filter
def grouped(number: int | float | None) -> str:
    """12345 → 12,345; whole numbers only, for counts."""
    return "" if number is None else phrases.group_digits(number)


@register.filter
def significant(number: float | None) -> str:
    """Three digits that say something: 0.250, 0.00101, 1.01 × 10⁻⁵."""
    if number is None:
        return ""
    digits, _, power = f"{number:#.3g}".partition("e")
    shown = digits.rstrip(".").replace(".", get_format("DECIMAL_SEPARATOR")).replace("-", "−")
    return f"{shown} × 10{str(int(power)).translate(_SUPERSCRIPT)}" if power else shown


register.filter("both", phrases.join_words)
register.filter("reason_said", phrases.reason_text)
register.filter("actor_said", phrases.actor_text)


@register.filter
def scope_name(scope: str) -> str:
    return str(TokenScope(scope).label)


@register.filter
def role_name(role: str) -> str:
    return str(dict(INVITED_ROLES)[role])


@register.filter
def hours(number: float | None) -> str:
    """0.4 → 24 min, 3.26 → 3.3 h, 31.7 → 32 h."""
    if number is None:
        return ""
    if number < 1:
        return f"{max(round(number * 60), 1)} min"
    return f"{decimals.decimal(number, 1 if number < 10 else 0)} h"


@register.filter
def moment(time: datetime) -> str:
    return date_format(timezone.localtime(time), pgettext("date and time", "j F Y, H:i"))


@register.filter
def zoned(time: datetime) -> str:
    """For emails, whose readers may be anywhere."""
    return f"{moment(time)} {timezone.localtime(time).tzname()}"


@register.filter
def due(time: datetime) -> str:
    """With the day of the week, by which people plan, and the time zone."""
    here = timezone.localtime(time)
    day = date_format(here, pgettext("date and time", "l j F Y, H:i"))
    return f"{day} {here.tzname()}"


@register.filter
def long_day(day: date) -> str:
    here = timezone.localtime(day) if isinstance(day, datetime) else day
    return date_format(here, pgettext("date", "l j F Y"))


@register.filter
def day_of_month(day: date) -> str:
    return date_format(day, pgettext("date", "j F"))


@register.filter
def short_day(day: date) -> str:
    return date_format(day, pgettext("date", "j M"))


@register.filter
def ago(moment: datetime | None) -> str:
    """One unit is precise enough for what happened in the past."""
    if moment is None:
        return ""
    if (timezone.now() - moment).total_seconds() < 60:
        return gettext("just now")
    since = timesince(moment, depth=1, time_strings=_PAST)
    return gettext("%(since)s ago") % {"since": since}


@register.filter
def duration(seconds: float | None) -> str:
    """12.3 s up to a minute and a half, 4 min beyond."""
    if seconds is None:
        return "–"
    return f"{decimals.decimal(seconds, 1)} s" if seconds < 90 else f"{decimals.decimal(seconds / 60, 0)} min"


@register.filter
def milliseconds(number: int) -> str:
    return duration(number / 1000)


@register.filter
def rest(hundredths: float) -> str:
    """Rest to a hundred: the start of a column that stands on the ground."""
    return f"{100 - hundredths:.1f}"


@register.simple_tag
def new_id() -> str:
    """The id under which an act is sent, so that sending it twice does it once."""
    return str(uuid4())


def percent(value: float) -> str:
    return f"{100 * min(1.0, max(0.0, value)):.3f}%"


@register.simple_tag
def prediction_marks(
    base: float | None,
    top: float | None,
    low: float | None = None,
    high: float | None = None,
    expected: float | None = None,
) -> SafeString:
    """Three nested marks on an axis from 0 to 1: score range, interval, expected score; each only if it is
    known."""
    return _marks((base, top), (low, high), expected, 0, 1)


@register.simple_tag
def standing_marks(row: Any, axis: Any, shown: bool) -> SafeString:
    """The marks of a run's standing; in the early course of a campaign only its score range. `shown`: among
    the first rows, whose ranges make the axis."""
    interval = (None, None) if row.too_early else (row.low, row.high)
    return _both((row.base, row.top), interval, None if row.too_early else row.expected, axis, shown)


@register.simple_tag
def measured_marks(row: Any, axis: Any, shown: bool) -> SafeString:
    """The certain bounds, the interval and the score of a run by a measure, each if it exists."""
    bounds = (row.bounds.low, row.bounds.high) if row.bounds else (None, None)
    interval = (row.interval.low, row.interval.high) if row.interval else (None, None)
    return _both(bounds, interval, row.score, axis, shown)


_Ends = tuple[float | None, float | None]


def _both(bounds: _Ends, interval: _Ends, score: float | None, axis: Any, shown: bool) -> SafeString:
    """The marks on the whole axis, and on the part of it that is shown first."""
    whole = axis.whole or axis
    marks = _marks(bounds, interval, score, whole.low, whole.high, kind="whole" if axis.whole else "")
    if not axis.whole or not shown:
        return marks
    return _marks(bounds, interval, score, axis.low, axis.high, kind="part") + marks


def _marks(
    bounds: _Ends, interval: _Ends, score: float | None, start: float, end: float, *, kind: str = ""
) -> SafeString:
    def at(value: float) -> float:
        return (value - start) / (end - start)

    whisker, band, tick = SafeString(), SafeString(), SafeString()
    (base, top), (low, high) = bounds, interval
    if base is not None and top is not None:
        ends = percent(at(base)), percent(at(top))
        whisker = format_html(
            '<rect class="whisker" x="{}" y="50%" width="{}" height="1"/>'
            '<rect class="whisker-end" x="{}" y="50%" width="1" height="7"/>'
            '<rect class="whisker-end" x="{}" y="50%" width="1" height="7"/>',
            ends[0],
            percent(at(top) - at(base)),
            *ends,
        )
    if low is not None and high is not None:
        low, high = max(low, start), min(high, end)
        band = format_html(
            '<rect class="band" x="{}" y="50%" width="{}" height="8" rx="2"/>',
            percent(at(low)),
            percent(at(high) - at(low)),
        )
    if score is not None:
        tick = format_html(
            '<rect class="score-tick" x="{}" y="50%" width="2.5" height="14"/>', percent(at(score))
        )
    name = f"marks {kind}".strip()
    return format_html('<svg class="{}" aria-hidden="true">{}{}{}</svg>', name, whisker, band, tick)


@register.simple_tag
def difference_marks(
    least: float, most: float, dot: float | None = None, band: Any = None, reach: float = 1
) -> SafeString:
    """A difference of two scores on an axis from -reach to reach: its range, where it is expected or stands,
    and its prediction interval, from `band.low` to `band.high`."""

    def at(value: float) -> str:
        return percent((value / reach + 1) / 2)

    low, high = at(least), at(most)
    circle = bar = SafeString("")
    if band is not None:
        side = "better" if band.low > 0 else "worse" if band.high < 0 else "open"
        bar = format_html(
            '<rect class="band {}" x="{}" y="50%" width="{}" height="8"/>',
            side,
            at(band.low),
            percent((band.high - band.low) / reach / 2),
        )
    if dot is not None:
        circle = format_html('<circle class="dot" cx="{}" cy="50%" r="4.5"/>', at(dot))
    return format_html(
        '<svg class="marks" aria-hidden="true"><rect class="whisker" x="{}" y="50%" width="{}" height="1"/>'
        '<rect class="whisker-end" x="{}" y="50%" width="1" height="7"/>'
        '<rect class="whisker-end" x="{}" y="50%" width="1" height="7"/>{}{}</svg>',
        low,
        percent((most - least) / reach / 2),
        low,
        high,
        bar,
        circle,
    )


register.filter("score", decimals.score)
register.filter("base", decimals.base)
register.filter("top", decimals.top)
register.filter("rounded_down", decimals.rounded_down)
register.filter("rounded_up", decimals.rounded_up)
register.filter("expected", decimals.expected)
register.filter("chance", decimals.chance)
register.filter("with_percent", decimals.with_percent)
register.filter("signed", decimals.signed)
register.filter("p_value", decimals.p_value)
register.filter("percentage", decimals.percentage)
register.filter("rounded", decimals.decimal)


@register.filter
def at_most(value: float, digits: int) -> str:
    """12.5 for one digit, and 12 instead of 12.0."""
    return decimals.decimal(value, digits, trim=True)
