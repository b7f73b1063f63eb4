"""Scores, p-values and other decimal fractions as people read them, in their language.

The rule, the same for pages, scripts (`static/site/numbers.js`) and figures:

- A score or p-value has three digits after the point.
- A base is rounded down and a top up: the score range shown contains the true one.
- All else is rounded to the nearest number, and of two that are equally near, to the even one. The exact
  value of the float decides: 0.0005 is stored a little above and becomes 0.001, 0.0625 becomes 0.062.
- A float within `NOISE` of a shown number is that number: arithmetic makes 0.3 into 0.30000000000000004,
  which is no reason to show a top of 0.301.
- A number that is shown as 0 has no sign. Others have a minus sign, not a hyphen.

Exports, bundles, the REST API, webhooks and commands do not round by this rule: programs read them, in full
precision. The rule is exact below 10^12 (beyond, a float has too few bits for three digits).
"""

from __future__ import annotations

from math import floor, isnan

from django.utils.formats import number_format
from django.utils.translation import gettext

SCORE_DIGITS = 3
NOISE = 1e-12
_STEP = 10.0**-SCORE_DIGITS


def decimal(value: float | None, digits: int, *, trim: bool = False) -> str:
    """12.25 → 12.2 for one digit; `trim`: without zeros at the end. A dash where nothing is known."""
    if value is None or isnan(value):
        return "–"
    text = f"{value:z.{digits}f}"
    shown = number_format(text.rstrip("0").rstrip(".") if trim and digits else text, force_grouping=True)
    return shown.replace("-", "−")


def as_typed(value: float) -> str:
    """A setting in full: 0.85, and 0,85 in German."""
    return number_format(f"{value:.12g}")


def score(value: float | None) -> str:
    return decimal(value, SCORE_DIGITS)


def base(value: float) -> str:
    return score(rounded_down(value))


def top(value: float) -> str:
    return score(rounded_up(value))


def rounded_down(value: float) -> float:
    """The largest score that can be shown and is not above the value."""
    nearest = round(float(value), SCORE_DIGITS)
    return nearest - _STEP if nearest - value > NOISE else nearest


def rounded_up(value: float) -> float:
    """The smallest score that can be shown and is not below the value."""
    return -rounded_down(-value)


def expected(value: float) -> str:
    """An expected score, rounded half up."""
    return score(floor(value / _STEP + 0.5 + NOISE) * _STEP)


def chance(value: float | None) -> str:
    """P(best): 71%, < 1%, and with a digit more from 99% on, never 100% of what is open. A dash for 0."""
    if not value:
        return "–"
    if value < 0.01:
        return with_percent(f"< {decimal(1, 0)}")
    return with_percent(decimal(min(100 * value, 99.9), 1 if value >= 0.99 else 0))


def with_percent(number: str | int) -> str:
    """71%, and in German with a no-break space before the sign."""
    return gettext("%(share)s%%") % {"share": number}


def signed(value: float, digits: int = SCORE_DIGITS) -> str:
    """With its sign, a real minus; a difference that is shown as 0 has none."""
    # Python rounds floats by their exact value and halves to even; numpy's own numbers do not.
    sign = "+" if (shown := round(float(value), digits)) > 0 else "−" if shown < 0 else ""
    return f"{sign}{decimal(abs(value), digits)}"


def p_value(value: float | None) -> str:
    small = value is not None and value < _STEP
    return f"< {score(_STEP)}" if small else score(value)


def percentage(share: float) -> str:
    """Without the sign: 97.3 of 0.973, and never 100 while a part is missing."""
    return decimal(min(100 * share, 100.0 if share >= 1 else 99.9), 1, trim=True)
