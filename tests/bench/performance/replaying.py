"""What each served document gave up, by computing again from the log what was best at that moment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from campaigns.computing.live import LiveCampaign
from campaigns.models import Campaign, Document, Judgment, Topic
from evaluation.arrays import FloatArray
from tests.bench.performance.assessors import Served


def weights_given_up(campaign: Campaign, served: Sequence[Served]) -> FloatArray:
    """Of each document served after an act: 1 - its weight / the best weight, by the log up to that act.
    Right where each assessor has topics of their own: nothing is held by others then."""
    campaign.refresh_from_db()
    rows = Judgment.objects.filter(campaign=campaign).values_list("id", "sequence")
    sequence_of = {str(act): sequence for act, sequence in rows}
    topic_of = dict(Topic.objects.filter(campaign=campaign).values_list("number", "id"))
    documents = Document.objects.filter(
        collection=campaign.collection_id, docno__in={one.docno for one in served}
    )
    document_of = dict(documents.values_list("docno", "id"))
    live = LiveCampaign.from_rows(campaign)
    given_up = []
    for one in sorted(served, key=lambda one: sequence_of[one.act]):
        live.catch_up(known=0, until=sequence_of[one.act])
        topic = live.topic_index(topic_of[one.topic])
        document = live.place(topic_of[one.topic], document_of[one.docno])
        if topic is None or document is None:
            raise RuntimeError(f"topic {one.topic} served {one.docno}, which no run ranks there")
        best = float(live.state.queue(topic, 1).weights[0])
        weight = live.state.explain(topic, document).weight
        given_up.append(max(1.0 - weight / best, 0.0) if best > 0 else 0.0)
    return np.array(given_up)
