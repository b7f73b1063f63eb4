"""All that is counted over whole logs, so that it can be done before anybody waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from campaigns.models import Campaign, Tally
from campaigns.services.agreement import ALIKE
from campaigns.services.counted_acts import ACTS, GIVEN
from campaigns.services.owed import WAITING
from campaigns.services.sharing import SHARED
from campaigns.services.tallies import PEOPLE, TOPICS, counts_of

KINDS = (TOPICS, PEOPLE, ACTS, GIVEN, SHARED, ALIKE, WAITING)
# A shorter log is counted while a page is made; of a longer one, what came since, up to one part in so many.
LONG, PART = 50_000, 20
# Any number, as long as other locks have others.
LOCK_SPACE = 0x0A55E58


def count_all(*, campaign: Campaign) -> None:
    """Bring every count up to the log's end, and to the rules that hold now. Nothing is done while another
    process is about it; each count is stored by itself, so that no page waits for all."""
    with _alone(campaign.id) as alone:
        for kind in KINDS if alone else ():
            counts_of(campaign, kind)


@contextmanager
def _alone(campaign: int) -> Iterator[bool]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [LOCK_SPACE, campaign])
        alone = bool(cursor.fetchone()[0])
        try:
            yield alone
        finally:
            if alone:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [LOCK_SPACE, campaign])


def is_due(*, campaign: Campaign) -> bool:
    """Whether whoever opens a page would wait for the counts."""
    length = campaign.log_head.length
    rows = Tally.objects.filter(campaign=campaign).values_list("kind", "rule", "as_of")
    enough = {(kind, rule) for kind, rule, as_of in rows if (length - as_of) * PART <= length}
    return length >= LONG and any((kind.name, kind.rule(campaign)) not in enough for kind in KINDS)


def due() -> list[int]:
    long = Campaign.objects.filter(log_head__length__gte=LONG).select_related("log_head")
    return [campaign.id for campaign in long if is_due(campaign=campaign)]
