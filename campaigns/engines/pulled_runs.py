"""A pull's answers as a run: all of them or none, with the documents that the collection lacks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.collection.documents import hold, storing_documents
from campaigns.collection.runs import RunSource, store_runs
from campaigns.core.errors import Refusal
from campaigns.engines.hit_mapping import HitMapping
from campaigns.formats.runs.files import ParsedRanking, ParsedRun
from campaigns.formats.runs.report import RunReport
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, EngineAnswer, EnginePull, Run
from evaluation.measures.ordering import SCORE_TYPES

Hits = Sequence[Mapping[str, Any]]


def store_pulled_run(pull: EnginePull) -> Run:
    """Store the run of a pull that has an answer for every topic, and end the pull.

    Raises
    ------
    Refusal : no topic has a hit.
    FormatError : the campaign does not take the run: its tag, or a document that the collection lacks.
    """
    campaign = pull.version.configuration.connection.campaign
    with transaction.atomic():
        # As uploads have it: the collection before the campaign, and both before the pull.
        hold(campaign.collection)
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        campaign.collection.refresh_from_db()
        held = EnginePull.objects.select_for_update().get(id=pull.id)
        if held.state != EnginePull.State.RUNNING:
            raise Refusal("wrong_pull_state", gettext("the pull was stopped"), status=409)
        answers = list(held.answers.select_related("topic").order_by("topic__position"))
        parsed = _parsed(held, answers, campaign)
        records = list(_records(pull, answers)) if held.documents else []
        storing = storing_documents(collection=campaign.collection, records=records, file=_name_of(pull))
        with storing if records else nullcontext():
            upload = RunSource(
                user=pull.asked_by,
                file=_name_of(pull),
                sha256=_checksum(answers),
                group=held.group,
                contributes=held.contributes,
            )
            (run,) = store_runs(campaign=campaign, parsed=[parsed], upload=upload)
        held.answers.update(hits=None)
        held.run, held.state, held.finished = run, EnginePull.State.DONE, timezone.now()
        held.problem, held.updated = None, held.finished
        held.save(update_fields=["run", "state", "finished", "problem", "updated"])
    return run


def _name_of(pull: EnginePull) -> str:
    """Source of the run, where an upload has the name of its file."""
    version = pull.version
    return f"{version.configuration.connection.name}: {version.configuration.name} v{version.number}"


def _parsed(pull: EnginePull, answers: Sequence[EngineAnswer], campaign: Campaign) -> ParsedRun:
    precision = campaign.run_precision
    lists, by_rank = {}, 0
    for answer in answers:
        if not answer.hits:
            continue
        scores, replaced = ranking_scores(answer.hits, SCORE_TYPES[precision])
        by_rank += replaced
        docnos = [hit["id"] for hit in answer.hits]
        lists[answer.topic.number] = ParsedRanking.of(answer.topic.number, docnos, scores, precision)
    if not lists:
        raise Refusal("no_hits", gettext("the engine found nothing for any topic: check the template"))
    report = RunReport(
        lines=sum(answer.count for answer in answers),
        topics=len(lists),
        tags=1,
        longest_list=max(answer.count for answer in answers),
        duplicates_dropped=sum(answer.duplicates for answer in answers),
        converted=_notices(by_rank, len(answers) - len(lists)),
    )
    return ParsedRun(pull.tag, lists, report, precision)


def ranking_scores(hits: Hits, kind: Any) -> tuple[list[float], bool]:
    """Scores that keep the engine's order: its own where they fall strictly as numbers of this kind, else
    falling whole numbers; and whether they are the latter."""
    scores = [hit["score"] for hit in hits]
    if None not in scores:
        with np.errstate(over="ignore"):
            values = np.array(scores, dtype=kind)
        if np.isfinite(values).all() and (np.diff(values) < 0).all():
            return scores, False
    return [float(rank) for rank in range(len(hits), 0, -1)], True


def _notices(by_rank: int, empty: int) -> list[Any]:
    rows = [
        (
            "engine order kept",
            by_rank,
            "topics whose scores are missing, tied or not falling: ranks replace their scores",
        ),
        ("nothing found", empty, "topics for which the engine returned no hit"),
    ]
    return [{"what": what, "count": count, "detail": detail} for what, count, detail in rows if count]


def _records(pull: EnginePull, answers: Sequence[EngineAnswer]) -> Iterator[DocumentRecord]:
    """Documents of the hits that have no text in the collection; a text that is there stays, whatever the
    index holds now."""
    if not HitMapping.of(pull.version.mapping).has_texts:
        return
    hits = {hit["id"]: hit for answer in reversed(answers) for hit in reversed(answer.hits or [])}
    collection = pull.version.configuration.connection.campaign.collection
    rows = collection.documents.filter(docno__in=list(hits)).exclude(title="", body="")
    known = set(rows.values_list("docno", flat=True))
    for docno, hit in hits.items():
        if docno not in known:
            fields = {path.rpartition(".")[2]: text for path, text in hit["fields"].items()}
            yield DocumentRecord(docno, hit["title"], hit["text"], metadata=fields)


def _checksum(answers: Sequence[EngineAnswer]) -> str:
    lists = [[a.topic.number, [[hit["id"], hit["score"]] for hit in a.hits or []]] for a in answers]
    return hashlib.sha256(json.dumps(lists, ensure_ascii=False).encode()).hexdigest()
