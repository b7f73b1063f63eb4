"""Taking the documents out again, such as came with a wrong file."""

from __future__ import annotations

import numpy as np
from django.db import transaction
from django.utils.translation import gettext

from campaigns.collection.documents import recompute_where_read
from campaigns.core.errors import Refused
from campaigns.log import audit
from campaigns.models import Campaign, Collection, Judgment, Ranking, TrainingItem
from campaigns.models.packed import unpack_ids


def remove_documents(*, campaign: Campaign) -> int:
    """Take all documents out of the campaign's collection. What runs rank stays known by its docno, as if
    there had never been a text. Refused once somebody has judged, or where other campaigns read them."""
    with transaction.atomic():
        collection = Collection.objects.select_for_update(no_key=True).get(id=campaign.collection_id)
        # A run that comes in, or a judgment, waits for these.
        Campaign.objects.select_for_update().get(id=campaign.id)
        if reason := why_not(campaign=campaign):
            raise Refused("documents_in_use", reason, status=409)
        removed = collection.documents.exclude(body="", title="").count()
        ranked = _ranked(campaign)
        collection.documents.exclude(id__in=ranked).delete()
        collection.documents.update(title="", body="", content_type="text/plain")
        collection.complete = False
        collection.save(update_fields=["complete"])
        recompute_where_read(collection)
        audit.note_sharing(collection=collection, kind="documents removed", documents=removed)
    campaign.collection = collection
    return removed


def why_not(*, campaign: Campaign) -> str:
    """What keeps the documents from being taken out; empty if nothing does."""
    if Campaign.objects.filter(collection=campaign.collection_id).exclude(id=campaign.id).exists():
        return gettext("other campaigns read these documents, so they stay")
    if Judgment.objects.filter(campaign=campaign).exists():
        return gettext(
            "documents were judged, so they stay; a file with the same docnos replaces their texts"
        )
    if TrainingItem.objects.filter(campaign=campaign).exists():
        return gettext("documents are in the training of assessors; take them out there first")
    return ""


def _ranked(campaign: Campaign) -> list[int]:
    rows = Ranking.objects.filter(run__campaign=campaign).values_list("documents", flat=True)
    lists = [unpack_ids(packed) for packed in rows.iterator()]
    return np.unique(np.concatenate(lists)).tolist() if lists else []
