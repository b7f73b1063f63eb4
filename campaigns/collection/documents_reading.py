"""Who may read which document: organisers all of a campaign's, assessors what was put before them."""

from __future__ import annotations

from django.db.models import Q

from campaigns.models import Campaign, Claim, Document, Judgment, Membership, Postponement, TrainingItem


def document_for(*, membership: Membership, docno: str) -> Document | None:
    """The document if this member may read it: nobody is told of others that they exist."""
    campaign = membership.campaign
    document = (
        Document.objects.select_related("collection")
        .filter(collection_id=campaign.collection_id, docno=docno)
        .first()
    )
    if document is None or membership.is_organiser or _met(campaign, membership.user_id, document.id):
        return document
    return None


def _met(campaign: Campaign, assessor: int, document: int) -> bool:
    here = Q(document_id=document)
    own = here & Q(topic__campaign=campaign, assessor_id=assessor)
    return (
        Claim.objects.filter(own).exists()
        or Judgment.objects.filter(own).exists()
        or Postponement.objects.filter(own).exists()
        or TrainingItem.objects.filter(here, campaign=campaign).exists()
    )
