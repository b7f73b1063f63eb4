"""A topic's queue, and why a document comes next: the runs behind it, and what other methods would serve.

The queue is the worker's. The reasons are computed on request, from the bounds that the worker stored and the
topic's own judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.collection.rankings import DocnoOrder, docno_order
from campaigns.computing.arrays import CampaignArrays, OutdatedArrays, load_campaign, read_log
from campaigns.computing.live import LiveCampaign, Opinions, PoolPlaces, note_opinion
from campaigns.computing.samples import inclusion_probability
from campaigns.computing.topic_methods import Plan, load_plan, make_state
from campaigns.core.database import consistent_reads
from campaigns.core.errors import Refusal
from campaigns.log.current import grade_by, scale_of
from campaigns.models import Campaign, Claim, Computed, Document, Interval, Priority, Run, Topic
from campaigns.models.campaign import Method
from campaigns.models.packed import unpack_ids, unpack_weights
from selection.framework.interface import Explanation
from selection.registry import METHODS, method_entry
from selection.specification import MethodSpec
from selection.state import CampaignState


@dataclass(frozen=True)
class QueueRow:
    """`open_to`: who has the document on screen; `inclusion`: None where it was not drawn."""

    position: int
    document_id: int
    docno: str
    title: str
    weight: float
    method: str
    inclusion: float | None
    open_to: str


@dataclass(frozen=True)
class QueueView:
    """`current`: whether the queue is of the campaign's present runs and settings."""

    method: str
    as_of: int
    current: bool
    remaining: int
    rows: list[QueueRow]


@dataclass(frozen=True)
class RunShare:
    """A run that ranks the document, and its share of the weight."""

    run: str
    rank: int
    share: float


@dataclass(frozen=True)
class MethodAlternative:
    """Choice that another method would make now; `unavailable` says why there is none."""

    method: str
    label: str
    docno: str
    weight: float
    same: bool
    unavailable: str


@dataclass(frozen=True)
class DocumentExplanation:
    docno: str
    title: str
    method: str
    weight: float
    inclusion: float | None
    as_of: int
    behind: list[RunShare]
    alternatives: list[MethodAlternative]


def queue_view(*, campaign: Campaign, topic: Topic, limit: int) -> QueueView:
    """The first documents of the queue as the worker last wrote it."""
    row = Priority.objects.filter(topic=topic).first()
    if row is None:
        return QueueView(topic.method or campaign.method, 0, False, 0, [])
    ids = unpack_ids(row.documents)[:limit].tolist()
    weights = unpack_weights(row.weights).tolist()
    inclusion = [] if row.inclusion is None else unpack_weights(row.inclusion).tolist()
    documents = Document.objects.only("docno", "title").in_bulk(ids)
    claims = Claim.objects.filter(topic=topic, reserved=False, expires_at__gt=timezone.now())
    open_to = dict(claims.values_list("document_id", "assessor__username"))
    rows = [
        QueueRow(
            place + 1,
            document,
            documents[document].docno,
            documents[document].title,
            weights[place],
            row.sources[place] if row.sources else row.method,
            inclusion[place] if inclusion and not np.isnan(inclusion[place]) else None,
            open_to.get(document, ""),
        )
        for place, document in enumerate(ids)
    ]
    return QueueView(row.method, row.as_of, row.configuration == campaign.configuration, row.remaining, rows)


@consistent_reads()
def explain_document(*, campaign: Campaign, topic: Topic, docno: str) -> DocumentExplanation:
    """The document's weight under the topic's method, the runs behind it, and what every other method
    would serve now."""
    document = campaign.collection.documents.filter(docno=docno).only("docno", "title").first()
    stored = None if document is None else stored_campaign(campaign, topic)
    place = None if document is None or stored is None else stored.places.of(document.id)
    if document is None or stored is None or place is None:
        raise Refusal(
            "not_in_pool",
            gettext("no run retrieves %(docno)s for topic %(number)s")
            % {"number": topic.number, "docno": docno},
            field="docno",
            status=404,
        )
    explanation = stored.state.explain(stored.index, place)
    return DocumentExplanation(
        document.docno,
        document.title,
        explanation.source or stored.plan.method(stored.index),
        explanation.weight,
        _inclusion(topic.id, document.id),
        stored.as_of,
        _shares(stored, explanation, _tags(campaign)),
        alternatives(campaign=campaign, topic=topic, served=document.id, stored=stored),
    )


def _inclusion(topic: int, document: int) -> float | None:
    """Read the stored sample, or the queue where the method draws without storing."""
    if (drawn := inclusion_probability(topic, document)) is not None:
        return drawn
    row = Priority.objects.filter(topic=topic).only("documents", "inclusion").first()
    if row is None or row.inclusion is None:
        return None
    places = (unpack_ids(row.documents) == document).nonzero()[0]
    chance = float(unpack_weights(row.inclusion)[places[0]]) if len(places) else np.nan
    return None if np.isnan(chance) else chance


@dataclass(frozen=True, eq=False)
class StoredCampaign:
    """A campaign as the worker last wrote it, with one topic's judgments; `index` is that topic's."""

    plan: Plan
    arrays: CampaignArrays
    state: CampaignState
    index: int
    as_of: int

    @property
    def places(self) -> PoolPlaces:
        return PoolPlaces(self.arrays.pools[self.index].documents)


def alternatives(
    *, campaign: Campaign, topic: Topic, served: int | None = None, stored: StoredCampaign | None = None
) -> list[MethodAlternative]:
    """Choices that each method but the topic's own would make now, with its default options."""
    stored = stored or stored_campaign(campaign, topic)
    own = stored.plan.method(stored.index)
    if method_entry(own).unranked:
        # Other methods know only what runs rank.
        stored = stored_campaign(campaign, topic, MethodSpec(Method.A))
    return [_alternative(stored, name, served) for name in METHODS if name != own]


def _alternative(stored: StoredCampaign, name: str, served: int | None) -> MethodAlternative:
    label = str(Method(name).label)
    if method_entry(name).unranked:
        why_not = gettext("not available: this method reads every document")
        return MethodAlternative(name, label, "", 0.0, False, why_not)
    try:
        queue = stored.state.alternative(stored.index, MethodSpec(name)).queue(stored.index, 1, None)
    except ValueError as error:
        return MethodAlternative(name, label, "", 0.0, False, str(error))
    if not len(queue.documents):
        return MethodAlternative(name, label, "", 0.0, False, gettext("has nothing left to serve"))
    document = int(stored.arrays.pools[stored.index].documents[queue.documents[0]])
    docno = Document.objects.values_list("docno", flat=True).get(id=document)
    return MethodAlternative(name, label, docno, float(queue.weights[0]), document == served, "")


def stored_campaign(campaign: Campaign, topic: Topic, instead: MethodSpec | None = None) -> StoredCampaign:
    """The campaign from its rows; `instead`: a method to use for this topic in place of its own."""
    try:
        return _read(campaign, topic, instead)
    except OutdatedArrays:
        # Runs or settings changed while they were read.
        campaign.refresh_from_db()
        return _read(campaign, topic, instead)


def _read(campaign: Campaign, topic: Topic, instead: MethodSpec | None) -> StoredCampaign:
    plan = load_plan(campaign)
    index = plan.topics.index(topic.id)
    if instead is not None:
        chosen = (*plan.chosen[:index], instead, *plan.chosen[index + 1 :])
        plan = replace(plan, chosen=chosen)
    replayed, order = campaign.batch > 1, DocnoOrder(campaign.collection_id)
    arrays = load_campaign(
        campaign,
        topics=plan.topics,
        whole_collection=plan.whole_collection,
        sort_key=order if replayed else docno_order,
    )
    as_of = Computed.objects.filter(campaign=campaign).values_list("applied", flat=True).first() or 0
    if replayed:
        # The weights are those of the last batch's end: they follow from the log, not from the bounds of now.
        live = LiveCampaign(campaign, plan, arrays, order)
        live.catch_up(known=as_of, until=as_of)
        return StoredCampaign(plan, arrays, live.state, index, as_of)
    state = make_state(campaign, plan, arrays)
    base, residual = _bounds(campaign, arrays)
    stored = StoredCampaign(plan, arrays, state, index, as_of)
    gains = _gains(campaign, topic, as_of)
    places = stored.places
    known = {place: gain for document, gain in gains.items() if (place := places.of(document)) is not None}
    state.restore(base, residual, {index: known})
    return stored


def _bounds(campaign: Campaign, arrays: CampaignArrays) -> tuple[np.ndarray, np.ndarray]:
    shape = len(arrays.topics), len(arrays.runs)
    base, residual = np.zeros(shape), np.ones(shape)
    topics = {topic: place for place, topic in enumerate(arrays.topics)}
    runs = {run: place for place, run in enumerate(arrays.runs)}
    rows = Interval.objects.filter(topic__campaign=campaign)
    for topic, run, base_value, residual_value in rows.values_list(
        "topic_id", "run_id", "base", "residual"
    ).iterator():
        if topic in topics and run in runs:
            at = topics[topic], runs[run]
            base[at], residual[at] = base_value, residual_value
    return base, residual


def _gains(campaign: Campaign, topic: Topic, as_of: int) -> Mapping[int, float]:
    """Current gains of the topic's judged documents, by document id."""
    opinions: dict[int, Opinions] = {}
    excluding = campaign.exclusion_changes > 0
    for act in read_log(campaign.id, after=0, until=as_of, topic=topic.id, exclusions=excluding):
        note_opinion(opinions.setdefault(act.document, {}), act)
    scale = scale_of(campaign)
    grades = {
        document: grade_by(campaign.policy, by_assessor.values(), scale)
        for document, by_assessor in opinions.items()
    }
    gains = {document: campaign.gain_of(grade) for document, grade in grades.items() if grade is not None}
    return {document: gain for document, gain in gains.items() if gain is not None}


@dataclass(frozen=True)
class QueuePriorities:
    """`behind`: the runs that rank a document of the queue; none where no run does any more."""

    queue: QueueView
    alternatives: list[MethodAlternative]
    behind: Callable[[QueueRow], list[RunShare]]


@consistent_reads()
def priorities_of(*, campaign: Campaign, topic: Topic, limit: int) -> QueuePriorities:
    """Priorities of a queue's documents. The campaign is read once, so that the number of queries does not
    grow with the documents."""
    queue = queue_view(campaign=campaign, topic=topic, limit=limit)
    if not queue.rows:
        return QueuePriorities(queue, [], lambda row: [])
    stored, tags = stored_campaign(campaign, topic), _tags(campaign)
    served = queue.rows[0].document_id
    others = alternatives(campaign=campaign, topic=topic, served=served, stored=stored)
    return QueuePriorities(queue, others, lambda row: _behind(stored, row, tags))


def _behind(stored: StoredCampaign, row: QueueRow, tags: dict[int, str]) -> list[RunShare]:
    place = stored.places.of(row.document_id)
    if place is None:
        return []
    return _shares(stored, stored.state.explain(stored.index, place), tags)


def _tags(campaign: Campaign) -> dict[int, str]:
    return dict(Run.objects.filter(campaign=campaign).values_list("id", "tag"))


def _shares(stored: StoredCampaign, explanation: Explanation, tags: dict[int, str]) -> list[RunShare]:
    return [
        RunShare(tags.get(stored.arrays.runs[run], ""), int(rank), float(share))
        for run, rank, share in zip(explanation.runs, explanation.ranks, explanation.shares, strict=True)
    ]
