"""Shapes of campaigns: as members see them, listed, copied, archived and deleted."""

from __future__ import annotations

from campaigns.api.shapes.base import (
    USUAL_ROWS,
    Choice,
    Flag,
    PageQuery,
    Query,
    RequestShape,
    Shape,
    Slug,
    Text,
    Time,
    limit_field,
)
from campaigns.api.shapes.settings import THREE_GRADES, Field, shown_field, with_settings
from campaigns.models.campaign import Status
from campaigns.setup.settings import BY_NAME

# Each may bring long guidelines.
MOST_CAMPAIGNS = 200


class CampaignOut(Shape):
    """A campaign. Assessors see neither the selection method and its settings nor the gains of grades."""

    slug = Text("slug of the campaign in addresses")
    name = shown_field(BY_NAME["name"])
    guidelines = shown_field(BY_NAME["guidelines"])
    url_template = Text(
        "address of a document at its source, with {docno} for its ID; empty if there is none; "
        "organisers only",
        source="collection.url_template",
        required=False,
    )
    language = Text("language of the documents, by which terms are highlighted", source="collection.language")
    status = Choice("state of the campaign", choices=Status.choices)
    measure = Text("measure that scores the runs; organisers only", required=False)
    created = Time("time of creation")
    archived_at = Time.or_null("time since which the campaign is archived; null if it is not")

    example = {
        "slug": "news-2026",
        "name": "News 2026",
        "guidelines": "",
        "url_template": "https://example.org/{docno}",
        "language": "english",
        "status": "open",
        "measure": "RBP(p=0.8)",
        "p": 0.8,
        "score_precision": 64,
        "method": "C",
        "options": {"run_weights": "equal", "power": 3},
        "scope": "campaign",
        "batch": 1,
        "anchors": 24,
        "grades": THREE_GRADES,
        "relevant_from": None,
        "unjudged_not_relevant": False,
        "min_judgments": 40,
        "budget": None,
        "due_at": "2026-11-27T18:00:00Z",
        "topic_choice": "free",
        "training_required": False,
        "development_required": False,
        "assessors_close": False,
        "search_judging": False,
        "shown_fields": [],
        "overlap_share": 0.0,
        "overlap_assessors": 2,
        "repeat_share": 0.0,
        "note_on_disagreement": False,
        "policy": "adjudicated",
        "flag_judgments": 20,
        "flag_seconds": 2.0,
        "flag_agreement": True,
        "flag_grades": 0.2,
        "flag_unread": 0.5,
        "seed": 1,
        "created": "2026-03-01T09:00:00Z",
        "archived_at": None,
    }

    def get_fields(self) -> dict[str, Field]:
        return with_settings(super().get_fields(), "measure", shown_field)


class CampaignsQuery(PageQuery):
    limit = limit_field(USUAL_ROWS, MOST_CAMPAIGNS)
    archived = Flag("true to list archived campaigns instead (default: false)", default=False)


class DeletionQuery(Query):
    confirm = Text(
        "slug of the campaign, as a confirmation; a deleted campaign cannot be restored", max_length=80
    )


class Moved(Shape):
    """State of a campaign after a change."""

    status = Choice("new state of the campaign", "open", choices=Status.choices)


class CopyIn(RequestShape):
    """A new campaign with the settings of this one."""

    name = Text("name of the new campaign, with at least one letter or digit", "News 2027", max_length=200)
    slug = Slug(
        "slug of the new campaign in addresses (default: made from the name)",
        default="",
        allow_blank=True,
        max_length=80,
    )
    people = Flag(
        "true to copy assessors and organisers with their roles (default: false)", True, default=False
    )
    topics = Flag(
        "true to copy the topics with their methods and, with `people`, their assignments (default: false)",
        False,
        default=False,
    )


class Archived(Shape):
    """Archiving of a campaign, after a change."""

    archived_at = Time.or_null(
        "time since which the campaign is archived; null if it is not", "2026-09-01T09:00:00Z"
    )
