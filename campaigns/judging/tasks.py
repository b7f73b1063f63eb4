"""All that is counted over whole logs, done in advance so that no page waits for it."""

from __future__ import annotations

from celery import shared_task
from django.db.models import Exists, OuterRef, Q

from campaigns.core.database import Space, try_campaign_lock
from campaigns.judging.overlap_and_repeats import WAITING_TALLY
from campaigns.log.activity import ACT_TALLY, GRADE_TALLY
from campaigns.log.overlap import OVERLAP_TALLY
from campaigns.log.tallies import PERSON_TALLY, TOPIC_TALLY, tally_counts_of
from campaigns.models import Campaign, Tally, Topic
from campaigns.quality import dispute_weights
from campaigns.quality.agreement import AGREEMENT_TALLY
from campaigns.quality.disputes import undecided_places
from campaigns.results import pooled_examples
from campaigns.results.topic_rows import SIZES_TALLY, sizes_of

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
# What takes long with as many topics is computed ahead, however short the log is.
MANY_TOPICS = 1000


def count_all(*, campaign: Campaign) -> None:
    """Bring every count up to the log's end, and to the rules that hold now, and compute what pages leave to
    the worker. Nothing is done while another process is about it; each count is stored by itself, so that no
    page waits for all."""
    with try_campaign_lock(Space.COUNTING, campaign.id) as free:
        for kind in TALLY_KINDS if free else ():
            tally_counts_of(campaign, kind)
        if free:
            sizes_of(campaign=campaign)
            places = undecided_places(campaign=campaign)
            dispute_weights.dispute_weights(campaign=campaign, places=places, every=True)
            examples = campaign.guideline_examples.all()
            pooled_examples.pooled_in(campaign=campaign, examples=examples, every=True)


def is_due(*, campaign: Campaign) -> bool:
    """True if a page would have to wait for the counts, or leaves something to the worker. Counts nothing:
    this is asked every few seconds, and a page that leaves documents to be weighed has counted them."""
    return (
        (_is_large(campaign=campaign) and _would_wait(campaign))
        or pooled_examples.are_left_to_worker(campaign=campaign)
        or dispute_weights.are_left_to_worker(
            campaign=campaign, places=undecided_places(campaign=campaign, as_stored=True)
        )
    )


def _is_large(*, campaign: Campaign) -> bool:
    return campaign.log_head.length >= LONG_LOG or campaign.topics.filter(position=MANY_TOPICS).exists()


def _would_wait(campaign: Campaign) -> bool:
    length = campaign.log_head.length
    rows = list(Tally.objects.filter(campaign=campaign).values_list("kind", "rule", "as_of"))
    enough = {(kind, rule) for kind, rule, as_of in rows if (length - as_of) * PART <= length}
    sizes = any(kind == SIZES_TALLY and as_of == campaign.configuration for kind, _, as_of in rows)
    return not sizes or any((kind.name, kind.rule(campaign)) not in enough for kind in TALLY_KINDS)


def campaigns_to_count() -> list[int]:
    many = Topic.objects.filter(campaign=OuterRef("pk"), position=MANY_TOPICS)
    rows = Campaign.objects.filter(Q(log_head__length__gte=LONG_LOG) | Exists(many), archived_at=None)
    return [campaign.id for campaign in rows.select_related("log_head") if is_due(campaign=campaign)]


@shared_task(name="campaigns.count")
def count(campaign: int) -> None:
    """Count ahead of the next look at a page what would take it long."""
    row = Campaign.objects.select_related("log_head").filter(id=campaign).first()
    if row is not None and is_due(campaign=row):
        count_all(campaign=row)


@shared_task(name="campaigns.count_where_due")
def count_where_due() -> None:
    for campaign in campaigns_to_count():
        count.delay(campaign)
