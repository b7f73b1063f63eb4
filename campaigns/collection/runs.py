"""Runs of a campaign: stored from files, given back lost lists, and removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from campaigns.collection.documents import ensure_ids_by_docno, hold
from campaigns.collection.participation import check_removable
from campaigns.core.jobs import reconfigure
from campaigns.core.methods import forget_run
from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.runs import ParsedRanking, ParsedRun
from campaigns.log import audit, events
from campaigns.models import Campaign, Ranking, Run
from campaigns.models.packed import DOCUMENT_IDS, SCORES, pack

MAX_ERRORS = 100
# From so many unknown topics on, the file as a whole may be the wrong one.
MANY_UNKNOWN = 3
SHOWN_NUMBERS = 4


@dataclass(frozen=True)
class RunSource:
    """Where a run came from, for its row."""

    user: User
    file: str
    sha256: str
    group: str = ""
    contributes: bool = True


def store_runs(*, campaign: Campaign, parsed: Sequence[ParsedRun], upload: RunSource) -> list[Run]:
    """Store a file's runs, all of them or none. Judgments stay, and the new runs are scored by them. The very
    file of a run that is there brings back the lists that went with topics."""
    with transaction.atomic():
        if not campaign.collection.complete:
            # Its docnos are learnt from the run.
            hold(campaign.collection)
        # One upload into a campaign at a time, so that two of the same tag cannot pass each other.
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        topics = dict(campaign.topics.values_list("number", "id"))
        docnos = list(
            dict.fromkeys(chain.from_iterable(r.docnos for p in parsed for r in p.rankings.values()))
        )
        ids = ensure_ids_by_docno(collection=campaign.collection, docnos=docnos)
        lacking = _lacking_lists(campaign, parsed, topics, upload.sha256)
        _refuse_unknown(campaign, parsed, topics, ids, upload, lacking)
        again = sum(_complete(lacking[run.tag], run, topics, ids) for run in parsed if run.tag in lacking)
        runs = [lacking.get(run.tag) or _store(campaign, run, topics, ids, upload) for run in parsed]
        reconfigure(campaign)
        said = {"runs": [run.tag for run in runs], "group": upload.group, "contributes": upload.contributes}
        if again:
            said["again"] = again
        audit.note(campaign=campaign, kind="runs", file=upload.file, sha256=upload.sha256, **said)
        events.publish(campaign=campaign.id, events=[("runs", {"run": run.tag}) for run in runs])
    return runs


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


def _store(
    campaign: Campaign, parsed: ParsedRun, topics: dict[str, int], ids: dict[str, int], upload: RunSource
) -> Run:
    run = Run.objects.create(
        campaign=campaign,
        tag=parsed.tag,
        group=upload.group,
        contributes_to_pool=upload.contributes,
        file_name=upload.file,
        sha256=upload.sha256,
        noticed=run_notices(parsed, len(topics)),
        uploaded_by=upload.user,
    )
    _add_lists(run, parsed.rankings, topics, ids)
    return run


def _lacking_lists(
    campaign: Campaign, parsed: Sequence[ParsedRun], topics: dict[str, int], sha256: str
) -> dict[str, Run]:
    """Runs that came from this very file, and have lost lists with topics that are back."""
    if not sha256:
        return {}
    wanted = {run.tag: len(run.rankings.keys() & topics.keys()) for run in parsed}
    there = campaign.runs.filter(tag__in=wanted, sha256=sha256)
    return {run.tag: run for run in there if run.rankings.count() < wanted[run.tag]}


def _complete(run: Run, parsed: ParsedRun, topics: dict[str, int], ids: dict[str, int]) -> int:
    """How many lists the run has got back."""
    there = set(run.rankings.values_list("topic__number", flat=True))
    missing = {number: ranking for number, ranking in parsed.rankings.items() if number not in there}
    _add_lists(run, missing, topics, ids)
    run.noticed = run_notices(parsed, len(topics))
    run.save(update_fields=["noticed"])
    return len(missing)


def _add_lists(
    run: Run, rankings: Mapping[str, ParsedRanking], topics: dict[str, int], ids: dict[str, int]
) -> None:
    Ranking.objects.bulk_create(
        Ranking(
            run=run,
            topic_id=topics[number],
            documents=pack(np.array([ids[docno] for docno in ranking.docnos]), DOCUMENT_IDS),
            scores=pack(ranking.scores, SCORES),
        )
        for number, ranking in rankings.items()
    )


def run_notices(parsed: ParsedRun, topics: int) -> list[dict[str, Any]]:
    """What the reader noticed in the file, and what only the campaign can tell."""
    found: list[dict[str, Any]] = [dict(row) for row in parsed.report.as_rows()]
    missing = topics - len(parsed.rankings)
    if missing > 0:
        found.append(
            {
                "what": "topics missing",
                "count": missing,
                "detail": "the run has no list for them: base 0, residual 1, and counted in every mean",
            }
        )
    return found


def _refuse_unknown(
    campaign: Campaign,
    parsed: Sequence[ParsedRun],
    topics: dict[str, int],
    ids: dict[str, int],
    upload: RunSource,
    lacking: Mapping[str, Run],
) -> None:
    if not topics:
        early = gettext(
            "the campaign has no topics yet, and a run's lists are about them: upload those first"
        )
        raise FormatError(upload.file, [LineError(None, early, "topic")])
    errors = [
        *_taken(campaign, [run for run in parsed if run.tag not in lacking], upload.sha256),
        *_other_numbers(parsed, topics),
        *_unknown(parsed, topics, ids),
    ]
    if errors:
        errors.sort(key=lambda error: error.line or 0)
        raise FormatError(upload.file, errors[:MAX_ERRORS], total=len(errors))


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
        said = gettext("this very file is here already, as the run %(tag)s, uploaded as %(file)s") % names
    else:
        said = gettext("there is another run tagged %(tag)s already, uploaded as %(file)s") % names
    if run.withdrawn_at:
        return said + gettext("; it is withdrawn, and can be brought back on its page")
    return said if same else said + gettext("; give this one a tag of its own, or take the other out first")


def _other_numbers(parsed: Sequence[ParsedRun], topics: dict[str, int]) -> list[LineError]:
    """Where most of the topics are unknown, a wrong topic file is likelier than a wrong run."""
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


def _unknown(parsed: Sequence[ParsedRun], topics: dict[str, int], ids: dict[str, int]) -> list[LineError]:
    errors = []
    for run in parsed:
        for number, ranking in run.rankings.items():
            if number not in topics:
                errors.append(
                    LineError(
                        ranking.line,
                        gettext("the campaign has no topic %(number)s") % {"number": number},
                        "topic",
                    )
                )
            errors += [
                LineError(
                    int(line), gettext("the collection has no document %(docno)s") % {"docno": docno}, "docno"
                )
                for docno, line in zip(ranking.docnos, ranking.lines, strict=True)
                if docno not in ids
            ]
    return errors
