from __future__ import annotations

from dataclasses import asdict

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.access import CampaignView
from campaigns.api.documents import document_json
from campaigns.api.scopes import JUDGES
from campaigns.services.ahead import look_ahead
from campaigns.services.progress import progress_of

MOST_HAD = 200


class AheadView(CampaignView):
    """What may follow the document on the assessor's screen, kept for them meanwhile."""

    needs = JUDGES

    def get(self, request: Request, slug: str) -> Response:
        query = request.query_params
        for name, words in (("topic", "say which topic: ?topic=NUMBER"), ("docno", "say what is on screen")):
            if name not in query:
                raise ValidationError({name: [words]})
        have = query.getlist("have")
        if len(have) > MOST_HAD:
            raise ValidationError({"have": [f"at most {MOST_HAD} documents, not {len(have)}"]})
        topic = self.topic(query["topic"])
        ahead = look_ahead(
            campaign=self.campaign,
            topic=topic,
            docno=query["docno"],
            assessor=self.user.id,
            have=frozenset(have),
        )
        progress = progress_of(campaign=self.campaign, topic=topic.id, assessor=self.user.id)
        return Response(
            {
                "docno": query["docno"],
                "next": ahead.next,
                "exact": ahead.exact,
                "reserve": ahead.reserve,
                "documents": [document_json(document) for document in ahead.documents],
                "more": ahead.more,
                "expires_at": ahead.expires_at,
                "progress": asdict(progress),
            }
        )
