"""Taking topics out of a campaign, such as came with a wrong file."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import models, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refused
from campaigns.core.jobs import reconfigure
from campaigns.log import audit
from campaigns.models import Campaign, Claim, Judgment, Repeat, TrainingItem

MOST_NAMED = 5


def remove_topics(*, campaign: Campaign, numbers: Sequence[str]) -> int:
    """Take the topics out, with the runs' lists for them; all or none. What was judged stays."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        # A judgment needs its topic's row: none is made in these from here on.
        ids = dict(campaign.topics.select_for_update().filter(number__in=numbers).values_list("number", "id"))
        for number in numbers:
            if number not in ids:
                words = gettext("there is no topic %(number)s") % {"number": number}
                raise Refused("unknown_topic", words, field="topic", status=404)
        _check_untouched(campaign, list(ids.values()))
        campaign.topics.filter(id__in=ids.values()).delete()
        _close_ranks(campaign)
        if ids:
            reconfigure(campaign)
            audit.note(campaign=campaign, kind="topics removed", topics=list(ids))
    return len(ids)


def untouched(campaign: Campaign) -> list[str]:
    """The numbers of the topics in which nothing has been done, in their order."""
    rows = campaign.topics.exclude(_used(Judgment)).exclude(_used(Repeat)).exclude(_used(TrainingItem))
    return list(rows.values_list("number", flat=True))


def _used(model: type[models.Model], **filters: object) -> Exists:
    return Exists(model._default_manager.filter(topic=OuterRef("pk"), **filters))


def _check_untouched(campaign: Campaign, ids: list[int]) -> None:
    kept = [
        (
            _used(Judgment) | _used(Repeat),
            gettext("judged, so it stays; whoever judges it can close it, and nobody is served from it then"),
        ),
        (_used(TrainingItem), gettext("documents of it are in the training; take them out there first")),
        (
            _used(Claim, expires_at__gt=timezone.now()),
            gettext("somebody is reading a document of it just now; pause the campaign first"),
        ),
    ]
    for used, why in kept:
        found = campaign.topics.filter(used, id__in=ids).values_list("number", flat=True)
        if numbers := list(found):
            named = ", ".join(numbers[:MOST_NAMED]) + (" …" if len(numbers) > MOST_NAMED else "")
            words = gettext("topic %(topics)s: %(why)s") % {"topics": named, "why": why}
            raise Refused("topic_in_use", words, field="topic", status=409)


def _close_ranks(campaign: Campaign) -> None:
    """Positions count from 0 without gaps: the next file's topics go behind."""
    for position, (topic, was) in enumerate(
        campaign.topics.order_by("position").values_list("id", "position")
    ):
        if was != position:
            campaign.topics.filter(id=topic).update(position=position)
