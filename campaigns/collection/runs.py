"""Runs of a campaign: stored from files, given back lost lists, and removed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from campaigns.collection.documents import (
    ensure_ids_by_docno,
    hold,
    ids_by_docno,
    missing_document,
    missing_topic,
)
from campaigns.collection.run_changes import check_group, check_removable
from campaigns.configuration.methods import forget_run
from campaigns.core.recompute_queue import reconfigure
from campaigns.formats.errors import MOST_LISTED_ERRORS, ErrorList, FormatError, LineError
from campaigns.formats.runs.files import ParsedRanking, ParsedRun
from campaigns.log import audit, events
from campaigns.models import Campaign, Collection, Ranking, Run
from campaigns.models.packed import DOCUMENT_IDS, pack, pack_scores
from evaluation.arrays import IntArray

# Documents whose ids are looked up, and stored, at once.
STORED_AT_ONCE = 50_000
# From so many unknown topics on, the file as a whole may be the wrong one.
MANY_UNKNOWN = 3
SHOWN_NUMBERS = 4
LONGEST_FILE_NAME = 255
_CONTROL = re.compile("[\0-\x1f\x7f]")


@dataclass(frozen=True)
class RunSource:
    """Origin of a run, for its row."""

    user: User
    file: str
    sha256: str
    group: str = ""
    contributes: bool = True


def store_runs(*, campaign: Campaign, parsed: Sequence[ParsedRun], upload: RunSource) -> list[Run]:
    """Store a file's runs, all of them or none. Judgments stay, and the new runs are scored by them. The very
    file of a run that is there brings back the lists that went with topics; read by another score precision,
    it replaces them all."""
    upload = replace(upload, group=upload.group.strip(), file=_shown_name(upload.file))
    check_group(upload.group)
    with transaction.atomic():
        if not campaign.collection.complete:
            # Its docnos are learnt from the run.
            hold(campaign.collection)
        # One upload into a campaign at a time, so that two of the same tag cannot pass each other.
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        topics = dict(campaign.topics.values_list("number", "id"))
        renewed = _renewed_runs(campaign, parsed, topics, upload.sha256)
        errors = _refusals(campaign, parsed, topics, upload, renewed)
        runs, again = [], 0
        for each in parsed:
            there = renewed.get(each.tag)
            again += _renew(there, each, topics) if there else 0
            # With an error, the rest of the file is looked through and not stored.
            run = None if errors.total else there or _store(campaign, each, topics, upload)
            _add_lists(campaign, run, each, topics, errors)
            runs += [run] if run else []
        errors.raise_if_any()
        reconfigure(campaign)
        detail = {"runs": [run.tag for run in runs], "group": upload.group, "contributes": upload.contributes}
        if again:
            detail["again"] = again
        audit.note(campaign=campaign, kind="runs", file=upload.file, sha256=upload.sha256, **detail)
        events.publish(campaign=campaign.id, events=[("runs", {"run": run.tag}) for run in runs])
    return runs


def _shown_name(file: str) -> str:
    """On one line, and no longer than its column."""
    return _CONTROL.sub(" ", file)[-LONGEST_FILE_NAME:]


def check_runs(*, campaign: Campaign, parsed: Sequence[ParsedRun], file: str) -> None:
    """Refuse, as `store_runs` does, a file that names topics or documents that the campaign lacks. Nothing is
    stored, and no docno is learnt."""
    topics = dict(campaign.topics.values_list("number", "id"))
    errors = _file_errors(file, topics)
    for error in _other_numbers(parsed, topics):
        errors.add(error.line, error.detail, error.field)
    for each in parsed:
        for ranking, ids in _with_ids(campaign.collection, each, learn=False):
            _note_unknown(campaign.collection, ranking, ids, topics, errors)
    errors.raise_if_any()


def remove_run(*, run: Run) -> None:
    """Take a run out of the campaign. Judgments stay, of its documents too."""
    with transaction.atomic():
        campaign = run.campaign
        check_removable(run)
        forget_run(campaign=campaign, run=run)
        run.delete()
        reconfigure(campaign)
        audit.note(campaign=campaign, kind="run removed", run=run.tag, group=run.group)
        events.publish(campaign=campaign.id, events=[("runs", {"run": run.tag})])


def _store(campaign: Campaign, parsed: ParsedRun, topics: Mapping[str, int], upload: RunSource) -> Run:
    return Run.objects.create(
        campaign=campaign,
        tag=parsed.tag,
        score_precision=parsed.score_precision,
        group=upload.group,
        contributes_to_pool=upload.contributes,
        file_name=upload.file,
        sha256=upload.sha256,
        noticed=run_notices(parsed, len(topics)),
        uploaded_by=upload.user,
    )


def _renewed_runs(
    campaign: Campaign, parsed: Sequence[ParsedRun], topics: Mapping[str, int], sha256: str
) -> dict[str, Run]:
    """Runs that came from this very file, and have lost lists with topics that are back, or were ordered by
    another score precision."""
    if not sha256:
        return {}
    by_tag = {run.tag: run for run in parsed}
    there = {run.tag: run for run in campaign.runs.filter(tag__in=by_tag, sha256=sha256)}
    return {
        tag: run
        for tag, run in there.items()
        if run.score_precision != by_tag[tag].score_precision
        or run.rankings.count() < len(by_tag[tag].rankings.keys() & topics.keys())
    }


def _renew(run: Run, parsed: ParsedRun, topics: Mapping[str, int]) -> int:
    """Make the run ready for the lists that it lacks, or for all of them by another score precision; returns
    how many these are."""
    if run.score_precision != parsed.score_precision:
        run.rankings.all().delete()
        run.score_precision = parsed.score_precision
    run.noticed = run_notices(parsed, len(topics))
    run.save(update_fields=["score_precision", "noticed"])
    return len(parsed.rankings.keys() - set(run.rankings.values_list("topic__number", flat=True)))


def _add_lists(
    campaign: Campaign, run: Run | None, parsed: ParsedRun, topics: Mapping[str, int], errors: ErrorList
) -> None:
    """Store the lists that the run lacks, a batch at a time; without a run, or with errors, none."""
    there = set(run.rankings.values_list("topic__number", flat=True)) if run else set()
    rows: list[Ranking] = []
    size = 0
    for ranking, ids in _with_ids(campaign.collection, parsed):
        _note_unknown(campaign.collection, ranking, ids, topics, errors)
        if run is None or errors.total or ranking.topic in there:
            continue
        documents, scores = pack(ids, DOCUMENT_IDS), pack_scores(ranking.scores)
        topic = topics[ranking.topic]
        rows.append(Ranking(run=run, topic_id=topic, documents=documents, scores=scores))
        size += len(ids)
        if size > STORED_AT_ONCE:
            Ranking.objects.bulk_create(rows)
            rows, size = [], 0
    Ranking.objects.bulk_create(rows)


def _with_ids(
    collection: Collection, parsed: ParsedRun, *, learn: bool = True
) -> Iterator[tuple[ParsedRanking, IntArray]]:
    """Each list with the ids of its documents, 0 for those that the collection lacks. `learn`: add docnos
    that a collection without texts has not met; otherwise these are -1."""
    for some in _batches(parsed.rankings.values()):
        docnos = list(chain.from_iterable(ranking.docnos for ranking in some))
        pieces = (docnos[at : at + STORED_AT_ONCE] for at in range(0, len(docnos), STORED_AT_ONCE))
        ids = np.concatenate([_ids(collection, piece, learn) for piece in pieces])
        ends = np.cumsum([len(ranking.scores) for ranking in some])
        yield from zip(some, np.split(ids, ends[:-1]), strict=True)


def _batches(rankings: Iterable[ParsedRanking]) -> Iterator[list[ParsedRanking]]:
    some: list[ParsedRanking] = []
    size = 0
    for ranking in rankings:
        some.append(ranking)
        size += len(ranking.scores)
        if size > STORED_AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


def _ids(collection: Collection, docnos: Sequence[str], learn: bool) -> IntArray:
    find = ensure_ids_by_docno if learn else ids_by_docno
    known = find(collection=collection, docnos=list(dict.fromkeys(docnos)))
    unknown = 0 if learn or collection.complete else -1
    return np.fromiter((known.get(docno, unknown) for docno in docnos), np.int64, len(docnos))


def run_notices(parsed: ParsedRun, topics: int) -> list[dict[str, Any]]:
    """Notices of the reader about the file, and one that needs the campaign's topics."""
    notices: list[dict[str, Any]] = [dict(row) for row in parsed.report.as_rows()]
    missing = topics - len(parsed.rankings)
    if missing > 0:
        notices.append(
            {
                "what": "topics missing",
                "count": missing,
                "detail": "the run has no list for them: base 0, residual 1, and counted in every mean",
            }
        )
    return notices


def _refusals(
    campaign: Campaign,
    parsed: Sequence[ParsedRun],
    topics: Mapping[str, int],
    upload: RunSource,
    renewed: Mapping[str, Run],
) -> ErrorList:
    """Errors of the file as a whole."""
    errors = _file_errors(upload.file, topics)
    for error in [
        *_taken(campaign, [run for run in parsed if run.tag not in renewed], upload.sha256),
        *_other_numbers(parsed, topics),
    ]:
        errors.add(error.line, error.detail, error.field)
    return errors


def _file_errors(file: str, topics: Mapping[str, int]) -> ErrorList:
    """For a file's errors; without topics, none can be right."""
    if not topics:
        early = gettext(
            "the campaign has no topics yet, and a run's lists are about them: upload those first"
        )
        raise FormatError(file, [LineError(None, early, "topic")])
    return ErrorList(file)


def _taken(campaign: Campaign, parsed: Sequence[ParsedRun], sha256: str) -> list[LineError]:
    """The very same file, or other files' tags."""
    tags = [run.tag for run in parsed]
    taken = list(campaign.runs.filter(tag__in=tags).order_by("id"))
    return [
        LineError(None, _taken_words(run, same=bool(sha256) and run.sha256 == sha256), "tag") for run in taken
    ]


def _taken_words(run: Run, *, same: bool) -> str:
    names = {"tag": run.tag, "file": run.file_name}
    if same:
        words = gettext("this very file is here already, as the run %(tag)s, uploaded as %(file)s") % names
    else:
        words = gettext("there is another run tagged %(tag)s already, uploaded as %(file)s") % names
    if run.withdrawn_at:
        return words + gettext("; it is withdrawn, and can be brought back on its page")
    return words if same else words + gettext("; give this one a tag of its own, or take the other out first")


def _other_numbers(parsed: Sequence[ParsedRun], topics: Mapping[str, int]) -> list[LineError]:
    """Report a wrong topic file: it is likelier than a wrong run if most topics are unknown."""
    asked = {number for run in parsed for number in run.rankings}
    missing = len(asked - topics.keys())
    if missing < MANY_UNKNOWN or 2 * missing < len(asked):
        return []
    detail = gettext(
        "%(missing)s of the %(asked)s topics in this file are none of the campaign's, which are numbered "
        "%(some)s …: perhaps the runs answer another topic file"
    )
    some = ", ".join(list(topics)[:SHOWN_NUMBERS])
    return [LineError(None, detail % {"missing": missing, "asked": len(asked), "some": some}, "topic")]


def _note_unknown(
    collection: Collection,
    ranking: ParsedRanking,
    ids: IntArray,
    topics: Mapping[str, int],
    errors: ErrorList,
) -> None:
    if ranking.topic not in topics:
        errors.add(ranking.line, missing_topic(topics, ranking.topic, errors=errors.total), "topic")
    unknown = np.flatnonzero(ids == 0)
    unknown = unknown[np.argsort(ranking.lines[unknown], kind="stable")]
    for place in unknown[:MOST_LISTED_ERRORS].tolist():
        docno = ranking.docnos[place]
        detail = missing_document(collection, docno, errors=errors.total)
        errors.add(int(ranking.lines[place]), detail, "docno")
    if len(rest := unknown[MOST_LISTED_ERRORS:]):
        errors.count(int(ranking.lines[rest[-1]]), len(rest), "docno")
