"""Handing in: the check of the file, the receipt, the limit, and the deadline by the database's clock."""

from __future__ import annotations

import gzip
import hashlib
from datetime import timedelta
from threading import Event, Thread

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.db import connection, transaction

from campaigns.core.errors import Refusal
from campaigns.formats.errors import FormatError
from campaigns.models import Campaign, Deed, Document, HandIn, Submission, SubmissionPart
from campaigns.notifications.outbox import send_due_emails
from campaigns.participants import rules, submissions
from campaigns.participants.submissions import receipt_text
from campaigns.people.teams import remove_team
from campaigns.setup import campaigns as services
from campaigns.setup.archive import archive
from tests.campaigns.factories import run_text, signed_in
from tests.campaigns.participants.team_campaigns import LISTS, end, handed_in, now, team_campaign, team_of


@pytest.fixture
def campaign(db: None) -> Campaign:
    return team_campaign()


def test_the_receipt_has_the_hash_of_the_file(campaign: Campaign) -> None:
    team = team_of(campaign, "Delft")
    packed = gzip.compress(run_text("delft1", LISTS))
    user = User.objects.get(username="Small-carl")
    file = SimpleUploadedFile("delft1.run.gz", packed)
    row = submissions.hand_in(team=team, user=user, upload=file, priority=2, description=" BM25 ")
    assert row.sha256 == hashlib.sha256(packed).hexdigest()
    assert b"".join(submissions.read_file(row)) == packed
    assert (row.tag, row.bytes, row.lines, row.topics) == ("delft1", len(packed), 5, 2)
    assert (row.description, row.state) == ("BM25", "handed in")
    text = receipt_text(row)
    for said in (row.sha256, "delft1", "Delft", "Small-carl", row.handed_in_at.isoformat(), "BM25"):
        assert said in text


def test_a_long_file_is_kept_in_parts(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "PART_BYTES", 16)
    content = run_text("delft1", LISTS)
    # As a long upload comes: from a file, a piece at a time.
    file = TemporaryUploadedFile("delft1.run", "text/plain", len(content), None)
    file.write(content)
    file.seek(0)
    user = User.objects.get(username="Small-carl")
    row = submissions.hand_in(team=team_of(campaign, "Delft"), user=user, upload=file, priority=1)
    assert row.parts.count() > 2
    assert row.sha256 == hashlib.sha256(content).hexdigest()
    assert b"".join(submissions.read_file(row)) == content


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"1 Q0 a 1 9 t\n1 Q0 b 2 high t\n", 2, "high"),
        (b"1 Q0 a 1 9 t\n1 Q0 a 2 8 t\n", 2, "a"),
        (b"7 Q0 a 1 9 t\n", 1, "no topic 7"),
        (b"1 Q0 nowhere 1 9 t\n", 1, "no document nowhere"),
        (b"", None, "empty"),
    ],
)
def test_a_bad_file_is_refused_by_line_and_value(
    campaign: Campaign, content: bytes, line: int | None, said: str
) -> None:
    campaign.collection.complete = True
    campaign.collection.save()
    with pytest.raises(FormatError) as refused:
        submissions.hand_in(
            team=team_of(campaign, "Delft"),
            user=User.objects.get(username="Small-carl"),
            upload=SimpleUploadedFile("bad.run", content),
            priority=1,
        )
    assert refused.value.errors[0].line == line
    assert said in str(refused.value)
    assert not Submission.objects.exists()
    assert not SubmissionPart.objects.exists()
    assert not Deed.objects.filter(kind="run handed in").exists()


def test_a_check_learns_no_docno(campaign: Campaign) -> None:
    """Otherwise a team could fill the collection of a campaign whose documents are known by their names."""
    assert not campaign.collection.complete
    handed_in(team_of(campaign, "Delft"), "delft1", lists={"1": ["never-seen"]})
    assert not Document.objects.filter(docno="never-seen").exists()


def test_a_replaced_or_withdrawn_run_leaves_its_receipt_without_file(campaign: Campaign) -> None:
    team = team_of(campaign, "Delft")
    first = handed_in(team, "delft1")
    second = handed_in(team, "delft1", lists={"1": ["b"]}, replaces=first.id)
    submissions.withdraw(team=team, submission=second.id)
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, second.state) == ("replaced", "withdrawn")
    assert "Replaced:" in receipt_text(first)
    assert not SubmissionPart.objects.exists()
    kinds = list(campaign.deeds.order_by("-id").values_list("kind", flat=True)[:3])
    assert kinds == ["submission withdrawn", "run handed in", "run handed in"]
    with pytest.raises(Refusal, match="no such run"):
        submissions.withdraw(team=team, submission=first.id)


def test_a_team_hands_in_at_most_so_many_runs(campaign: Campaign) -> None:
    team = team_of(campaign, "Delft")
    first = handed_in(team, "one", 1)
    with pytest.raises(Refusal, match="one has priority 1"):
        handed_in(team, "two", 1)
    with pytest.raises(FormatError, match="a run tagged one already"):
        handed_in(team, "one", 2)
    with pytest.raises(Refusal, match="from 1 to 2"):
        handed_in(team, "two", 3)
    handed_in(team, "two", 2)
    with pytest.raises(Refusal, match="the maximum"):
        handed_in(team, "three", 1)
    handed_in(team, "three", 1, replaces=first.id)
    # Another team is not concerned, by number, priority or tag.
    handed_in(team_of(campaign, "Essen"), "two", 2)
    assert Submission.objects.standing().count() == 3


def test_priorities_are_swapped(campaign: Campaign) -> None:
    team = team_of(campaign, "Delft")
    one, two = handed_in(team, "one", 1), handed_in(team, "two", 2)
    submissions.change(team=team, submission=two.id, priority=1, description="better")
    assert list(team.submissions.values_list("tag", "priority")) == [("two", 1), ("one", 2)]
    with pytest.raises(Refusal, match="from 1 to 2"):
        submissions.change(team=team, submission=one.id, priority=0)


def test_another_teams_run_is_not_there(campaign: Campaign) -> None:
    theirs = handed_in(team_of(campaign, "Essen"), "essen1")
    team = team_of(campaign, "Delft")
    for act in (
        lambda: submissions.withdraw(team=team, submission=theirs.id),
        lambda: submissions.change(team=team, submission=theirs.id, description="mine"),
        lambda: handed_in(team, "delft1", replaces=theirs.id),
    ):
        with pytest.raises(Refusal) as refused:
            act()
        assert refused.value.status == 404


def test_after_the_deadline_nothing_changes(campaign: Campaign) -> None:
    team = team_of(campaign, "Delft")
    row = handed_in(team, "one")
    end(campaign)
    for act in (
        lambda: handed_in(team, "two", 2),
        lambda: handed_in(team, "one", replaces=row.id),
        lambda: submissions.withdraw(team=team, submission=row.id),
        lambda: submissions.change(team=team, submission=row.id, description="late"),
    ):
        with pytest.raises(Refusal, match="the deadline has passed"):
            act()
    assert Submission.objects.get().state == "handed in"


def test_before_there_is_a_deadline_nothing_is_taken(campaign: Campaign) -> None:
    HandIn.objects.all().delete()
    with pytest.raises(Refusal, match="yet"):
        handed_in(team_of(campaign, "Delft"), "one")


@pytest.mark.django_db(transaction=True)
def test_a_run_that_ends_after_the_deadline_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadline comes while the file is stored: nothing of it stays."""
    campaign = team_campaign()
    row = HandIn.objects.get()
    row.deadline = rules.database_time() + timedelta(milliseconds=300)
    row.save()
    store = submissions._store_file

    def slowly(row: Submission, upload: SimpleUploadedFile) -> None:
        store(row, upload)
        with connection.cursor() as cursor:
            # Until the database's own clock is behind the deadline.
            cursor.execute("SELECT pg_sleep(0.35)")

    monkeypatch.setattr(submissions, "_store_file", slowly)
    with pytest.raises(Refusal, match="the deadline has passed"):
        handed_in(team_of(campaign, "Delft"), "one")
    assert not Submission.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_deadline_that_is_moved_meanwhile_decides() -> None:
    """The organiser holds the rules, a run waits for them and then finds the new deadline."""
    campaign = team_campaign()
    waits, refused = Event(), []

    def hand_in() -> None:
        waits.set()
        try:
            handed_in(team_of(campaign, "Delft"), "one")
        except Refusal as refusal:
            refused.append(refusal.code)
        finally:
            connection.close()

    with transaction.atomic():
        row = rules.lock_rules(campaign)
        thread = Thread(target=hand_in)
        thread.start()
        assert waits.wait(10)
        row.deadline = rules.database_time()
        row.save()
    thread.join(30)
    assert refused == ["deadline_passed"]
    assert not Submission.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_receipt_is_emailed(campaign: Campaign, settings: pytest.FixtureRequest) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"  # type: ignore[attr-defined]
    User.objects.filter(username="Small-carl").update(email="carl@example.org")
    row = handed_in(team_of(campaign, "Delft"), "one")
    send_due_emails()
    (sent,) = mail.outbox
    assert sent.to == ["carl@example.org"]
    assert row.sha256 in sent.body


def test_rules_are_checked_and_noted(campaign: Campaign) -> None:
    with pytest.raises(Refusal, match="1 to 100"):
        rules.set_rules(campaign=campaign, most_runs=0)
    later = now() + timedelta(days=2)
    rules.set_rules(campaign=campaign, deadline=later)
    rules.set_rules(campaign=campaign, deadline=later, most_runs=2)
    deed = campaign.deeds.latest("id")
    assert deed.kind == "hand-in rules"
    assert deed.detail["changes"]["deadline"][1] == later.isoformat()
    assert campaign.deeds.filter(kind="hand-in rules").count() == 2


def test_a_team_that_is_removed_meanwhile_hands_nothing_in(campaign: Campaign) -> None:
    team, user = team_of(campaign, "Delft"), User.objects.get(username="Small-carl")
    remove_team(team=team_of(campaign, "Delft"))
    file = SimpleUploadedFile("one.run", run_text("one", LISTS))
    with pytest.raises(Refusal, match="no such team"):
        submissions.hand_in(team=team, user=user, upload=file, priority=1)


def test_an_archived_campaign_takes_no_run_and_reads_none(campaign: Campaign) -> None:
    team = team_of(campaign, "Delft")
    services.pause(campaign=campaign)
    archive(campaign=campaign)
    assert not rules.is_open(rules.rules_of(campaign))
    team.campaign.refresh_from_db()
    user = User.objects.get(username="Small-carl")
    with pytest.raises(Refusal, match="is archived"):
        submissions.hand_in(team=team, user=user, upload=SimpleUploadedFile("x", b"no run"), priority=1)
    shown = signed_in("Small-carl").get("/campaigns/small/team/").content.decode()
    assert "Check and hand in" not in shown
