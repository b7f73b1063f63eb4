"""Shapes of campaigns: as members see them, listed, copied, archived and deleted."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    USUAL_ROWS,
    Flag,
    PageQuery,
    Query,
    RequestShape,
    Shape,
    Slug,
    Text,
    limit_field,
)
from campaigns.api.shapes.settings import THREE_GRADES, Field, shown_field, with_settings
from campaigns.models.campaign import Status
from campaigns.setup.settings import BY_NAME

# Each may bring long guidelines.
MOST_CAMPAIGNS = 200


class CampaignOut(Shape):
    """A campaign. Assessors see neither the selection method and its settings nor the gains of grades."""

    slug = serializers.CharField(help_text="slug of the campaign in addresses")
    name = shown_field(BY_NAME["name"])
    guidelines = shown_field(BY_NAME["guidelines"])
    url_template = serializers.CharField(
        source="collection.url_template",
        required=False,
        help_text="address of a document at its source, with {docno} for its ID; empty if there is none; "
        "organisers only",
    )
    language = serializers.CharField(
        source="collection.language", help_text="language of the documents, by which terms are highlighted"
    )
    status = serializers.ChoiceField(choices=Status.choices, help_text="state of the campaign")
    measure = serializers.CharField(required=False, help_text="measure that scores the runs; organisers only")
    created = serializers.DateTimeField(help_text="time of creation")
    archived_at = serializers.DateTimeField(
        allow_null=True, help_text="time since which the campaign is archived; null if it is not"
    )

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
        "options": {"power": 3},
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
    archived = Flag(
        required=False, default=False, help_text="true to list archived campaigns instead (default: false)"
    )


class DeletionQuery(Query):
    confirm = Text(
        max_length=80,
        help_text="slug of the campaign, as a confirmation; a deleted campaign cannot be restored",
    )


class Moved(Shape):
    """State of a campaign after a change."""

    status = serializers.ChoiceField(choices=Status.choices, help_text="new state of the campaign")

    example = {"status": "open"}


class CopyIn(RequestShape):
    """A new campaign with the settings of this one."""

    name = Text(max_length=200, help_text="name of the new campaign, with at least one letter or digit")
    slug = Slug(
        required=False,
        default="",
        allow_blank=True,
        max_length=80,
        help_text="slug of the new campaign in addresses (default: made from the name)",
    )
    people = Flag(
        required=False,
        default=False,
        help_text="true to copy assessors and organisers with their roles (default: false)",
    )
    topics = Flag(
        required=False,
        default=False,
        help_text="true to copy the topics with their methods and, with `people`, their assignments "
        "(default: false)",
    )

    example = {"name": "News 2027", "people": True, "topics": False}


class Archived(Shape):
    """Archiving of a campaign, after a change."""

    archived_at = serializers.DateTimeField(
        allow_null=True, help_text="time since which the campaign is archived; null if it is not"
    )

    example = {"archived_at": "2026-09-01T09:00:00Z"}
