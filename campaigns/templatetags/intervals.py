from django import template
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluation.measures.bounds import projected

register = template.Library()


def percent(value: float) -> str:
    return f"{100 * min(1.0, max(0.0, value)):.3f}%"


@register.simple_tag
def interval_bar(base: float, residual: float) -> SafeString:
    """A run's interval as the dashboard draws it, on an axis from 0 to 1."""
    return format_html(
        '<svg class="interval" aria-hidden="true">'
        '<rect class="run-reach" x="{}" y="18%" width="{}" height="64%"/>{}'
        '<rect class="run-base" x="{}" y="8%" width="3" height="84%"/></svg>',
        percent(base),
        percent(residual),
        _projection(base, residual),
        percent(base),
    )


def _projection(base: float, residual: float) -> SafeString | str:
    """Nothing to project from before the first judgment."""
    if residual >= 1:
        return ""
    mark = '<rect class="run-projection" x="{}" y="18%" width="2" height="64%"/>'
    return format_html(mark, percent(float(projected(base, residual))))


@register.filter
def score(value: float | None) -> str:
    return "–" if value is None else number_format(value, 3)


@register.filter
def signed(value: float) -> str:
    """With its sign, a real minus."""
    return f"{'−' if value < 0 else '+'}{number_format(abs(value), 3)}"


@register.filter
def p_value(value: float | None) -> str:
    if value is None:
        return "–"
    return f"< {number_format(0.001, 3)}" if value < 0.001 else number_format(value, 3)
