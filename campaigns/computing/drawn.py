from __future__ import annotations

from campaigns.models import Sample
from campaigns.models.packed import unpack_ids, unpack_weights


def inclusion_probability(topic: int, document: int) -> float | None:
    """With which probability the document was drawn into the topic's sample, None if it is not in it."""
    sample = Sample.objects.filter(topic_id=topic).first()
    if sample is None:
        return None
    places = (unpack_ids(sample.documents) == document).nonzero()[0]
    return float(unpack_weights(sample.inclusion)[places[0]]) if len(places) else None
