"""What a look-up of acts reads, on a real Postgres."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from campaigns.core.database import Statement
from campaigns.judging.lookup import ActRequest, look_up_acts
from campaigns.models import Judgment
from tests.campaigns.factories import make_campaign

pytestmark = pytest.mark.django_db

JUDGMENTS = 3000


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


def most_rows_read(statement: Statement, given: dict[str, Any]) -> float:
    """By any part of the statement’s plan, in one look."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement._asked()}", given)
        [[found]] = cursor.fetchall()
    plans = found if isinstance(found, list) else json.loads(found)
    return max(
        float(node["Actual Rows"]) + float(node.get("Rows Removed by Filter", 0))
        for node in nodes(plans[0]["Plan"])
    )


def test_a_look_up_does_not_read_the_whole_log(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()
    grace, alan = (User.objects.get(username=f"Small-{name}") for name in ("grace", "alan"))
    topic = campaign.topics.get(number="1")
    document = topic.campaign.collection.documents.get(docno="b")
    with connection.cursor() as cursor:
        # The planner goes by the statistics of a small log.
        cursor.execute("ANALYZE campaigns_judgment")
    Judgment.objects.bulk_create(
        [
            Judgment(
                id=uuid.uuid4(),
                campaign=campaign,
                topic=topic,
                document=document,
                assessor=alan,
                sequence=sequence,
                grade=1,
                topic_revision=0,
                created=timezone.now(),
            )
            for sequence in range(1, JUDGMENTS + 1)
        ]
    )
    read: list[float] = []
    real = Statement.rows

    def explained(statement: Statement, given: Any) -> Any:
        read.append(most_rows_read(statement, given))
        return real(statement, given)

    monkeypatch.setattr(Statement, "rows", explained)
    [found] = look_up_acts(campaign, [grace.id], [ActRequest(uuid.uuid4(), "1", "a", grade=1)])
    assert found is not None
    assert not found.known
    assert read[0] < JUDGMENTS / 10
