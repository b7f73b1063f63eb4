"""Shapes of campaigns: as members see them, listed, copied, archived and deleted."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    USUAL_ROWS,
    Flag,
    PageQuery,
    Query,
    Shape,
    Slug,
    Strict,
    Text,
    limit_field,
)
from campaigns.api.shapes.settings import THREE_GRADES
from campaigns.models.campaign import Method, Policy, Scope, ScoreFloats, Status, TopicChoice

# Each may bring long guidelines.
MOST_CAMPAIGNS = 200


class Grade(Shape):
    """A grade of the scale, as the current member sees it."""

    grade = serializers.IntegerField(help_text="grade, a whole number from 0 to 99")
    label = serializers.CharField(help_text="label of the grade, as assessors see it")  # type: ignore[assignment]
    gain = serializers.FloatField(required=False, help_text="gain of the grade, in [0, 1]; organisers only")
    key = serializers.CharField(help_text="keyboard key that gives the grade")
    definition = serializers.CharField(
        required=False, help_text="definition of the grade; absent if there is none"
    )
    note = serializers.BooleanField(
        required=False, help_text="true if assessors are asked for a note; absent if not"
    )


class CampaignOut(Shape):
    """A campaign. Assessors see neither the selection method and its settings nor the gains of grades."""

    slug = serializers.CharField(help_text="slug of the campaign in addresses")
    name = serializers.CharField(help_text="name of the campaign")
    guidelines = serializers.CharField(help_text="guidelines for assessors, in Markdown; may be empty")
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
    p = serializers.FloatField(
        required=False, help_text="persistence of RBP, above 0 and below 1; organisers only"
    )
    score_precision = serializers.ChoiceField(
        choices=ScoreFloats.choices,
        required=False,
        help_text="bits of the floats as which scores of runs uploaded from now on are compared: 64 as in "
        "trec_eval 10.0, 32 as in trec_eval up to 9.0.8; organisers only",
    )
    method = serializers.ChoiceField(
        choices=Method.choices, required=False, help_text="selection method; organisers only"
    )
    options = serializers.DictField(
        required=False, help_text="options of the selection method, by name; organisers only"
    )
    scope = serializers.ChoiceField(
        choices=Scope.choices,
        required=False,
        help_text="scope of the run weights of B and C; organisers only",
    )
    batch = serializers.IntegerField(
        required=False,
        help_text="judgments after which the run weights of B and C are computed again; organisers only",
    )
    anchors = serializers.IntegerField(
        required=False,
        help_text="documents of the whole campaign that are drawn by their weight, once, and judged first; "
        "organisers only",
    )
    grades = Grade(many=True, help_text="grade scale, lowest grade first")
    relevant_from = serializers.IntegerField(
        required=False,
        allow_null=True,
        help_text="lowest grade that counts as relevant; null for every grade with a gain above 0; "
        "organisers only",
    )
    unjudged_not_relevant = serializers.BooleanField(
        help_text="true if unjudged documents of topics with a judgment count as gain 0 in scores and "
        "predictions"
    )
    min_judgments = serializers.IntegerField(
        help_text="judgments of a topic from which assessors can close it, from 0"
    )
    budget = serializers.IntegerField(
        required=False,
        allow_null=True,
        help_text="planned number of judgments of the campaign; null for none; organisers only",
    )
    due_at = serializers.DateTimeField(
        allow_null=True,
        help_text="time until which assessors are asked to have the minimum of their topics; null for none",
    )
    topic_choice = serializers.ChoiceField(
        choices=TopicChoice.choices, help_text="way in which assessors get topics"
    )
    training_required = serializers.BooleanField(
        help_text="true if assessors must finish the training before they judge"
    )
    development_required = serializers.BooleanField(
        help_text="true if a topic without description or narrative must be developed before it is judged"
    )
    assessors_close = serializers.BooleanField(
        help_text="true if assessors may close a topic for all; organisers always may"
    )
    search_judging = serializers.BooleanField(
        help_text="true if assessors can search the collection and judge what they find"
    )
    shown_fields = serializers.ListField(
        child=serializers.CharField(), help_text="names of the fields under a document’s title, in order"
    )
    overlap_share = serializers.FloatField(
        required=False, help_text="share of documents judged by several assessors, in [0, 1]; organisers only"
    )
    overlap_assessors = serializers.IntegerField(
        required=False, help_text="number of assessors for each overlap document; organisers only"
    )
    repeat_share = serializers.FloatField(
        required=False,
        help_text="share of documents shown again to the same assessor, in [0, 0.5]; organisers only",
    )
    note_on_disagreement = serializers.BooleanField(
        help_text="true if assessors are asked for a note where another assessor’s grade differs"
    )
    policy = serializers.ChoiceField(
        choices=Policy.choices, help_text="aggregation policy for documents with several grades"
    )
    flag_judgments = serializers.IntegerField(
        required=False,
        help_text="judgments of an assessor before their work is flagged; 0: never; organisers only",
    )
    flag_seconds = serializers.FloatField(
        required=False,
        help_text="median seconds of a judgment below which it is flagged; 0: never; organisers only",
    )
    flag_agreement = serializers.BooleanField(
        required=False,
        help_text="true if agreement is flagged whose interval reaches 0 or that falls; organisers only",
    )
    flag_grades = serializers.FloatField(
        required=False,
        help_text="difference of a grade's share from the others' that is flagged; 0: never; organisers only",
    )
    flag_unread = serializers.FloatField(
        required=False,
        help_text="share of long documents judged before their middle was seen that is flagged; 0: never; "
        "organisers only",
    )
    seed = serializers.IntegerField(required=False, help_text="random seed; organisers only")
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


class CopyIn(Strict):
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
