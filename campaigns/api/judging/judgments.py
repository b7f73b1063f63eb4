"""The assessor's endpoints. Their replies never carry runs, ranks, weights, methods or other people's
grades.

Judgments by the hundred: each has an outcome of its own.

Reading judgments back: the whole log for organisers, an assessor's own for themself.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiExample, PolymorphicProxySerializer
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.collection import document_json
from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.problems import problem_of
from campaigns.api.framework.scopes import ASSESSES, JUDGES
from campaigns.api.framework.views import CampaignView
from campaigns.api.framework.words import JUDGING_TAG
from campaigns.api.shapes.base import Problem, SeparateItems, list_shape, one_or_several
from campaigns.api.shapes.judging.judgments import (
    JudgmentIn,
    JudgmentOut,
    Logged,
    LogQuery,
    Outcomes,
    Recorded,
    Said,
)
from campaigns.api.shapes.judging.serving import (
    Ahead,
    AheadQuery,
    Claim,
    LaterIn,
    Next,
    NextQuery,
    PlaceIn,
    Postponed,
    Renewed,
)
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.judging import next_document, progress, record
from campaigns.judging.batches import MOST_ACTS, record_all
from campaigns.judging.claims import ServedDocument
from campaigns.judging.lookup import ActRequest, RecordedJudgment
from campaigns.judging.prefetch import look_ahead
from campaigns.judging.progress import progress_of
from campaigns.log.current import made_by_assessors
from campaigns.log.judgments import acts_of, as_acts, as_row
from campaigns.models import Campaign, Judgment, Membership, Topic
from campaigns.results.topic_rows import mean_residuals

operation = Operations(JUDGING_TAG)


class AheadView(CampaignView):
    """Documents that may follow the one on the assessor's screen, reserved for them meanwhile."""

    needs = JUDGES
    queries = {"GET": AheadQuery}

    @operation("look_ahead", "Fetch documents in advance", {200: Ahead, 409: Problem})
    def get(self, request: Request, slug: str) -> Response:
        topic = self.topic(self.asked["topic"])
        ahead = look_ahead(
            campaign=self.campaign,
            topic=topic,
            docno=self.asked["docno"],
            assessor=self.user.id,
            have=frozenset(self.asked.get("have", ())),
        )
        progress = progress_of(campaign=self.campaign, topic=topic.id, assessor=self.user.id)
        answer = Ahead.of(
            ahead,
            docno=self.asked["docno"],
            documents=[document_json(document, self.campaign.shown_fields) for document in ahead.documents],
            worth=self._worth(topic) if self.asked.get("worth") else None,
            progress=asdict(progress),
        )
        return Response(answer)

    def _worth(self, topic: Topic) -> float | None:
        return mean_residuals(campaign=self.campaign, topics=[topic.id]).get(topic.id)


LONGEST_ID = 100


def outcomes_of(*, campaign: Campaign, assessor: int, rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Outcome of each row, in their order: its id, the status and the response it would have had alone."""
    if len(rows) > MOST_ACTS:
        detail = gettext("at most %(most)s judgments at once, not %(count)s; nothing was recorded")
        values = {"most": group_digits(MOST_ACTS), "count": group_digits(len(rows))}
        raise Refusal("too_many", detail % values, status=413)
    form = JudgmentIn()
    read = [_read(form, row) for row in rows]
    acts = [act for act in read if isinstance(act, ActRequest)]
    recorded = iter(record_all(campaign=campaign, assessor=assessor, acts=acts))
    outcomes = [next(recorded) if isinstance(act, ActRequest) else act for act in read]
    return [_outcome_json(row, outcome) for row, outcome in zip(rows, outcomes, strict=True)]


def _read(form: JudgmentIn, row: Any) -> ActRequest | ValidationError:
    try:
        return ActRequest(**form.run_validation(row))
    except ValidationError as error:
        return error


def _outcome_json(row: Any, outcome: RecordedJudgment | Refusal | ValidationError) -> dict[str, Any]:
    if isinstance(outcome, RecordedJudgment):
        status = 201 if outcome.created else 200
        return {"id": outcome.judgment.id, "status": status, "judgment": judgment_json(outcome)}
    status, problem = problem_of(outcome)
    return {"id": _id_as_sent(row), "status": status, "problem": problem}


def _id_as_sent(row: Any) -> str | None:
    sent = row.get("id") if isinstance(row, dict) else None
    return sent if isinstance(sent, str) and sent.isascii() and len(sent) <= LONGEST_ID else None


def judgment_json(taken: RecordedJudgment) -> dict[str, Any]:
    return JudgmentOut.of(taken.judgment, topic=taken.topic, docno=taken.docno, revision=taken.revision)


# More documents than an assessor judges in a topic.
MOST_OWN_ACTS = 100_000
LOG_LISTING = Listing[tuple[Any, ...]]("log", lambda act: act[0])
# Of two acts of one moment, whichever.
OWN_ACTS_LISTING = Listing[dict[str, Any]](
    "own", lambda row: f"{row['created'].timestamp():.6f} {row['id']}", str, descending=True
)


class LogView(CampaignView):
    needs = ASSESSES
    queries = {"GET": LogQuery}

    @operation(
        "list_judgments",
        "List the judgment log, or your judgments",
        PolymorphicProxySerializer(
            "JudgmentList", [list_shape(Logged), list_shape(Said)], resource_type_field_name=None
        ),
        "Organisers get every log entry, in order. Assessors get their latest judgment of each "
        "document of a topic, newest first.",
        examples=[
            OpenApiExample(name, list_shape(shape).example, response_only=True)
            for name, shape in (("For organisers", Logged), ("For assessors", Said))
        ],
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response(self._log(request) if self.membership.is_organiser else self._own(request))

    def _log(self, request: Request) -> dict[str, Any]:
        number = self.asked.get("topic")
        acts = acts_of(
            campaign=self.campaign,
            topic=None if number is None else self.topic(number).id,
            assessor=self._assessor(),
            since=self.asked.get("since"),
            after=self.asked.get("after", 0),
        )
        return LOG_LISTING.of_query(request, self.asked, as_acts(acts), "sequence").as_json(as_row)

    def _assessor(self) -> int | None:
        username = self.asked.get("assessor")
        if username is None:
            return None
        acts = made_by_assessors(Judgment.objects.filter(campaign=self.campaign, assessor=OuterRef("pk")))
        roles = Membership.objects.filter(campaign=self.campaign, user=OuterRef("pk"))
        user = User.objects.filter(Exists(roles) | Exists(acts), username=username).first()
        if user is None:
            detail = gettext("there is no member of this name")
            raise Refusal("not_a_member", detail, field="assessor")
        return user.id

    def _own(self, request: Request) -> dict[str, Any]:
        others = sorted({"assessor", "since", "after"} & set(self.asked))
        if others:
            detail = gettext("only organisers may ask for this")
            raise Refusal("organisers_only", detail, field=others[0])
        if "topic" not in self.asked:
            raise Refusal("which_topic", gettext("say which topic: ?topic=NUMBER"), field="topic")
        topic = self.topic(self.asked["topic"])
        rows = progress.history(topic=topic, assessor=self.user.id, limit=MOST_OWN_ACTS)
        in_order = sorted(rows, key=OWN_ACTS_LISTING.key, reverse=True)
        return OWN_ACTS_LISTING.of_rows(request, self.asked, in_order).as_json(dict)


def served_json(
    served: ServedDocument | None, *, shown: Sequence[str], have: Container[str] = ()
) -> dict[str, Any] | None:
    """Served document with its fields of the `shown` names; a document that the browser has comes without its
    text."""
    if served is None:
        return None
    claim = Claim.of(served)
    if served.docno in have:
        return {"docno": served.docno, "claim": claim}
    return {"docno": served.docno, "document": document_json(served, shown), "claim": claim}


class NextView(CampaignView):
    needs = JUDGES
    queries = {"GET": NextQuery}

    @operation(
        "next_document",
        "Get the next document",
        {200: Next, 204: None, 409: Problem},
        "Claims the document for you. 204: no document is left, or the topic is closed.",
    )
    def get(self, request: Request, slug: str) -> Response:
        topic = self.topic(self.asked["topic"])
        docno = self.asked.get("docno")
        if docno is None:
            served = next_document.next_document(campaign=self.campaign, topic=topic, assessor=self.user.id)
        else:
            served = next_document.recall_document(
                campaign=self.campaign, topic=topic, docno=docno, assessor=self.user.id
            )
        if served is None:
            return Response(status=204, headers={"Topic-Closed": "true"} if topic.closed_at else None)
        progress = progress_of(campaign=self.campaign, topic=topic.id, assessor=self.user.id)
        return Response(
            {**(served_json(served, shown=self.campaign.shown_fields) or {}), "progress": asdict(progress)}
        )


class JudgmentsView(LogView):
    """POST judges, GET reads back."""

    takes = {
        "POST": one_or_several("JudgmentsIn", JudgmentIn, SeparateItems(child=JudgmentIn(), most=MOST_ACTS))
    }

    @operation(
        "judge",
        "Judge documents",
        {200: one_or_several("Judged", Recorded, Outcomes), 201: Recorded, 409: Problem},
        "Judge, revise or undo. Send one judgment to get the next document (200: recorded before). Send a "
        "list of up to 1,000 to get the outcome of each, in the order sent, and no document.",
        examples=[
            OpenApiExample("One", JudgmentIn.example, request_only=True),
            OpenApiExample("Several", [JudgmentIn.example], request_only=True),
            OpenApiExample("One", Recorded.example, response_only=True),
            OpenApiExample("Several", Outcomes.example, response_only=True, status_codes=["200"]),
        ],
    )
    def post(self, request: Request, slug: str) -> Response:
        if isinstance(request.data, list):
            outcomes = outcomes_of(campaign=self.campaign, assessor=self.user.id, rows=request.data)
            return Response({"results": outcomes})
        act = ActRequest(**self.body(request, JudgmentIn))
        recorded = record.record(campaign=self.campaign, assessor=self.user.id, act=act)
        return Response(
            _recorded_json(recorded, self.campaign.shown_fields, [act.shown, *act.have]),
            status=201 if recorded.created else 200,
        )


def _recorded_json(
    recorded: record.JudgmentOutcome, shown: Sequence[str], have: Container[str]
) -> dict[str, Any]:
    return {
        "judgment": judgment_json(recorded),
        "progress": asdict(recorded.progress),
        "next": served_json(recorded.next, shown=shown, have=have),
        "asks_note": recorded.asks_note,
    }


class LaterView(CampaignView):
    needs = JUDGES
    takes = {"POST": LaterIn}

    @operation(
        "set_aside",
        "Judge a document later",
        {200: Postponed, 409: Problem},
        "The document returns when no other is left.",
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, LaterIn)
        topic, shown = self.topic(wish["topic"]), wish.get("shown", "")
        served = next_document.postpone(
            campaign=self.campaign,
            topic=topic,
            docno=wish["docno"],
            assessor=self.user.id,
            shown=shown,
        )
        progress = progress_of(campaign=self.campaign, topic=topic.id, assessor=self.user.id)
        following = served_json(served, shown=self.campaign.shown_fields, have=[shown])
        return Response({"progress": asdict(progress), "next": following})


class ClaimsView(CampaignView):
    needs = JUDGES
    takes = {"POST": PlaceIn}

    @operation("renew_claim", "Renew a claim", Renewed)
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, PlaceIn)
        topic = self.topic(wish["topic"])
        until = next_document.renew(topic=topic, docno=wish["docno"], assessor=self.user.id)
        return Response({"expires_at": until})
