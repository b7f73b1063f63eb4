"""States as chips and labels."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils.timezone import now

from campaigns.models import Delivery, Webhook
from campaigns.models.participants import SubmissionState
from campaigns.pages.sentences.chips import (
    delivery_label,
    handing_in_chip,
    job_chip,
    next_try_text,
    open_topic_mark,
    step_label,
    submission_chip,
    webhook_chip,
)
from campaigns.setup.steps import Step, StepState

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
OFF = Webhook(active=False)


@pytest.mark.parametrize(
    ("state", "chip"),
    [
        ("waiting", '<span class="chip">waiting</span>'),
        ("running", '<span class="chip">running</span>'),
        ("paused", '<span class="chip warn">paused</span>'),
        ("cancelled", '<span class="chip">cancelled</span>'),
        ("failed", '<span class="chip bad">failed</span>'),
        ("done", '<span class="chip good">done</span>'),
    ],
)
def test_job_of_the_lab_has_a_chip_for_each_state(state: str, chip: str) -> None:
    assert job_chip(state) == chip


@pytest.mark.parametrize(
    ("webhook", "chip"),
    [
        (Webhook(gone=True), '<span class="chip bad">off: the receiver wants no more events</span>'),
        (Webhook(unreachable=True), '<span class="chip bad">off: nothing arrived for days</span>'),
        (OFF, '<span class="chip">off</span>'),
        (
            Webhook(failing_since=now() - timedelta(hours=3, minutes=5)),
            '<span class="chip bad">failing, first 3\xa0hours ago</span>',
        ),
        (Webhook(), '<span class="chip good">on</span>'),
    ],
)
def test_webhook_has_a_chip_for_each_state(webhook: Webhook, chip: str) -> None:
    assert webhook_chip(webhook) == chip


@pytest.mark.parametrize(
    ("delivery", "label", "next_try"),
    [
        (Delivery(webhook=Webhook(), next_try=AT), "on its way", "at once"),
        (
            Delivery(webhook=Webhook(), next_try=AT, attempts=2, error="no answer"),
            "tried again later",
            "2 March 2026, 12:00",
        ),
        (Delivery(webhook=OFF, next_try=AT), "waits", "once the webhook is switched on"),
        (Delivery(webhook=OFF, next_try=AT, kind="ping"), "on its way", "at once"),
        (Delivery(webhook=Webhook(), state="delivered"), "delivered", "at once"),
        (Delivery(webhook=OFF, state="failed", error="no answer"), "given up", "at once"),
    ],
)
def test_delivery_states_when_it_is_tried_again(delivery: Delivery, label: str, next_try: str) -> None:
    assert (delivery_label(delivery), next_try_text(delivery)) == (label, next_try)


@pytest.mark.parametrize(
    ("state", "chip"),
    [
        ("contributing", '<span class="chip good">contributing</span>'),
        ("non-contributing", '<span class="chip">non-contributing</span>'),
        ("handed in", '<span class="chip">handed in</span>'),
    ],
)
def test_submission_has_a_chip_for_each_state(state: SubmissionState, chip: str) -> None:
    assert submission_chip(state) == chip


@pytest.mark.parametrize(
    ("is_open", "has_deadline", "chip"),
    [
        (True, True, '<span class="chip good">open</span>'),
        (False, True, '<span class="chip">deadline passed</span>'),
        (False, False, '<span class="chip">not open yet</span>'),
    ],
)
def test_handing_in_is_open_or_says_why_not(is_open: bool, has_deadline: bool, chip: str) -> None:
    assert handing_in_chip(is_open, has_deadline) == chip


@pytest.mark.parametrize(
    ("name", "state", "label"),
    [
        ("runs", StepState.DONE, "done"),
        ("runs", StepState.TO_DO, "to do"),
        ("runs", StepState.PROBLEM, "a problem"),
        ("collection", StepState.PROPOSED, "optional"),
        ("people", StepState.PROPOSED, "optional"),
        ("open", StepState.PROPOSED, "ready"),
        ("measure", StepState.PROPOSED, "default"),
    ],
)
def test_step_has_a_label_for_each_state(name: str, state: StepState, label: str) -> None:
    assert step_label(Step(name, state, "")) == label


@pytest.mark.parametrize(
    ("closed", "suggested", "judged", "complete", "mark"),
    [
        (True, True, 5, True, '<span class="chip">closed</span>'),
        (False, True, 0, False, '<span class="chip accent">suggested next</span>'),
        (False, False, 0, False, '<span class="chip accent">not begun</span>'),
        (False, False, 5, True, '<span class="chip good">minimum reached</span>'),
        (False, False, 1200, False, '<span class="soft">1,200 judged</span>'),
    ],
)
def test_open_topic_is_marked_by_what_it_needs(
    closed: bool, suggested: bool, judged: int, complete: bool, mark: str
) -> None:
    assert open_topic_mark(closed=closed, suggested=suggested, complete=complete, judged=judged) == mark
