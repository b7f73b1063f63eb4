"""statAP samples: drawn by the kernel, stored with the queue they make, fixed once the campaign opens."""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone

from campaigns.computing.live import LiveCampaign
from campaigns.models import Campaign, Sample
from campaigns.models.campaign import SAMPLING_METHODS, Status
from campaigns.models.packed import DOCUMENT_IDS, RUN_IDS, WEIGHTS, pack, unpack_ids, unpack_weights


def inclusion_probability(topic: int, document: int) -> float | None:
    """With which probability the document was drawn into the topic's sample, None if it is not in it."""
    sample = Sample.objects.filter(topic_id=topic).first()
    if sample is None:
        return None
    places = (unpack_ids(sample.documents) == document).nonzero()[0]
    return float(unpack_weights(sample.inclusion)[places[0]]) if len(places) else None


def fix_sample(live: LiveCampaign, topic: int) -> None:
    """Store the sample that the topic is served from, if it is served from one. In a draft runs come and
    go, and the sample with them; from the opening on it is read from here."""
    topic_id = live.arrays.topics[topic]
    if topic_id in live.plan.samples or (drawn := live.state.sample(topic)) is None:
        return
    # Held until the commit: the campaign is not opened half-way through.
    held = Campaign.objects.select_for_update(no_key=True)
    is_draft = held.values_list("status", flat=True).get(id=live.campaign_id) == Status.DRAFT
    row = Sample(
        topic_id=topic_id,
        documents=pack(drawn.documents, DOCUMENT_IDS),
        inclusion=pack(drawn.inclusion, WEIGHTS),
        buckets=pack(drawn.bucket, RUN_IDS),
        masses=pack(drawn.mass, WEIGHTS),
        size=drawn.size,
        seed=live.seed,
        created=timezone.now(),
    )
    if is_draft:
        columns = [field.name for field in Sample._meta.fields if not field.primary_key]
        Sample.objects.bulk_create(
            [row], update_conflicts=True, unique_fields=["topic"], update_fields=columns
        )
    else:
        Sample.objects.bulk_create([row], ignore_conflicts=True)
        live.plan.samples[topic_id] = drawn


def drop_outdated_samples(*, campaign: Campaign) -> None:
    """At the opening: a sample drawn for other runs or another method is no longer the topic's. The worker
    draws a new one; nothing is served from the old one."""
    drawn = Sample.objects.filter(topic__campaign=campaign)
    right = Q(
        topic__priority__configuration=campaign.configuration, topic__priority__method__in=SAMPLING_METHODS
    )
    drawn.exclude(pk__in=drawn.filter(right).values("pk")).delete()
