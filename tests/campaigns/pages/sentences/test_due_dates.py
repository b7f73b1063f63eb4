"""Due dates in words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from campaigns.due_dates.work_left import DueWork
from campaigns.models import Campaign
from campaigns.overview.waiting_work import WaitingWork, WorkKind
from campaigns.pages.sentences.due_dates import due_sentence, waiting_label, week_label

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
WHEN = "Monday 2 March 2026, 12:00 UTC"


@pytest.mark.parametrize(
    ("over", "left", "per_day", "short", "sentence"),
    [
        (True, 0, None, False, f"It was due {WHEN}."),
        (False, 0, None, False, f"Due {WHEN}."),
        (True, 7, None, True, f"It was due {WHEN}."),
        (False, 7, 1, True, f"Due {WHEN}: 1 judgment a day."),
        (False, 7, 3, True, f"Due {WHEN}: 3 judgments a day."),
        (False, 7, None, True, f"Due {WHEN}."),
        (True, 1, None, False, f"1 judgment left to the minimum. It was due {WHEN}."),
        (True, 1200, None, False, f"1,200 judgments left to the minimum. They were due {WHEN}."),
        (False, 1, 1, False, f"1 judgment left to the minimum, due {WHEN}: 1 a day."),
        (False, 1200, 1100, False, f"1,200 judgments left to the minimum, due {WHEN}: 1,100 a day."),
        (False, 1, None, False, f"1 judgment left to the minimum, due {WHEN}."),
        (False, 2, None, False, f"2 judgments left to the minimum, due {WHEN}."),
    ],
)
def test_due_date_has_a_sentence_for_each_state(
    over: bool, left: int, per_day: int | None, short: bool, sentence: str
) -> None:
    assert due_sentence(DueWork(AT, over, left, per_day), short) == sentence


@pytest.mark.parametrize(
    ("kind", "count", "label"),
    [
        ("adjudicate", 1, "1 document to adjudicate"),
        ("adjudicate", 1200, "1,200 documents to adjudicate"),
        ("questions", 2, "2 open questions"),
        ("runs", 1, "1 run handed in"),
        ("topic", 33, "33 judgments left in topic 13"),
        ("topic", 0, "Topic 13"),
        ("begin", 0, "Choose a topic"),
    ],
)
def test_waiting_work_is_named(kind: WorkKind, count: int, label: str) -> None:
    assert waiting_label(WaitingWork(kind, Campaign(), count, "13")) == label


@pytest.mark.parametrize(
    ("week", "begun", "label"),
    [
        ([0, 0, 206], True, "206 judgments today"),
        ([4, 0, 1], True, "1 judgment today"),
        ([4, 1, 0], True, "5 judgments this week"),
        ([0, 0, 0], True, "no judgment this week"),
        ([0, 0, 0], False, "no assessor has judged yet"),
    ],
)
def test_week_counts_today_or_all_days(week: list[int], begun: bool, label: str) -> None:
    assert week_label(week, begun) == label
