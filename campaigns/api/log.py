"""Reading judgments back: the whole log for organisers, an assessor's own for themself."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiExample, PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.access import CampaignView
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.scopes import ASSESSES
from campaigns.api.framework.words import JUDGING
from campaigns.api.shapes.base import listed
from campaigns.api.shapes.judging import Logged, LogQuery, Said
from campaigns.core.errors import Refused
from campaigns.judging import progress
from campaigns.log.judgments import acts_of, as_acts, as_row
from campaigns.models import Judgment, Membership

# More documents than anybody judges in a topic.
MOST_HISTORY = 100_000
LOG = Listing[tuple[Any, ...]]("log", lambda act: act[0])
# Of two acts of one moment, whichever.
OWN = Listing[dict[str, Any]](
    "own", lambda row: f"{row['created'].timestamp():.6f} {row['id']}", str, descending=True
)


class LogView(CampaignView):
    needs = ASSESSES
    queries = {"GET": LogQuery}

    @extend_schema(
        operation_id="list_judgments",
        summary="The judgment log, or what you said",
        description="For organisers every act ever made, in order; for assessors what they said of each "
        "document of a topic last, the newest first.",
        tags=[JUDGING],
        responses=PolymorphicProxySerializer(
            "JudgmentList", [listed(Logged), listed(Said)], resource_type_field_name=None
        ),
        examples=[
            OpenApiExample(name, listed(shape).example, response_only=True)
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
        return LOG.of_query(request, self.asked, as_acts(acts), "sequence").told(as_row)

    def _assessor(self) -> int | None:
        username = self.asked.get("assessor")
        if username is None:
            return None
        acts = Judgment.objects.filter(campaign=self.campaign, assessor=OuterRef("pk"))
        roles = Membership.objects.filter(campaign=self.campaign, user=OuterRef("pk"))
        user = User.objects.filter(Exists(roles) | Exists(acts), username=username).first()
        if user is None:
            detail = gettext("nobody of this name has a role here")
            raise Refused("not_a_member", detail, field="assessor")
        return user.id

    def _own(self, request: Request) -> dict[str, Any]:
        others = sorted({"assessor", "since", "after"} & set(self.asked))
        if others:
            detail = gettext("only organisers may ask for this")
            raise Refused("organisers_only", detail, field=others[0])
        if "topic" not in self.asked:
            raise Refused("which_topic", gettext("say which topic: ?topic=NUMBER"), field="topic")
        topic = self.topic(self.asked["topic"])
        rows = progress.history(topic=topic, assessor=self.user.id, limit=MOST_HISTORY)
        in_order = sorted(rows, key=OWN.key, reverse=True)
        return OWN.of_rows(request, self.asked, in_order).told(dict)
