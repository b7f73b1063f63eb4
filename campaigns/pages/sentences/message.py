"""A translated message with values in its places."""

from __future__ import annotations

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe


def message(text: str, **values: str | int) -> SafeString:
    """`text` may have markup of its own; values are escaped.

    >>> message("<strong>%(run)s</strong> leads", run="a<b")
    '<strong>a&lt;b</strong> leads'
    """
    escaped = {name: conditional_escape(f"{value}") for name, value in values.items()}
    return mark_safe(text % escaped)  # noqa: S308


def joined(*messages: str, between: str = " ") -> SafeString:
    """Join the messages that are not empty."""
    return mark_safe(between.join(conditional_escape(one) for one in messages if one))  # noqa: S308


def soft(text: str) -> SafeString:
    """Show it in the colour of what is beside the point."""
    return format_html('<span class="soft">{}</span>', text)
