"""What the worker says about stopping, put down for pages and API."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from campaigns.computing.live import LiveCampaign
from campaigns.models import Advice
from campaigns.stopping import verdicts
from campaigns.stopping.review import FIRST_HORIZON, advise

# One look at a time, over all campaigns: it must not keep every worker process from the judgments.
LOCK = 0x0A55E56


def write_advice(live: LiveCampaign) -> None:
    """Put down what the judgments up to now say, over what those before said. Nothing happens while
    another process does as much, for any campaign."""
    with alone_at_work() as alone:
        if not alone:
            return
        last = Advice.objects.filter(campaign=live.campaign_id).first()
        horizon = last.content.get("next_horizon") if last else None
        began = time.monotonic()
        content = advise(live, horizon or FIRST_HORIZON)
        content["seconds"] = time.monotonic() - began
        news = verdicts.news(last.content if last else {}, content)
        rows = {"content": content, "as_of": live.applied, "configuration": live.configuration}
        with transaction.atomic():
            advice, _ = Advice.objects.update_or_create(campaign_id=live.campaign_id, defaults=rows)
            verdicts.tell(campaign=advice.campaign, news=news)


@contextmanager
def alone_at_work() -> Iterator[bool]:
    """Whether no other process does such work now; none will until the end."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        alone = bool(cursor.fetchone()[0])
    try:
        yield alone
    finally:
        if alone:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
