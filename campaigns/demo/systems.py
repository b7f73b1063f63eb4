"""The systems that take part in the demonstration, each with a tag, a group and a ranker of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from scipy import sparse

from campaigns.demo.index import Floats, Index
from campaigns.demo.indexes import Indexes
from campaigns.demo.rankers import language_models, probabilistic, simple, vectors
from campaigns.formats.topics import TopicRecord

Ranker = Callable[[Index, sparse.csr_array], Floats]
Wording = Literal["title", "description", "everything"]


@dataclass(frozen=True)
class System:
    """`index` names one of the `Indexes`; `fused` the tags of earlier systems, instead of a ranker."""

    tag: str
    group: str
    ranker: Ranker | None
    index: str = "stems"
    wording: Wording = "title"
    fused: tuple[str, ...] = ()


SYSTEMS = (
    System("okapi", "okapi", probabilistic.bm25),
    System("okapi-gentle", "okapi", partial(probabilistic.bm25, k1=0.9, b=0.4)),
    System("okapi-steep", "okapi", partial(probabilistic.bm25, k1=2.5, b=1.0)),
    System("okapi-no-stems", "okapi", probabilistic.bm25, index="exact"),
    System("okapi-title-desc", "okapi", probabilistic.bm25, wording="description"),
    System("okapi-all-fields", "okapi", probabilistic.bm25, wording="everything"),
    System("okapi-weighted", "structure", probabilistic.bm25, index="fields"),
    System("okapi-names", "structure", probabilistic.bm25, index="names"),
    System("okapi-4grams", "structure", probabilistic.bm25, index="grams"),
    System("dfr-dph", "randomness", probabilistic.divergence_from_randomness),
    System("lm-dirichlet", "language-models", language_models.dirichlet),
    System("lm-jelinek-mercer", "language-models", language_models.jelinek_mercer),
    System("lm-feedback", "language-models", language_models.relevance_model),
    System("vector-cosine", "vectors", vectors.cosine),
    System("vector-lsa", "vectors", vectors.latent_semantic),
    System("coordination", "baselines", simple.coordination_level),
    System("longest-first", "baselines", simple.longest),
    System(
        "fusion", "fusion", None, fused=("okapi-weighted", "okapi-title-desc", "lm-dirichlet", "vector-lsa")
    ),
)


def rank_all(
    indexes: Indexes, topics: Sequence[TopicRecord], progress: Callable[[float], None] = lambda share: None
) -> dict[str, Floats]:
    """Every system's scores by tag, each of shape (topics, documents), -inf where not retrieved."""
    scores: dict[str, Floats] = {}
    for place, system in enumerate(SYSTEMS, start=1):
        scores[system.tag] = _scores(system, indexes, topics, scores)
        progress(place / len(SYSTEMS))
    return scores


def _scores(
    system: System, indexes: Indexes, topics: Sequence[TopicRecord], earlier: Mapping[str, Floats]
) -> Floats:
    if system.ranker is None:
        return simple.reciprocal_rank_fusion([earlier[tag] for tag in system.fused])
    index: Index = getattr(indexes, system.index)
    return system.ranker(index, index.queries([query_text(topic, system.wording) for topic in topics]))


def query_text(topic: TopicRecord, wording: Wording) -> str:
    parts = {
        "title": [topic.title],
        "description": [topic.title, topic.description],
        "everything": [topic.title, topic.description, topic.narrative],
    }
    return "\n".join(parts[wording])
