"""Progress of judging a campaign's anchors, and the check that they may still be offered."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection
from django.db.models import Q

from campaigns.log.current import OF_PLACES, current_grades, place_parameters
from campaigns.models import Anchor, Campaign
from campaigns.models.campaign import RANDOM_METHODS, Status


@dataclass(frozen=True)
class AnchorProgress:
    """`count`: how many there are to be; `drawn`: of a campaign with fewer documents, fewer; `closed`: of
    those not judged, in closed topics; `everywhere`: whether they were drawn over all topics."""

    count: int
    drawn: int
    judged: int
    closed: int
    everywhere: bool

    @property
    def done(self) -> bool:
        return 0 < self.drawn == self.judged


def anchor_progress(campaign: Campaign) -> AnchorProgress:
    rows = Anchor.objects.filter(topic__campaign=campaign).select_related("topic")
    anchors = list(rows) if campaign.anchors else []
    if not anchors:
        # Campaigns of earlier versions may wait for anchors that their method never lets be drawn.
        return AnchorProgress(0 if campaign.method in RANDOM_METHODS else campaign.anchors, 0, 0, 0, True)
    judged = _judged(campaign, [(one.topic_id, one.document_id) for one in anchors])
    open_ = [one for one in anchors if (one.topic_id, one.document_id) not in judged]
    closed = sum(one.topic.closed_at is not None for one in open_)
    samples = [*RANDOM_METHODS, *([""] if campaign.method in RANDOM_METHODS else [])]
    sampled, closed_before = Q(method__in=samples), Q(closed_at__lt=anchors[0].created)
    left_out = campaign.topics.filter(sampled | closed_before).exists()
    return AnchorProgress(campaign.anchors, len(anchors), len(judged), closed, not left_out)


def may_offer_anchors(campaign: Campaign) -> bool:
    """While it is open, has runs to draw them from and none so far, unless its method draws samples, which
    anchors would disturb."""
    is_open = campaign.status == Status.OPEN and campaign.archived_at is None
    wants = is_open and not campaign.anchors and campaign.method not in RANDOM_METHODS
    return wants and campaign.runs.proposing().exists()


def _judged(campaign: Campaign, places: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Filter the places whose document has a grade."""
    # Put together from constants only.
    query = f"WITH {current_grades(campaign, where=OF_PLACES)} SELECT topic_id, document_id FROM current"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(query, {"campaign": campaign.id, **place_parameters(places)})
        return set(cursor.fetchall())
