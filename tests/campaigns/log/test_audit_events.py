"""Every act leaves its line: whatever address takes a POST is tried, and what it leaves is looked at."""

from __future__ import annotations

import io
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern
from django.utils import timezone

from assess.urls import urlpatterns as assessing
from campaigns.core.actors import COMMAND_LINE, acting_as
from campaigns.log.audit import note
from campaigns.models import Campaign, Deed, LogHead, Submission
from campaigns.pages.urls import urlpatterns as pages
from campaigns.participants import rules
from campaigns.people.teams import ensure_team, join_team
from campaigns.quality import training
from campaigns.setup import campaigns as services
from campaigns.setup.archive import archive
from campaigns.setup.examples import add_examples
from campaigns.topic_order import releases
from tests.campaigns.api.addresses import API_ADDRESSES as api
from tests.campaigns.api.test_archives import archived
from tests.campaigns.factories import Api, make_campaign, make_user, run_text, signed_in
from tests.campaigns.participants.team_campaigns import handed_in

pytestmark = pytest.mark.django_db

JSON = "application/json"
Try = Callable[["Tried"], Any]


class Tried:
    """A campaign with something of everything, an organiser and an assessor to try an act with."""

    def __init__(self) -> None:
        self.campaign = make_campaign("Small", min_judgments=1)
        for docno, grade in {"a": 2, "b": 0}.items():
            training.add_item(campaign=self.campaign, topic="1", docno=docno, grade=grade, reason="it is so")
        self.ada, self.grace = Api(self.campaign, "Small-ada"), Api(self.campaign, "Small-grace")
        self.run = self.campaign.runs.get(tag="z").id
        self.items = list(self.campaign.training_items.values_list("id", flat=True))
        self.examples = [
            row.id for row in add_examples(campaign=self.campaign, docnos=["a", "b"], grade=1, reason="so")
        ]

    def page(self, path: str, **form: Any) -> Any:
        return self.ada.client.post(f"/campaigns/small/{path}", form)

    def file(self, content: bytes, name: str) -> io.BytesIO:
        file = io.BytesIO(content)
        file.name = name
        return file

    def patch(self, path: str, **body: Any) -> Any:
        return self.ada.client.patch(self.ada.root + path, body, content_type=JSON)

    def given(self) -> Tried:
        assert self.ada.post("topics/1/assignments/", {"username": "Small-grace"}).status_code == 201
        return self

    def begun(self) -> Tried:
        """An assessor with an address has work left."""
        User.objects.filter(username="Small-grace").update(email="grace@example.org")
        return self.given()

    def closed(self) -> Tried:
        assert self.ada.post("topics/1/close/").status_code == 200
        return self

    def ordered(self) -> Tried:
        """Both topics wait."""
        releases.set_order(campaign=self.campaign, method="hand")
        return self

    def held(self) -> Tried:
        releases.hold(campaign=self.ordered().campaign, number="2")
        return self

    def emailed(self) -> Tried:
        User.objects.filter(username="Small-ada").update(email="ada@example.org")
        return self

    def paused(self) -> Tried:
        services.pause(campaign=self.campaign)
        return self

    def archived(self) -> Tried:
        archive(campaign=self.paused().campaign)
        return self

    def invited(self) -> int:
        reply = self.ada.post("invitations/", {"role": "assessor", "address": "new@example.org"})
        assert reply.status_code == 201
        return int(reply.json()["id"])

    def engine(self) -> int:
        return int(self.ada.post("engines/", ENGINE).json()["id"])

    def query(self) -> tuple[int, int]:
        """A connection and its configuration."""
        engine = self.engine()
        return engine, int(self.ada.post(f"engines/{engine}/configurations/", QUERY).json()["id"])

    def pull(self) -> int:
        return int(self.ada.post(f"configurations/{self.query()[1]}/pulls/", {}).json()["id"])

    def paused_pull(self) -> int:
        pull = self.pull()
        assert self.ada.post(f"pulls/{pull}/pause/").status_code == 200
        return pull

    def question(self) -> dict[str, str]:
        return {"key": str(uuid.uuid4()), "topic": "1", "docno": "a", "text": "does it count?"}

    def asked(self) -> int:
        reply = self.grace.post("questions/", self.question())
        assert reply.status_code == 201
        return int(reply.json()["id"])

    def revoked(self) -> int:
        id = self.invited()
        assert self.ada.client.delete(f"{self.ada.root}invitations/{id}/").status_code == 204
        return id

    def team(self, *people: str) -> int:
        team = ensure_team(campaign=self.campaign, name="Delft")
        for name in people:
            join_team(team=team, user=make_user(name))
        return team.id

    def submission(self) -> int:
        """One that stands, of carl's team, before the deadline."""
        if (row := Submission.objects.first()) is None:
            self.team("carl")
            later = timezone.now() + timedelta(hours=1)
            rules.set_rules(campaign=self.campaign, deadline=later, most_runs=2)
            row = handed_in(self.campaign.teams.get(), "c")
        return row.id

    def submitted(self) -> int:
        id = self.submission()
        rules.set_rules(campaign=self.campaign, deadline=rules.database_time())
        return id

    def carl(self, submission: int = 0) -> Client:
        """A participant, who has handed in `submission`, or nothing yet."""
        if not submission:
            self.submission()
            Submission.objects.all().delete()
        return signed_in("carl")

    def hook(self) -> int:
        reply = self.ada.post("webhooks/", HOOK)
        assert reply.status_code == 201
        return int(reply.json()["id"])

    def copied(self) -> Any:
        reply = self.ada.client.get("/campaigns/small/exports/bundle/")
        bundle = self.file(b"".join(reply), "small.bundle.zip")
        return self.ada.client.post("/campaigns/new/bundle/", {"file": bundle, "slug": "copy"})

    def excluded(self) -> Tried:
        assert self.ada.post("exclusions/", {"username": "Small-grace"}).status_code == 200
        return self

    def answer_all(self) -> Any:
        for item in self.items:
            wish = {"id": str(uuid.uuid4()), "item": item, "attempt": 1, "grade": 2}
            reply = self.grace.post("training/", wish)
        return reply


TOPIC_LINE = b"3\twhat is new\n"
RUN = run_text("late", {"1": ["a", "b"]})
TRAINED = b"1\tc\t1\tit is so\n"

FLAG_THRESHOLDS = {"flag_judgments": 9, "flag_seconds": 2, "flag_grades": 0, "flag_unread": 0.4}
NEW = {"name": "Other"}
ENGINE = {"name": "Products", "kind": "json", "url": "https://search.example.org", "scheme": "none"}
QUERY: dict[str, Any] = {
    "name": "BM25",
    "path": "/",
    "depth": 5,
    "template": {"q": "{{topic.title}}"},
    "mapping": {"hits": "hits", "id": "id", "title": "title"},
}
TYPED_QUERY = {
    "act": "save",
    "query": "BM25",
    "path": "/",
    "depth": "5",
    "template": '{"q": "{{topic.title}}"}',
    "mapping": '{"hits": "hits", "id": "id", "title": "title"}',
}
HOOK = {"url": "https://hooks.example.org/assess?key=secret", "events": ["topic.closed"]}
CHANGED = "webhook changed"
# Address → (what to do there, what is noted).
ACTS: dict[str, list[tuple[Try, str]]] = {
    "page new": [(lambda t: t.ada.client.post("/campaigns/new/", NEW), "created")],
    "page copy": [(lambda t: t.page("copy/", name="Other"), "settings copied")],
    "page new-from-bundle": [(lambda t: t.copied(), "bundle imported")],
    "page bundle": [(lambda t: t.ada.client.get("/campaigns/small/exports/bundle/"), "exported")],
    "page source": [(lambda t: t.page("source/", url_template="https://x.org/{docno}"), "source")],
    "page move": [
        (lambda t: t.page("move/", to="pause"), "paused"),
        (lambda t: t.page("move/", to="close"), "closed"),
        (lambda t: t.paused().page("move/", to="open"), "opened"),
        (lambda t: t.paused().page("move/", to="archive"), "archived"),
        (lambda t: t.archived().page("move/", to="unarchive"), "unarchived"),
    ],
    "page remove-run": [(lambda t: t.page(f"runs/{t.run}/remove/"), "run removed")],
    "page runs": [
        (lambda t: t.page("runs/", act="withdraw", run=t.run), "run withdrawn"),
        (lambda t: t.page("runs/", act="only_score", run=t.run), "run contributes"),
    ],
    "page run": [
        (lambda t: t.page(f"runs/{t.run}/", act="withdraw"), "run withdrawn"),
        (lambda t: t.page(f"runs/{t.run}/", act="only_score"), "run contributes"),
        (lambda t: t.page(f"runs/{t.run}/", act="group", group="uni"), "run group"),
        (
            lambda t: t.page(f"runs/{t.run}/", act="withdraw") and t.page(f"runs/{t.run}/", act="bring_back"),
            "run brought back",
        ),
    ],
    "page setup-save": [(lambda t: t.page("setup/save/judging/", min_judgments=10), "settings")],
    "page drop-documents": [
        (
            lambda t: (
                t.campaign.training_items.all().delete(),
                t.campaign.guideline_examples.all().delete(),
                t.ada.upload("collection/", b'{"docno": "a", "body": "x"}\n', "d.jsonl"),
                t.page("setup/drop-documents/"),
            )[-1],
            "documents removed",
        )
    ],
    "page drop-topics": [
        (
            lambda t: (t.ada.upload("topics/", TOPIC_LINE, "t.tsv"), t.page("setup/drop-topics/", topic="3"))[
                1
            ],
            "topics removed",
        )
    ],
    "page examples": [
        (
            lambda t: t.page("examples/", act="add", topic="1", docno="c", grade="1", reason="so"),
            "example added",
        ),
        (
            lambda t: t.page("examples/", act="change", example=t.examples[0], grade="2", reason="so"),
            "example changed",
        ),
        (lambda t: t.page("examples/", act="down", example=t.examples[0]), "example moved"),
        (lambda t: t.page("examples/", act="remove", example=t.examples[0]), "example removed"),
    ],
    "page training": [
        (
            lambda t: t.page("training/", act="add", topic="1", docno="c", grade="1", reason="so"),
            "training added",
        ),
        (
            lambda t: t.page("training/", act="upload", file=t.file(TRAINED, "items.tsv")),
            "training added",
        ),
        (lambda t: t.page("training/", act="remove", item=t.items[0]), "training removed"),
        (lambda t: t.page("training/", act="down", item=t.items[0]), "training moved"),
    ],
    "page assign": [
        (lambda t: t.page("assign/", assign="", topic="1", username="Small-grace"), "assigned"),
        (lambda t: t.page("assign/", deal=""), "dealt"),
        (lambda t: t.given().page("assign/", take_back="1 Small-grace"), "taken back"),
        (lambda t: t.page("assign/", close="1"), "topic closed"),
        (lambda t: t.closed().page("assign/", reopen="1"), "topic reopened"),
    ],
    "page topic-order": [
        (lambda t: t.page("topics/order/", method="hand", ahead="0"), "topic order"),
        (lambda t: t.ordered().page("topics/order/", release="2"), "topic released"),
        (lambda t: t.ordered().page("topics/order/", hold="2"), "topic held"),
        (lambda t: t.held().page("topics/order/", requeue="2"), "topic requeued"),
        (lambda t: t.ordered().page("topics/order/", move="yes", topic="2", place="1"), "topic moved"),
    ],
    "page topics": [(lambda t: t.page("topics/", topic=["1", "2"], method="A"), "topic method")],
    "page topic": [(lambda t: t.page("topics/1/", method="A"), "topic method")],
    "page people": [
        (lambda t: t.page("people/", act="add", username="Small-grace", role="organiser"), "role"),
        (lambda t: t.page("people/", act="create", username="new", role="assessor"), "role"),
        (lambda t: t.page("people/", act="remove", username="Small-grace"), "role removed"),
        (lambda t: t.page("people/", act="reset", username="Small-grace"), "reset link"),
        (lambda t: t.page("people/", act="pause_selected", person="Small-grace"), "person paused"),
        (
            lambda t: t.begun().page("people/", act="remind_selected", person="Small-grace"),
            "person reminded",
        ),
    ],
    "page invitations": [
        (lambda t: t.page("invitations/", act="send", text="new@example.org"), "invited"),
        (lambda t: t.page("invitations/", act="link", capacity=2), "invited"),
        (lambda t: t.page("invitations/", act="remind", invitation=t.invited()), "invitation reminded"),
        (lambda t: t.page("invitations/", act="revoke", invitation=t.invited()), "invitation revoked"),
        (lambda t: t.page("invitations/", act="restore", invitation=t.revoked()), "invitation restored"),
    ],
    "page teams": [
        (lambda t: t.page("teams/", act="rules", deadline="2040-01-01T12:00", most_runs=2), "hand-in rules"),
        (lambda t: t.page("teams/", act="close"), "hand-in rules"),
        (lambda t: t.page("teams/", act="invite", team="Delft"), "invited"),
        (lambda t: t.page("teams/", act="release"), "scores released"),
        (lambda t: t.page("teams/", act="release") and t.page("teams/", act="withhold"), "scores withheld"),
        (lambda t: t.page("teams/", act="publish", leaderboard="public"), "leaderboard published"),
        (
            lambda t: (
                t.page("teams/", act="publish", leaderboard="public")
                and t.page("teams/", act="publish", leaderboard="none")
            ),
            "leaderboard withdrawn",
        ),
        (lambda t: t.page("teams/", act="remove_team", team=t.team()), "team removed"),
        (
            lambda t: t.page("teams/", act="remove_member", team=t.team("carl"), username="carl"),
            "team left",
        ),
        (lambda t: t.page("teams/", act="admit", submission=t.submitted()), "runs"),
    ],
    "page team": [
        (
            lambda t: t.carl().post(
                "/campaigns/small/team/", {"act": "hand_in", "priority": 1, "file": t.file(RUN, "c.run")}
            ),
            "run handed in",
        ),
        (
            lambda t: t.carl(t.submission()).post(
                "/campaigns/small/team/",
                {"act": "change", "submission": t.submission(), "priority": 1, "description": "BM25"},
            ),
            "submission changed",
        ),
        (
            lambda t: t.carl(t.submission()).post(
                "/campaigns/small/team/", {"act": "withdraw", "submission": t.submission()}
            ),
            "submission withdrawn",
        ),
    ],
    "api team-runs": [
        (
            lambda t: t.carl().post(
                f"{t.ada.root}team/runs/", {"priority": "1", "file": t.file(RUN, "c.run")}
            ),
            "run handed in",
        )
    ],
    "api admission": [
        (lambda t: t.ada.post("submissions/admission/", {"submissions": [t.submitted()]}), "runs")
    ],
    "api hand-in": [
        (lambda t: t.patch("hand-in/", most_runs=2), "hand-in rules"),
        (lambda t: t.patch("hand-in/", scores_released=True), "scores released"),
        (lambda t: t.patch("hand-in/", leaderboard="public"), "leaderboard published"),
    ],
    "api team-detail": [(lambda t: t.ada.client.delete(f"{t.ada.root}teams/{t.team()}/"), "team removed")],
    "api team-person": [
        (lambda t: t.ada.client.delete(f"{t.ada.root}teams/{t.team('carl')}/members/carl/"), "team left")
    ],
    "page export": [(lambda t: t.ada.client.get("/campaigns/small/exports/qrels/"), "exported")],
    "page history-export": [(lambda t: t.ada.client.get("/campaigns/small/history/csv/"), "exported")],
    "page mails": [(lambda t: t.emailed().page("mails/", progress="on"), "mails")],
    "api campaigns": [
        (
            lambda t: t.ada.client.post("/api/v1/campaigns/", {"name": "Other"}, content_type=JSON),
            "created",
        )
    ],
    "api campaign": [
        (lambda t: t.patch("", p=0.5), "settings"),
        (lambda t: t.patch("", url_template="https://x.org/{docno}"), "source"),
    ],
    "api open": [(lambda t: t.paused().ada.post("open/"), "opened")],
    "api pause": [(lambda t: t.ada.post("pause/"), "paused")],
    "api close": [(lambda t: t.ada.post("close/"), "closed")],
    "api copy": [(lambda t: t.ada.post("copy/", {"name": "Other"}), "settings copied")],
    "api archive": [(lambda t: t.paused().ada.post("archive/"), "archived")],
    "api unarchive": [(lambda t: t.archived().ada.post("unarchive/"), "unarchived")],
    "api collection": [
        (lambda t: t.ada.upload("collection/", b'{"docno": "a", "body": "x"}\n', "d.jsonl"), "documents")
    ],
    "api invitations": [(lambda t: t.ada.post("invitations/", {"role": "assessor"}), "invited")],
    "api invitation-list": [(lambda t: t.ada.post("invitations/list/", {"text": "new@x.org"}), "invited")],
    "api invitation-acts": [
        (
            lambda t: t.ada.post("invitations/acts/", {"act": "revoke", "invitations": [t.invited()]}),
            "invitation revoked",
        )
    ],
    "api topics": [(lambda t: t.ada.upload("topics/", TOPIC_LINE, "t.tsv"), "topics")],
    "api revisions": [
        (
            lambda t: t.grace.post(
                "topics/1/revisions/", {"description": "news", "narrative": "", "based_on": 1}
            ),
            "topic developed",
        )
    ],
    "api assignments": [
        (lambda t: t.ada.post("topics/1/assignments/", {"username": "Small-grace"}), "assigned"),
        (
            lambda t: t.given().ada.client.delete(t.ada.root + "topics/1/assignments/?username=Small-grace"),
            "taken back",
        ),
    ],
    "api close-topic": [
        (
            lambda t: t.ada.post("topics/1/close/"),
            "topic closed",
        )
    ],
    "api done": [
        (lambda t: t.grace.judge("1", "a", 1) and t.grace.post("topics/1/done/"), "topic done"),
        (
            lambda t: (
                t.grace.judge("1", "a", 1)
                and t.grace.post("topics/1/done/")
                and t.grace.client.delete(t.grace.root + "topics/1/done/")
            ),
            "topic resumed",
        ),
    ],
    "api reopen-topic": [(lambda t: t.closed().ada.post("topics/1/reopen/"), "topic reopened")],
    "api topic-order": [
        (lambda t: t.patch("topics/order/", method="adaptive"), "topic order"),
        (lambda t: t.ordered().ada.post("topics/order/", {"topic": "2", "act": "release"}), "topic released"),
        (lambda t: t.ordered().ada.post("topics/order/", {"topic": "2", "act": "hold"}), "topic held"),
        (lambda t: t.held().ada.post("topics/order/", {"topic": "2", "act": "requeue"}), "topic requeued"),
        (
            lambda t: t.ordered().ada.post("topics/order/", {"topic": "2", "act": "move", "place": 1}),
            "topic moved",
        ),
    ],
    "api topic": [(lambda t: t.patch("topics/1/", method="A"), "topic method")],
    "api deal": [(lambda t: t.ada.post("deal/"), "dealt")],
    "api training": [(lambda t: t.answer_all(), "trained")],
    "api examples": [
        (lambda t: t.ada.post("examples/", {"docno": "c", "grade": 1, "reason": "so"}), "example added")
    ],
    "api example": [
        (lambda t: t.patch(f"examples/{t.examples[0]}/", topic="1"), "example changed"),
        (lambda t: t.ada.post(f"examples/{t.examples[0]}/", {"by": 1}), "example moved"),
        (
            lambda t: t.ada.client.delete(f"{t.ada.root}examples/{t.examples[0]}/"),
            "example removed",
        ),
    ],
    "api training-items": [
        (
            lambda t: t.ada.post("training/items/", {"topic": "1", "docno": "c", "grade": 1, "reason": "so"}),
            "training added",
        ),
        (lambda t: t.ada.upload("training/items/", TRAINED, "items.tsv"), "training added"),
    ],
    "api training-item": [
        (lambda t: t.ada.post(f"training/items/{t.items[0]}/", {"by": 1}), "training moved"),
        (
            lambda t: t.ada.client.delete(f"{t.ada.root}training/items/{t.items[0]}/"),
            "training removed",
        ),
    ],
    "api files": [(lambda t: t.ada.upload("files/", archived({"r": RUN}), "late.zip"), "runs")],
    "api runs": [(lambda t: t.ada.upload("runs/", RUN, "late.run"), "runs")],
    "api qrels": [
        (lambda t: t.ada.upload("qrels/", b"1 0 a 1\n", "q.txt"), "qrels"),
        (lambda t: t.ada.get("qrels/"), "exported"),
    ],
    "api prels": [(lambda t: t.ada.get("prels/"), "exported")],
    "page quality": [
        (lambda t: t.page("quality/", act="exclude", username="Small-grace"), "excluded"),
        (lambda t: t.excluded().page("quality/", act="include", username="Small-grace"), "included"),
        (
            lambda t: t.page("quality/", act="exclude", username="Small-grace", topics="1", to="Small-alan"),
            "assigned",
        ),
        (lambda t: t.page("quality/", act="thresholds", **FLAG_THRESHOLDS), "settings"),
    ],
    "page questions": [
        (lambda t: t.page("questions/", question=t.asked(), answer="yes"), "question answered")
    ],
    "api questions": [(lambda t: t.grace.post("questions/", t.question()), "question asked")],
    "api answer-question": [
        (lambda t: t.ada.post(f"questions/{t.asked()}/answer/", {"answer": "yes"}), "question answered")
    ],
    "api exclusions": [
        (lambda t: t.ada.post("exclusions/", {"username": "Small-grace"}), "excluded"),
        (
            lambda t: t.excluded().ada.client.delete(f"{t.ada.root}exclusions/?username=Small-grace"),
            "included",
        ),
    ],
    "page webhooks": [(lambda t: t.page("webhooks/", **HOOK), "webhook added")],
    "page webhook": [
        (
            lambda t: t.page(f"webhooks/{t.hook()}/", act="change", **{**HOOK, "events": ["judgments"]}),
            CHANGED,
        ),
        (lambda t: t.page(f"webhooks/{t.hook()}/", act="off"), CHANGED),
        (lambda t: t.page(f"webhooks/{t.hook()}/", act="secret"), "webhook secret"),
        (lambda t: t.page(f"webhooks/{t.hook()}/", act="remove"), "webhook removed"),
    ],
    "api webhooks": [(lambda t: t.ada.post("webhooks/", HOOK), "webhook added")],
    "api webhook": [
        (lambda t: t.patch(f"webhooks/{t.hook()}/", active=False), CHANGED),
        (lambda t: t.ada.client.delete(f"{t.ada.root}webhooks/{t.hook()}/"), "webhook removed"),
    ],
    "api webhook-secret": [(lambda t: t.ada.post(f"webhooks/{t.hook()}/secret/"), "webhook secret")],
    "page engines": [
        (lambda t: t.page("engines/", act="add", **ENGINE), "engine added"),
        (lambda t: t.page("engines/", act="pause", pull=t.pull()), "pull paused"),
        (lambda t: t.page("engines/", act="resume", pull=t.paused_pull()), "pull resumed"),
        (lambda t: t.page("engines/", act="remove", pull=t.paused_pull()), "pull removed"),
    ],
    "page engine": [
        (
            lambda t: t.page(f"engines/{t.engine()}/", act="change", **{**ENGINE, "name": "News"}),
            "engine changed",
        ),
        (lambda t: t.page(f"engines/{t.engine()}/", act="remove"), "engine removed"),
        (
            lambda t: t.ada.client.post(f"/campaigns/small/engines/{t.engine()}/", TYPED_QUERY),
            "query saved",
        ),
        (
            lambda t: t.page(f"engines/{(query := t.query())[0]}/", act="pull", configuration=query[1]),
            "pull started",
        ),
    ],
    "api engines": [(lambda t: t.ada.post("engines/", ENGINE), "engine added")],
    "api engine": [
        (lambda t: t.patch(f"engines/{t.engine()}/", rate=2.0), "engine changed"),
        (lambda t: t.ada.client.delete(f"{t.ada.root}engines/{t.engine()}/"), "engine removed"),
    ],
    "api engine-configurations": [
        (lambda t: t.ada.post(f"engines/{t.engine()}/configurations/", QUERY), "query saved")
    ],
    "api start-pull": [(lambda t: t.ada.post(f"configurations/{t.query()[1]}/pulls/", {}), "pull started")],
    "api pause-pull": [(lambda t: t.ada.post(f"pulls/{t.pull()}/pause/"), "pull paused")],
    "api resume-pull": [(lambda t: t.ada.post(f"pulls/{t.paused_pull()}/resume/"), "pull resumed")],
    "api pull": [(lambda t: t.ada.client.delete(f"{t.ada.root}pulls/{t.paused_pull()}/"), "pull removed")],
    "judge develop": [
        (
            lambda t: t.grace.client.post(
                "/judge/small/1/develop", {"description": "news", "narrative": "", "based_on": 1}
            ),
            "topic developed",
        )
    ],
}
# Judgments, decisions among them, are a log of their own; what an assessor has open or set aside is gone with
# the next judgment. Where an organiser is in the set-up, or what they plan, changes nothing of the campaign.
ELSEWHERE = {
    *("api judgments", "api claims", "api later", "api ahead", "api search", "api annotations"),
    "judge search",
    # They note an assignment (tests/campaigns/topic_offers).
    *("api draw", "judge draw"),
    # A test, and what is sent once more, stand in the webhook's own log.
    *("api webhook-ping", "api redeliver"),
    *("page adjudicate", "page setup-at", "page planner"),
    # A replay changes nothing of the campaign; the Lab belongs to a person and to no campaign.
    *("page counterfactual", "api lab-collections", "api lab-jobs"),
    # Nothing is stored.
    *("api recognition", "api engine-preview"),
    # The worker notes what it has loaded (tests/datasets).
    "page dataset",
    # The history goes with the campaign; the site's log has a line.
    "page delete",
}


def addresses() -> dict[str, URLPattern]:
    rooms = {"page": pages, "api": api, "judge": assessing}
    return {f"{room} {one.name}": one for room, patterns in rooms.items() for one in patterns}


def answers_post(place: str, pattern: URLPattern, client: Client) -> bool:
    prefix = {"page": "/campaigns/", "api": "/api/v1/", "judge": "/judge/"}[place.split()[0]]
    known = {"slug": "small", "number": "1", "docno": "a", "part": "runs"}
    path = re.sub(r"<\w+:(\w+)>", lambda found: known.get(found[1], "1"), prefix + str(pattern.pattern))
    return client.post(path).status_code != 405


def test_no_address_that_takes_a_post_is_left_out() -> None:
    campaign = make_campaign("Small")
    join_team(team=ensure_team(campaign=campaign, name="Delft"), user=make_user("carl"))
    organiser, participant = signed_in("Small-ada"), signed_in("carl")
    taking = {
        place
        for place, pattern in addresses().items()
        if answers_post(place, pattern, participant if "/team/" in str(pattern.pattern) else organiser)
    }
    assert taking
    assert taking - set(ACTS) - ELSEWHERE == set()


TRIALS = [(place, act, kind) for place, acts in ACTS.items() for act, kind in acts]


@pytest.mark.parametrize(("place", "act", "kind"), TRIALS, ids=[f"{p}: {k}" for p, _, k in TRIALS])
def test_the_act_is_noted(place: str, act: Try, kind: str) -> None:
    assert place in addresses()
    tried = Tried()
    reply = act(tried)
    assert reply.status_code < 400, reply.content
    deed = Deed.objects.latest("id")
    assert deed.kind == kind
    assert deed.actor is not None
    assert deed.actor_name == deed.actor.get_username() == reply.wsgi_request.user.get_username()


def test_settings_are_noted_old_and_new() -> None:
    tried = Tried()
    tried.grace.judge("1", "a", 1)
    assert tried.patch("", p=0.95, budget=100, name="Small").status_code == 200
    deed = Deed.objects.latest("id")
    assert deed.detail == {"changes": {"p": [0.8, 0.95], "budget": [None, 100]}}
    assert deed.after == LogHead.objects.get(campaign=tried.campaign).length == 1


def test_what_changes_nothing_or_is_refused_is_not_noted() -> None:
    tried = Tried()
    before = Deed.objects.count()
    assert tried.patch("", p=0.8).status_code == 200
    assert tried.patch("", p=2).status_code == 400
    assert tried.page("people/", act="add", username="Small-grace", role="assessor").status_code == 200
    assert tried.page("people/", act="remove", username="Small-ada").status_code == 409
    assert tried.ada.upload("runs/", b"rubbish", "r.run").status_code == 400
    assert tried.ada.post("open/").status_code == 200
    assert Deed.objects.count() == before


def test_documents_shared_by_campaigns_are_noted_in_each() -> None:
    first = make_campaign("Small")
    other = services.create(organiser=make_user("eve"), name="Other", collection=first.collection)
    Api(first, "Small-ada").upload("collection/", b'{"docno": "a", "body": "x"}\n', "d.jsonl")
    for campaign in (first, other):
        deed = campaign.deeds.latest("id")
        assert (deed.kind, deed.actor_name, deed.detail) == (
            "documents",
            "Small-ada",
            {"file": "d.jsonl", "documents": 1, "new": 1, "changed": 0, "unchanged": 0},
        )


def test_commands_act_for_nobody(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    campaign = make_campaign("Small")
    (tmp_path / "late.run").write_bytes(RUN)
    call_command("import_runs", "small", str(tmp_path / "late.run"))
    call_command("export_qrels", "small")
    loaded, exported = campaign.deeds.order_by("id")[campaign.deeds.count() - 2 :]
    assert (loaded.kind, loaded.actor, loaded.actor_name) == ("runs", None, "the command line")
    assert (exported.kind, exported.actor_name, exported.detail) == (
        "exported",
        "the command line",
        {"file": "small.adjudicated.qrels.txt"},
    )


def test_who_acts_ends_with_the_act(campaign: Campaign) -> None:
    with acting_as(COMMAND_LINE):
        assert note(campaign=campaign, kind="opened").actor_name == "the command line"
    assert note(campaign=campaign, kind="opened").actor_name == "the system"
    signed_in("Small-ada").post("/campaigns/small/move/", {"to": "pause"})
    assert note(campaign=campaign, kind="opened").actor_name == "the system"


def test_the_name_outlives_the_account(campaign: Campaign) -> None:
    eve = make_user("eve")
    note(campaign=campaign, kind="role", person="eve")
    deed = Deed.objects.create(campaign=campaign, actor=eve, actor_name="eve", kind="opened")
    User.objects.get(username="eve").delete()
    deed.refresh_from_db()
    assert (deed.actor, deed.actor_name) == (None, "eve")


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")
