"""All that is counted over whole logs, done in advance so that no page waits for it."""

from __future__ import annotations

from celery import shared_task

from campaigns.core.database import Space, try_campaign_lock
from campaigns.judging.overlap_and_repeats import WAITING_TALLY
from campaigns.log.activity import ACT_TALLY, GRADE_TALLY
from campaigns.log.overlap import OVERLAP_TALLY
from campaigns.log.tallies import PERSON_TALLY, TOPIC_TALLY, tally_counts_of
from campaigns.models import Campaign, Tally
from campaigns.quality.agreement import AGREEMENT_TALLY

TALLY_KINDS = (
    TOPIC_TALLY,
    PERSON_TALLY,
    ACT_TALLY,
    GRADE_TALLY,
    OVERLAP_TALLY,
    AGREEMENT_TALLY,
    WAITING_TALLY,
)
# A shorter log is counted while a page is made; of a longer one, what came since, up to one part in so many.
LONG_LOG, PART = 50_000, 20


def count_all(*, campaign: Campaign) -> None:
    """Bring every count up to the log's end, and to the rules that hold now. Nothing is done while another
    process is about it; each count is stored by itself, so that no page waits for all."""
    with try_campaign_lock(Space.COUNTING, campaign.id) as free:
        for kind in TALLY_KINDS if free else ():
            tally_counts_of(campaign, kind)


def is_due(*, campaign: Campaign) -> bool:
    """True if a page would have to wait for the counts."""
    length = campaign.log_head.length
    rows = Tally.objects.filter(campaign=campaign).values_list("kind", "rule", "as_of")
    enough = {(kind, rule) for kind, rule, as_of in rows if (length - as_of) * PART <= length}
    return length >= LONG_LOG and any((kind.name, kind.rule(campaign)) not in enough for kind in TALLY_KINDS)


def campaigns_to_count() -> list[int]:
    rows = Campaign.objects.filter(log_head__length__gte=LONG_LOG, archived_at=None)
    long = rows.select_related("log_head")
    return [campaign.id for campaign in long if is_due(campaign=campaign)]


@shared_task(name="campaigns.count")
def count(campaign: int) -> None:
    """Count ahead of the next look at a page what would take it long."""
    found = Campaign.objects.select_related("log_head").filter(id=campaign).first()
    if found is not None and is_due(campaign=found):
        count_all(campaign=found)


@shared_task(name="campaigns.count_where_due")
def count_where_due() -> None:
    for campaign in campaigns_to_count():
        count.delay(campaign)
