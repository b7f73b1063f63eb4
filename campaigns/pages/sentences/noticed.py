"""Anomalies that the check of an uploaded file noticed."""

from __future__ import annotations

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from campaigns.core.phrases import group_digits


def noticed_text(row: dict[str, Any]) -> SafeString:
    """`row`: one of `Run.noticed`."""
    count = f" ({group_digits(row['count'])})" if row.get("count") else ""
    detail = f": {row['detail']}" if row.get("detail") else ""
    return format_html("<strong>{}</strong>{}{}", row["what"], count, detail)
