from __future__ import annotations

from typing import Any

from campaigns.people.assessor_reading import Day


def bars(days: list[Day]) -> list[dict[str, Any]]:
    """Each day's height in hundredths of the busiest."""
    most = max((day.judged for day in days), default=0) or 1
    return [{"day": day, "height": max(100 * day.judged / most, 2)} for day in days]
