"""All that is counted over whole logs, so that it can be done before anybody waits for it."""

from __future__ import annotations

from celery import shared_task

from campaigns.core.database import Space, alone
from campaigns.judging.overlap_and_repeats import WAITING
from campaigns.log.activity import ACTS, GIVEN
from campaigns.log.shared import SHARED
from campaigns.log.tallies import PEOPLE, TOPICS, counts_of
from campaigns.models import Campaign, Tally
from campaigns.quality.agreement import ALIKE

KINDS = (TOPICS, PEOPLE, ACTS, GIVEN, SHARED, ALIKE, WAITING)
# A shorter log is counted while a page is made; of a longer one, what came since, up to one part in so many.
LONG, PART = 50_000, 20


def count_all(*, campaign: Campaign) -> None:
    """Bring every count up to the log's end, and to the rules that hold now. Nothing is done while another
    process is about it; each count is stored by itself, so that no page waits for all."""
    with alone(Space.COUNTING, campaign.id) as free:
        for kind in KINDS if free else ():
            counts_of(campaign, kind)


def is_due(*, campaign: Campaign) -> bool:
    """Whether whoever opens a page would wait for the counts."""
    length = campaign.log_head.length
    rows = Tally.objects.filter(campaign=campaign).values_list("kind", "rule", "as_of")
    enough = {(kind, rule) for kind, rule, as_of in rows if (length - as_of) * PART <= length}
    return length >= LONG and any((kind.name, kind.rule(campaign)) not in enough for kind in KINDS)


def due() -> list[int]:
    long = Campaign.objects.filter(log_head__length__gte=LONG).select_related("log_head")
    return [campaign.id for campaign in long if is_due(campaign=campaign)]


@shared_task(name="campaigns.count")
def count(campaign: int) -> None:
    """Count ahead of the next look at a page what would take it long."""
    found = Campaign.objects.select_related("log_head").filter(id=campaign).first()
    if found is not None and is_due(campaign=found):
        count_all(campaign=found)


@shared_task(name="campaigns.count_where_due")
def count_where_due() -> None:
    for campaign in due():
        count.delay(campaign)
