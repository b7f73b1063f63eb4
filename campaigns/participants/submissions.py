"""Runs that teams hand in: checked first, then stored with a receipt; replaced, changed or withdrawn until
the deadline. The file is kept as it came: its hash can be computed again, and a run be made of it later."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import Http404, StreamingHttpResponse
from django.utils.translation import gettext

from campaigns.collection.runs import check_runs, run_notices
from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_delivery
from campaigns.formats.errors import RUN_BYTES, FormatError, LineError
from campaigns.formats.runs.files import ParsedRun, read_runs
from campaigns.log import audit
from campaigns.models import Campaign, Submission, SubmissionPart, Team
from campaigns.models.participants import LONGEST_DESCRIPTION
from campaigns.notifications.emails import CampaignEmail, can_email
from campaigns.participants.rules import OpenHandIn, check_open
from campaigns.people.teams import lock_team
from campaigns.templatetags.contexts import CampaignContext

PART_BYTES = 1 << 20


def hand_in(
    *,
    team: Team,
    user: User,
    upload: UploadedFile[Any],
    priority: int,
    description: str = "",
    replaces: int | None = None,
) -> Submission:
    """Check the file and store it, in place of the submission `replaces` if there is one. Nothing is stored
    unless the whole transaction came to its end before the deadline."""
    description = check_description(description)
    check_open(team.campaign)
    name = str(upload.name)
    run = _read(team.campaign, upload, name)
    with transaction.atomic():
        lock_team(team)
        row = Submission(
            team=team,
            tag=run.tag,
            priority=priority,
            description=description,
            file_name=name[-255:],
            topics=len(run.rankings),
            lines=run.report.lines,
            noticed=run_notices(run, team.campaign.topics.count()),
            handed_in_by=user,
        )
        rules = check_open(team.campaign)
        old = _end(team, replaces, Submission.End.REPLACED, rules) if replaces else None
        row.handed_in_at = rules.now
        _check_place(row, rules)
        _store_file(row, upload)
        detail = {"team": team.name, "run": run.tag, "sha256": row.sha256, "priority": priority}
        if old is not None:
            detail["replaced"] = old.tag
        audit.note(campaign=team.campaign, kind="run handed in", **detail)
        email_receipt(row)
        # Storing took its time; what comes to its end after the deadline is late.
        check_open(team.campaign)
    return row


def withdraw(*, team: Team, submission: int) -> None:
    with transaction.atomic():
        lock_team(team)
        row = _end(team, submission, Submission.End.WITHDRAWN, check_open(team.campaign))
        audit.note(campaign=team.campaign, kind="submission withdrawn", team=team.name, run=row.tag)


def change(
    *, team: Team, submission: int, priority: int | None = None, description: str | None = None
) -> Submission:
    """Give a submission another description or priority. A submission that has the priority takes the old
    one."""
    with transaction.atomic():
        lock_team(team)
        rules = check_open(team.campaign)
        row = standing_one(team, submission)
        before = {"priority": row.priority, "description": row.description}
        if priority is not None and priority != row.priority:
            _check_priority(priority, rules)
            _swap(row, priority)
        row.description = row.description if description is None else check_description(description)
        row.save(update_fields=["description", "priority"])
        if before != {"priority": row.priority, "description": row.description}:
            detail = {"team": team.name, "run": row.tag, "priority": row.priority}
            audit.note(campaign=team.campaign, kind="submission changed", **detail)
    return row


def standing_one(team: Team, submission: int) -> Submission:
    """One that may still be changed."""
    row = team.submissions.standing().select_related("run").filter(id=submission).first()
    if row is None:
        detail = gettext("there is no such run of your team")
        raise Refusal("unknown_submission", detail, field="replaces", status=404)
    if row.run is not None:
        detail = gettext("the organiser has admitted %(tag)s, so it stays as it is")
        raise Refusal("admitted", detail % {"tag": row.tag}, status=409)
    row.team = team
    return row


def read_file(submission: Submission) -> Iterator[bytes]:
    """The file as it was handed in, a piece at a time; nothing once it was replaced or withdrawn."""
    parts = submission.parts.order_by("number").values_list("content", flat=True)
    return (zlib.decompress(content) for content in parts.iterator(chunk_size=4))


def file_reply(submission: Submission) -> StreamingHttpResponse:
    """The file as a download; none once it was replaced or withdrawn."""
    if submission.ended:
        raise Http404
    reply = StreamingHttpResponse(read_file(submission), content_type="application/octet-stream")
    reply.headers["Content-Length"] = str(submission.bytes)
    reply.headers["Content-Disposition"] = f'attachment; filename="run-{submission.id}"'
    return reply


def check_description(description: str) -> str:
    description = description.strip().replace("\r\n", "\n")
    if len(description) > LONGEST_DESCRIPTION or "\0" in description:
        detail = gettext("a description has at most %(most)s characters")
        raise Refusal("bad_description", detail % {"most": LONGEST_DESCRIPTION}, field="description")
    return description


def _read(campaign: Campaign, upload: UploadedFile[Any], name: str) -> ParsedRun:
    most = min(RUN_BYTES, int(settings.MAX_UNPACKED_BYTES))
    folder = settings.FILE_UPLOAD_TEMP_DIR
    (run,) = read_runs(
        upload,
        name,
        score_precision=campaign.run_precision,
        max_bytes=most,
        in_memory=False,
        folder=folder,
    )
    check_runs(campaign=campaign, parsed=[run], file=name)
    return run


def _check_place(row: Submission, rules: OpenHandIn) -> None:
    _check_priority(row.priority, rules)
    others = row.team.submissions.standing()
    if others.count() >= rules.most_runs:
        detail = gettext("your team has handed in %(most)s runs, which is the maximum: replace one of them")
        raise Refusal("too_many_runs", detail % {"most": rules.most_runs}, status=409)
    if other := others.filter(priority=row.priority).first():
        detail = gettext("%(tag)s has priority %(priority)s: choose another, or replace it")
        names = {"tag": other.tag, "priority": row.priority}
        raise Refusal("priority_taken", detail % names, field="priority", status=409)
    if others.filter(tag=row.tag).exists():
        detail = gettext("your team has a run tagged %(tag)s already: replace it, or use another tag")
        raise FormatError(row.file_name, [LineError(None, detail % {"tag": row.tag}, "tag")])


def _check_priority(priority: int, rules: OpenHandIn) -> None:
    if not 1 <= priority <= rules.most_runs:
        detail = gettext("a priority is a number from 1 to %(most)s") % {"most": rules.most_runs}
        raise Refusal("bad_priority", detail, field="priority")


def _swap(row: Submission, priority: int) -> None:
    other = row.team.submissions.standing().filter(priority=priority).first()
    before, row.priority = row.priority, priority
    if other is None:
        return
    if other.run_id is not None:
        detail = gettext("the organiser has admitted %(tag)s, so it keeps its priority")
        raise Refusal("admitted", detail % {"tag": other.tag}, field="priority", status=409)
    # No two rows may have one priority, not even within a statement.
    Submission.objects.filter(id=row.id).update(priority=0)
    Submission.objects.filter(id=other.id).update(priority=before)


def _end(team: Team, submission: int, end: Submission.End, rules: OpenHandIn) -> Submission:
    row = standing_one(team, submission)
    row.ended, row.ended_at = end, rules.now
    row.save(update_fields=["ended", "ended_at"])
    row.parts.all().delete()
    return row


def _store_file(row: Submission, upload: UploadedFile[Any]) -> None:
    """With its hash and size, which are of the very bytes that are stored. A piece at a time is in memory."""
    row.bytes = 0
    row.save()
    sha256 = hashlib.sha256()
    for number, chunk in enumerate(upload.chunks(PART_BYTES)):
        sha256.update(chunk)
        row.bytes += len(chunk)
        SubmissionPart.objects.create(submission=row, number=number, content=zlib.compress(chunk, 1))
    row.sha256 = sha256.hexdigest()
    row.save(update_fields=["sha256", "bytes"])


class ReceiptText(CampaignContext, template="campaigns/participants/receipt.txt"):
    submission: Submission


class ReceiptEmail(CampaignEmail, template="mail/receipt.txt"):
    submission: Submission
    receipt: str


def receipt_text(submission: Submission) -> str:
    return ReceiptText(submission.team.campaign, submission).html()


def email_receipt(submission: Submission) -> None:
    """To the person who handed it in, if they have an address, once the surrounding transaction has
    committed."""
    address = submission.handed_in_by.email
    if not address or not can_email():
        return
    text = receipt_text(submission)
    mail = ReceiptEmail(submission.team.campaign, submission, text).email()
    request_delivery(subject=mail.subject, body=mail.body, address=address)
