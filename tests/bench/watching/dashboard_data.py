from __future__ import annotations

import numpy as np

from campaigns.models import Campaign, Document, Ranking
from campaigns.models.packed import unpack_ids

PER_TOPIC, HEAD = 80, 30
RELEVANT = 0.3


def judged_text(campaign: Campaign, rng: np.random.Generator) -> bytes:
    """Qrels of the documents that most runs of each topic have near their heads."""
    docnos = dict(Document.objects.filter(collection=campaign.collection_id).values_list("id", "docno"))
    lines = []
    for topic in campaign.topics.order_by("position"):
        lists = Ranking.objects.filter(topic=topic).values_list("documents", flat=True)
        heads = np.concatenate([unpack_ids(packed)[:HEAD] for packed in lists])
        documents, runs = np.unique(heads, return_counts=True)
        chosen = documents[np.argsort(-runs, kind="stable")[:PER_TOPIC]]
        grades = rng.random(len(chosen)) < RELEVANT
        lines += [
            f"{topic.number} 0 {docnos[document]} {grade:d}"
            for document, grade in zip(chosen.tolist(), grades.tolist(), strict=True)
        ]
    return ("\n".join(lines) + "\n").encode()
