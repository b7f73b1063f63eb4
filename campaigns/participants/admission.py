"""Submissions that become runs of the campaign: chosen by the organiser after the deadline."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.text import slugify
from django.utils.translation import gettext

from campaigns.collection.run_changes import set_contributes
from campaigns.collection.runs import RunSource, store_runs
from campaigns.core.errors import Refusal
from campaigns.formats.errors import TAG_BYTES
from campaigns.formats.runs.files import read_runs
from campaigns.models import Campaign, Run, Submission
from campaigns.participants.rules import is_open, lock_rules
from campaigns.participants.submissions import read_file


def submissions_of(campaign: Campaign) -> QuerySet[Submission]:
    """All that stand, by team and priority."""
    rows = Submission.objects.standing().filter(team__campaign=campaign)
    return rows.select_related("team", "run", "handed_in_by").order_by("team__name", "priority")


def first_priorities(campaign: Campaign, count: int) -> list[int]:
    """Ids of the `count` submissions of each team that matter most to it."""
    seen: Counter[int] = Counter()
    chosen = []
    for row in submissions_of(campaign):
        seen[row.team_id] += 1
        if seen[row.team_id] <= count:
            chosen.append(row.id)
    return chosen


def admit(
    *, campaign: Campaign, submissions: Sequence[int], user: User, contributes: bool
) -> list[Submission]:
    """Make these submissions runs of the campaign, contributing or not; of those that are runs already,
    change what differs. All of them or none."""
    with transaction.atomic():
        if is_open(lock_rules(campaign)):
            detail = gettext("teams may still replace their runs: runs are admitted after the deadline")
            raise Refusal("before_deadline", detail, status=409)
        rows = list(submissions_of(campaign).filter(id__in=submissions))
        if len(rows) != len(set(submissions)) or not rows:
            detail = gettext("select at least one run that was handed in")
            raise Refusal("unknown_submission", detail, field="submissions", status=404)
        shared = _shared_tags(campaign)
        for row in rows:
            if row.run is not None:
                set_contributes(run=row.run, contributes=contributes)
            else:
                _make_run(campaign, row, user, contributes, shared)
    return rows


def _make_run(
    campaign: Campaign, row: Submission, user: User, contributes: bool, shared: frozenset[str]
) -> None:
    source = RunSource(
        user=user, file=row.file_name, sha256=row.sha256, group=row.team.name, contributes=contributes
    )
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as folder:
        file = Path(folder) / "run"
        with file.open("wb") as out:
            out.writelines(read_file(row))
        with file.open("rb") as content:
            (run,) = read_runs(
                content,
                row.file_name,
                score_precision=campaign.run_precision,
                in_memory=False,
                folder=folder,
            )
            tag = _free_tag(campaign, row, shared)
            (row.run,) = store_runs(campaign=campaign, parsed=[replace(run, tag=tag)], upload=source)
    row.save(update_fields=["run"])


def _shared_tags(campaign: Campaign) -> frozenset[str]:
    """Tags that several teams have used."""
    counts = Counter(submissions_of(campaign).values_list("tag", flat=True))
    return frozenset(tag for tag, count in counts.items() if count > 1)


def _free_tag(campaign: Campaign, row: Submission, shared: frozenset[str]) -> str:
    """The submission's own, or behind its team's name where another run or team has the same."""
    if row.tag not in shared and not Run.objects.filter(campaign=campaign, tag=row.tag).exists():
        return row.tag
    team = slugify(row.team.name, allow_unicode=True) or f"team-{row.team_id}"
    named = f"{team}.{row.tag}"
    if len(named.encode()) > TAG_BYTES or Run.objects.filter(campaign=campaign, tag=named).exists():
        return f"team-{row.team_id}.{row.id}"
    return named
