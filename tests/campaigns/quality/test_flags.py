from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone, translation
from pytest_django import Settings

from campaigns.log.activity import acts_by_each
from campaigns.models import Campaign, Document, Judgment, LogHead, QrelsImport, QualityFlag, Repeat
from campaigns.notifications.tasks import send_emails, tell_flags
from campaigns.people.workload import workload_of
from campaigns.quality.flag_sentences import flag_sentence
from campaigns.quality.flags import found_flags, update_flags
from campaigns.setup.campaigns import change_settings
from tests.campaigns.factories import make_campaign, signed_in

pytestmark = pytest.mark.django_db

DOCUMENTS = 400
NAMES = ("grace", "alan")
Row = dict[str, Any]


@pytest.fixture
def campaign() -> Campaign:
    made = make_campaign(lists={"x": {"1": ["a"], "2": ["b"]}})
    rows = (Document(collection=made.collection, docno=f"d{n:03}") for n in range(DOCUMENTS))
    Document.objects.bulk_create(rows)
    return made


def append(campaign: Campaign, rows: list[Row]) -> None:
    """Acts, each with a name, a document's number, a grade, and columns of the log."""
    head = LogHead.objects.get(campaign=campaign)
    topics = {topic.number: topic.id for topic in campaign.topics.all()}
    people = {name: User.objects.get(username=f"Small-{name}").id for name in ("ada", *NAMES)}
    documents = list(campaign.collection.documents.filter(docno__startswith="d").order_by("docno"))
    usual = {"milliseconds": 5000, "method": "C", "created": timezone.now()}
    made = [
        Judgment(
            campaign=campaign,
            sequence=head.length + place,
            topic_id=topics[row.pop("topic", "1")],
            document=documents[row.pop("document")],
            assessor_id=people[row.pop("name")],
            **{**usual, **row},
        )
        for place, row in enumerate(rows, start=1)
    ]
    Judgment.objects.bulk_create(made)
    LogHead.objects.filter(campaign=campaign).update(length=head.length + len(made))


def beside_each_other(grade: Callable[[str, int], int], count: int = 120, **columns: Any) -> list[Row]:
    """Two assessors take turns in a topic, each with documents of their own."""
    return [
        {"name": name, "document": 2 * n + place, "grade": grade(name, n), **columns}
        for n in range(count)
        for place, name in enumerate(NAMES)
    ]


def kinds(campaign: Campaign) -> set[tuple[str, str]]:
    names = dict(User.objects.values_list("id", "username"))
    return {(names[who].removeprefix("Small-"), kind) for who, kind in found_flags(campaign=campaign)}


def sentences(campaign: Campaign) -> list[str]:
    update_flags(campaign=campaign)
    with translation.override("en"):
        return [flag_sentence(flag) for flag in QualityFlag.objects.order_by("id")]


def test_alike_and_unhurried_judging_is_not_flagged(campaign: Campaign) -> None:
    dice = random.Random(1)
    append(campaign, beside_each_other(lambda name, n: dice.choice([0, 0, 1, 2])))
    assert kinds(campaign) == set()


def test_a_median_under_a_second_is_flagged_and_goes(campaign: Campaign) -> None:
    dice = random.Random(2)
    rows = beside_each_other(lambda name, n: dice.choice([0, 1, 2]), count=60)
    for row in rows:
        row["milliseconds"] = dice.randrange(150, 260) if row["name"] == "grace" else 4000
    append(campaign, rows)
    assert kinds(campaign) == {("grace", "time")}
    [said] = sentences(campaign)
    assert re.fullmatch(r"Median time of 60 judgments: 0\.\d+ s \(95% interval 0\.\d+ to 0\.\d+ s\)\.", said)
    change_settings(campaign=campaign, flag_judgments=122)
    assert kinds(campaign) == set()
    change_settings(campaign=campaign, flag_judgments=20, flag_seconds=0.1)
    assert kinds(campaign) == set()
    change_settings(campaign=campaign, flag_seconds=2.0)
    slower = [{"name": "grace", "document": 200 + n, "grade": n % 3} for n in range(100)]
    append(campaign, slower)
    assert kinds(campaign) == set()
    assert update_flags(campaign=campaign) == []
    assert not QualityFlag.objects.exists()


@pytest.fixture
def many_topics() -> Campaign:
    made = make_campaign(lists={"x": {str(topic): ["a"] for topic in range(1, 11)}})
    rows = (Document(collection=made.collection, docno=f"d{n:03}") for n in range(40))
    Document.objects.bulk_create(rows)
    # Another assessor judges nine topics, in which a half to three quarters is relevant.
    dice = random.Random(6)
    shares = [dice.uniform(0.5, 0.75) for _ in range(9)]
    append(
        made,
        [
            {"name": "alan", "topic": str(topic), "document": n, "grade": int(dice.random() < share)}
            for topic, share in enumerate(shares, start=2)
            for n in range(40)
        ],
    )
    return made


@pytest.mark.parametrize("grade", [0, 1, 2])
def test_one_grade_for_everything_is_flagged_within_one_topic(many_topics: Campaign, grade: int) -> None:
    append(many_topics, [{"name": "grace", "document": n, "grade": grade} for n in range(40)])
    assert kinds(many_topics) == {("grace", "grades")}
    [said] = sentences(many_topics)
    assert "of their 40 judgments at the beginning of their topics" in said
    change_settings(campaign=many_topics, flag_grades=0)
    assert kinds(many_topics) == set()


def test_a_topic_like_others_or_with_few_others_is_not_flagged(many_topics: Campaign) -> None:
    append(many_topics, [{"name": "grace", "document": n, "grade": int(n % 5 > 0)} for n in range(40)])
    assert kinds(many_topics) == set()
    few = many_topics.topics.filter(number__in=["2", "3"])
    many_topics.judgments.filter(topic__in=few).update(adjudication=True)
    many_topics.judgments.filter(assessor__username="Small-grace").update(grade=0)
    assert kinds(many_topics) == set()


def test_haste_is_flagged_within_one_topic(campaign: Campaign) -> None:
    dice = random.Random(7)
    paces = [round(1000 * dice.lognormvariate(0, 0.4)) for _ in range(40)]
    append(
        campaign,
        [
            {"name": "grace", "document": n, "grade": dice.choice([0, 1, 2]), "milliseconds": pace}
            for n, pace in enumerate(paces)
        ],
    )
    assert kinds(campaign) == {("grace", "time")}


def test_agreement_by_chance_is_flagged_of_both_and_good_agreement_of_none(campaign: Campaign) -> None:
    dice = random.Random(3)
    truth = [dice.choice([0, 1, 2]) for _ in range(80)]

    def rows(right: float) -> list[Row]:
        return [
            {"name": name, "document": n, "grade": grade if dice.random() < right else dice.choice([0, 1, 2])}
            for n, grade in enumerate(truth)
            for name in NAMES
        ]

    append(campaign, rows(0.9))
    assert kinds(campaign) == set()
    append(campaign, rows(0.0))
    assert kinds(campaign) == {("grace", "agreement"), ("alan", "agreement")}
    assert all("Kappa with the others on 80 documents" in said for said in sentences(campaign))
    change_settings(campaign=campaign, flag_agreement=False)
    assert kinds(campaign) == set()


def test_agreement_that_falls_is_flagged(campaign: Campaign) -> None:
    dice = random.Random(4)
    rows = [
        {"name": name, "document": n, "grade": dice.choice([0, 1]) if n >= 100 else n % 2}
        for n in range(200)
        for name in NAMES
    ]
    append(campaign, rows)
    assert ("grace", "agreement") in kinds(campaign)
    assert "fell from 1.00 to" in sentences(campaign)[0]


def test_self_agreement_by_chance_is_flagged(campaign: Campaign) -> None:
    dice = random.Random(5)
    append(campaign, beside_each_other(lambda name, n: dice.choice([0, 1]), count=60))
    for first in campaign.judgments.filter(assessor__username="Small-grace"):
        same = {"campaign": campaign, "topic": first.topic, "document": first.document}
        grade = dice.choice([0, 1])
        Repeat.objects.create(
            first=first, assessor=first.assessor, grade=grade, created=timezone.now(), **same
        )
    assert kinds(campaign) == {("grace", "self")}


def test_grades_far_from_the_others_in_the_same_topics_are_flagged(campaign: Campaign) -> None:
    dice = random.Random(6)

    def grade(name: str, n: int) -> int:
        return dice.choice([2, 2, 2, 0] if name == "grace" else [0, 0, 0, 2])

    append(campaign, beside_each_other(grade))
    assert kinds(campaign) == {("grace", "grades"), ("alan", "grades")}
    said = sentences(campaign)
    assert any("judgments" in one and "of the others’" in one and "p < 0.001" in one for one in said)
    change_settings(campaign=campaign, flag_grades=0.9)
    assert kinds(campaign) == set()


def test_other_topics_and_other_depths_are_no_reason(campaign: Campaign) -> None:
    """Grace judges the rich head of each topic, Alan the poor rest of it; no stretch has both of them."""
    rows = [
        {"name": name, "document": 100 * part + n, "grade": 2 - 2 * part, "topic": topic}
        for topic in ("1", "2")
        for part, name in enumerate(NAMES)
        for n in range(100)
    ]
    append(campaign, rows)
    assert kinds(campaign) == set()


def test_long_documents_judged_unread_are_flagged(campaign: Campaign) -> None:
    dice = random.Random(7)
    rows = beside_each_other(lambda name, n: dice.choice([0, 1, 2]), count=60)
    for row in rows:
        row["seen"] = dice.choice([20, 30, 40, 20, 100]) if row["name"] == "grace" else dice.choice([60, 100])
    append(campaign, rows)
    assert kinds(campaign) == {("grace", "reading")}
    assert "longer than two screens" in sentences(campaign)[0]


def test_imported_judgments_are_no_work_and_no_reason(campaign: Campaign) -> None:
    """A hundred quick, strange judgments: imported, they belong to no person."""
    rows = beside_each_other(lambda name, n: n % 3, count=60)
    append(campaign, rows)
    file = [
        {"name": "grace", "document": 200 + n, "grade": 2, "milliseconds": 100, "seen": 10, "method": ""}
        for n in range(100)
    ]
    append(campaign, file)
    before = kinds(campaign)
    QrelsImport.objects.create(campaign=campaign, first=121, last=220, file="known.qrels")
    campaign.tallies.all().delete()
    assert ("grace", "time") not in kinds(campaign)
    assert kinds(campaign) <= before
    grace = User.objects.get(username="Small-grace").id
    assert acts_by_each(campaign=campaign)[grace].acts == 60
    assert {row.username: row.judged for row in workload_of(campaign=campaign)}["Small-grace"] == 60


def test_a_new_flag_is_mailed_once_to_organisers_who_want_it(campaign: Campaign, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    User.objects.filter(username="Small-ada").update(email="ada@example.org")
    append(campaign, beside_each_other(lambda name, n: n % 3, count=60, milliseconds=200))
    tell_flags()
    tell_flags()
    send_emails()
    [sent] = mail.outbox
    assert (sent.to, sent.subject) == (["ada@example.org"], "Small: look at an assessor’s judgments")
    assert "Small-grace: Median time of 60 judgments" in sent.body
    assert "/campaigns/small/quality/" in sent.body
    append(campaign, [{"name": "grace", "document": 300 + n, "grade": n % 3} for n in range(70)])
    tell_flags()
    send_emails()
    assert len(mail.outbox) == 1
    assert set(QualityFlag.objects.values_list("assessor__username", flat=True)) == {"Small-alan"}


def test_pages_show_flags_and_whose_judgments_do_not_count(campaign: Campaign) -> None:
    append(campaign, beside_each_other(lambda name, n: n % 3, count=60, milliseconds=200))
    update_flags(campaign=campaign)
    ada = signed_in("Small-ada")
    for path in ("people/", "topics/", "quality/", "people/Small-grace/"):
        assert "flag: time" in (page := said_on(ada, path)) or "Median time of 60" in page, path
    assert (
        ada.post("/campaigns/small/quality/", {"act": "exclude", "username": "Small-grace"}).status_code
        == 302
    )
    for path in ("", "runs/", "topics/", "documents/", "exports/", "planner/", "adjudicate/"):
        assert "all judgments of Small-grace" in said_on(ada, path), path
    ada.post("/campaigns/small/quality/", {"act": "include", "username": "Small-grace"})
    assert "Not counted" not in said_on(ada, "runs/")
    assert campaign.exclusions.count() == 0


def said_on(client: Any, path: str) -> str:
    page = client.get(f"/campaigns/small/{path}")
    assert page.status_code == 200
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page.content.decode()))


def test_wrong_forms_are_refused(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    wrong: list[tuple[dict[str, Any], int]] = [
        ({"act": "exclude", "username": "nobody"}, 404),
        ({"act": "exclude", "username": "Small-grace", "topics": "99"}, 404),
        ({"act": "exclude", "username": "Small-grace", "topics": "1\0"}, 404),
        ({"act": "thresholds", "flag_judgments": "-1"}, 400),
        ({"act": "sing"}, 400),
    ]
    for form, status in wrong:
        assert ada.post("/campaigns/small/quality/", form).status_code == status, form
    assert ada.post("/campaigns/small/quality/", {"act": "include", "username": "\0"}).status_code == 302


def test_training_files_keep_to_the_sites_limit(campaign: Campaign, settings: Settings) -> None:
    settings.MAX_UNPACKED_BYTES = 20
    ada = signed_in("Small-ada")
    file = SimpleUploadedFile("long.txt", b"1 0 a 1\n" * 10)
    reply = ada.post("/campaigns/small/training/", {"act": "upload", "file": file})
    assert reply.status_code == 400
    assert "larger than 20 bytes" in reply.content.decode()


def test_an_archived_campaign_is_not_looked_at(campaign: Campaign, settings: Settings) -> None:
    append(campaign, beside_each_other(lambda name, n: n % 3, count=60, milliseconds=200))
    Campaign.objects.update(archived_at=timezone.now())
    tell_flags()
    assert not QualityFlag.objects.exists()
