"""Imported judgments are nobody’s work: they change no figure of people, and take no topic from anybody."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.computing.health import assessors_now
from campaigns.computing.tasks import recompute
from campaigns.due_dates.work_left import work_left
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.qrels import read_qrels
from campaigns.judging.overlap_and_repeats import overlap_and_repeat_queue, waiting_for, waiting_of
from campaigns.judging.progress import history, progress_of
from campaigns.judging.situation import admission_of
from campaigns.log.activity import acts_by_each, grades_by_each
from campaigns.log.current import grades_of
from campaigns.log.overlap import count_overlapping, count_undecided
from campaigns.log.tallies import judged_by_each
from campaigns.models import Campaign, Membership
from campaigns.notifications.notices import email_progress
from campaigns.people.workload import assessor_details, days_of, workload_of
from campaigns.quality.agreement import agreement_of
from campaigns.quality.exclusions import exclude
from campaigns.quality.flags import found_flags
from campaigns.results.document_judgments import document_of, judged_documents, topics_of_document
from campaigns.results.policy_effects import policy_effects
from campaigns.results.score_ranges import first_judgment, score_ranges_of
from campaigns.setup.campaigns import change_settings
from campaigns.topic_offers.offers import offers, standings
from campaigns.topic_order.releases import set_order
from tests.campaigns.factories import Api, add_run, make_campaign, signed_in
from tests.campaigns.quality.dispute_list import disputes_of

pytestmark = pytest.mark.django_db

PEOPLE = ("ada", "grace", "alan")
# Judged by nobody, by one, by two alike and by two who differ; and with other grades than theirs.
FILE = b"1 0 a 1\n1 0 b 0\n1 0 c 1\n1 0 e 0\n1 0 f 1\n2 0 l 1\n2 0 n 0\n"


def import_qrels(campaign: Campaign, text: bytes = FILE) -> None:
    organiser = User.objects.get(username=f"{campaign.name}-ada")
    parsed = read_qrels(io.BytesIO(text), "known.qrels")
    store_qrels(campaign=campaign, user=organiser, parsed=parsed, file="known.qrels")
    recompute(campaign.id)


def judged_by_people() -> Campaign:
    campaign = make_campaign(overlap_share=1.0, overlap_assessors=2, repeat_share=0.5, flag_judgments=1)
    for name, acts in {
        "grace": {"a": 0, "b": 0, "c": 1, "d": 0},
        "alan": {"a": 0, "b": 1, "d": 0},
        "ada": {"g": 1, "a": 0},
    }.items():
        for docno, grade in acts.items():
            assert Api(campaign, f"{campaign.name}-{name}").judge("1", docno, grade).status_code == 201
    recompute(campaign.id)
    return campaign


def figures_of_people(campaign: Campaign) -> dict[str, Any]:
    """Everything that counts, times or compares what people did."""
    campaign = Campaign.objects.get(id=campaign.id)
    users = [User.objects.get(username=f"{campaign.name}-{name}") for name in PEOPLE]
    found: dict[str, Any] = {
        "acts": acts_by_each(campaign=campaign),
        "judged": {pair: counts for pair, counts in judged_by_each(campaign=campaign).items() if any(counts)},
        "grades": sorted(map(str, grades_by_each(campaign=campaign))),
        "workload": workload_of(campaign=campaign),
        "days": days_of(campaign=campaign),
        "left": work_left(campaign=campaign),
        "agreement": agreement_of(campaign=campaign),
        "overlap": (count_overlapping(campaign=campaign), count_undecided(campaign=campaign)),
        "disputes": disputes_of(campaign),
        "waiting": waiting_of(campaign=campaign),
        "flags": found_flags(campaign=campaign),
        "now": assessors_now(campaign=campaign),
        "began": first_judgment(campaign=campaign),
        "late": [row.late for row in score_ranges_of(campaign=campaign)],
    }
    for user in users:
        own: dict[str, Any] = {"assessor": user.id}
        topics = list(campaign.topics.all())
        found[user.username] = {
            "details": assessor_details(campaign=campaign, user=user),
            "standing": [
                (row.number, row.judged, row.begun, row.others, row.owed)
                for row in standings(user=user.id, campaigns=[campaign])
            ],
            "waiting": waiting_for(campaigns=[campaign], **own),
            "progress": [progress_of(campaign=campaign, topic=topic.id, **own) for topic in topics],
            "history": [history(topic=topic, limit=99, **own) for topic in topics],
            "admission": [admission_of(topic=topic.id, **own) for topic in topics],
            "served": [
                overlap_and_repeat_queue(campaign=campaign, topic=topic.id, method="", **own).documents
                for topic in topics
            ],
            "log": Api(campaign, f"{campaign.name}-ada").get("judgments/", assessor=user.username).json(),
            **{path: page_of(campaign, user.username, path) for path in pages_of(campaign, user.username)},
        }
    return found


def pages_of(campaign: Campaign, username: str) -> list[str]:
    own = [f"/judge/{campaign.slug}/", f"/judge/{campaign.slug}/work"]
    paths = ["people/", "adjudicate/", *(f"people/{campaign.name}-{name}/" for name in PEOPLE)]
    return [*own, *(f"/campaigns/{campaign.slug}/{path}" for path in paths if username.endswith("ada"))]


def page_of(campaign: Campaign, username: str, path: str) -> str:
    page = signed_in(username).get(path)
    assert page.status_code == 200, path
    [main] = re.findall(r"<main.*</main>", page.content.decode(), re.DOTALL)
    # Forms' tokens and ids are new each time, and times go on.
    return re.sub(r'value="[\w-]{36,}"|<time.*?</time>|\d+ seconds?', "", main)


def test_imports_change_no_figure_of_people() -> None:
    campaign = judged_by_people()
    before = figures_of_people(campaign)
    assert before["agreement"].documents
    assert before["disputes"]
    import_qrels(campaign)
    after = figures_of_people(campaign)
    for name in before:
        assert after[name] == before[name], name
    # But its documents are judged, with the file's grades.
    judged = {row.docno: row.grade for row in judged_documents(campaign=campaign).rows}
    assert judged == {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0, "f": 1, "g": 1, "l": 1, "n": 0}


def test_an_organiser_judges_on_in_every_topic_after_an_import() -> None:
    campaign = make_campaign()
    import_qrels(campaign)
    for name in PEOPLE:
        user = User.objects.get(username=f"{campaign.name}-{name}")
        mine = standings(user=user.id, campaigns=[campaign])
        assert [(row.judged, row.begun, row.others, row.finished) for row in mine] == 2 * [(0, *3 * [False])]
        offered = offers(mine, seed="")
        assert (offered.own, len(offered.drawn), offered.next_in_order is not None) == (0, 2, True)
        entrance = page_of(campaign, user.username, f"/judge/{campaign.slug}/")
        assert "no other topics" not in entrance
        assert "others are judging it too" not in entrance
    ada = Api(campaign, f"{campaign.name}-ada")
    for topic, left in {"1": set("dghij"), "2": set("km")}.items():
        shown = ada.get("next/", topic=topic).json()["document"]
        while shown:
            left.remove(shown["docno"])
            answer = ada.judge(topic, shown["docno"], 1).json()
            shown = answer["next"]
        assert not left


def test_imports_begin_no_topic_and_no_judging() -> None:
    campaign = make_campaign()
    import_qrels(campaign)
    assert first_judgment(campaign=campaign) is None
    add_run(campaign, "w", {"1": ["a", "h"]})
    set_order(campaign=campaign, method="hand")
    assert not campaign.topics.filter(release="released").exists()
    assert "not released" in str(admission_of(topic=campaign.topics.earliest("id").id, assessor=1).refusal)
    Api(campaign, f"{campaign.name}-grace").judge("1", "j", 0)
    assert not any(row.late for row in score_ranges_of(campaign=campaign))


def test_imports_are_in_no_email_of_progress(mailoutbox: list[Any]) -> None:
    campaign = make_campaign()
    Membership.objects.filter(campaign=campaign).update(progress_mail=True)
    User.objects.filter(username=f"{campaign.name}-ada").update(email="ada@example.org")
    import_qrels(campaign)
    assert email_progress(day=timezone.now().date()) == 0
    Api(campaign, f"{campaign.name}-grace").judge("1", "j", 0)
    assert email_progress(day=timezone.now().date()) == 1


def test_pages_name_the_file_of_an_imported_judgment() -> None:
    campaign = judged_by_people()
    import_qrels(campaign)
    ada = f"{campaign.name}-ada"
    root = f"/campaigns/{campaign.slug}/"
    assert "imported from known.qrels" in page_of(campaign, ada, f"{root}document/?docno=f&all")
    assert "imported from known.qrels" in page_of(campaign, ada, f"{root}topics/1/why/?docno=f")
    rows = {row.docno: row for row in judged_documents(campaign=campaign).rows}
    assert (rows["f"].sources, rows["f"].disputed) == (["imported"], False)
    # One assessor and a file differ; two assessors do.
    assert (rows["c"].disputed, rows["a"].disputed, rows["b"].disputed) == (False, False, True)
    document = document_of(campaign=campaign, docno="f")
    assert document is not None
    [here] = topics_of_document(campaign=campaign, document=document, labels={})
    assert [act.assessor.username for act, _ in here.acts] == [ada]


def test_excluding_the_organiser_keeps_what_they_imported() -> None:
    campaign = judged_by_people()
    import_qrels(campaign)
    exclude(campaign=campaign, username=f"{campaign.name}-ada")
    campaign.refresh_from_db()
    change_settings(campaign=campaign, policy="mean")
    topic = campaign.topics.get(number="2").id
    assert len(grades_of(campaign=campaign)[topic]) == 2
    assert policy_effects(campaign=campaign)
