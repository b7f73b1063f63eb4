"""Shapes of a campaign’s settings, as organisers send them."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import (
    Choice,
    Flag,
    Many,
    Number,
    Options,
    Slug,
    Strict,
    Text,
    Whole,
    WholeChoice,
)
from campaigns.collection.metadata import MOST_SHOWN
from campaigns.configuration.scale import LONGEST_DEFINITION
from campaigns.formats.documents.metadata import LONGEST_FIELD_NAME
from campaigns.models.campaign import ANCHOR_COUNTS, Method, Policy, Scope, ScoreFloats, TopicChoice
from campaigns.models.collection import LANGUAGES

MOST_TEXT = 100_000


MOST_PLACES = 2**31 - 1


class GradeIn(Strict):
    """A grade of the scale. Gains never fall as grades rise, and the highest is above 0."""

    grade = Whole(min_value=0, max_value=99, help_text="grade, a whole number from 0 to 99")
    label = Text(max_length=100, trim_whitespace=False, help_text="label of the grade, as assessors see it")  # type: ignore[assignment]  # fields leave the class
    gain = Number(min_value=0, max_value=1, help_text="gain of the grade, in [0, 1]")
    key = Text(
        max_length=1, trim_whitespace=False, help_text="keyboard key that gives the grade, one character"
    )
    definition = Text(
        required=False,
        allow_blank=True,
        max_length=LONGEST_DEFINITION,
        help_text="definition of the grade, shown to assessors, at most 500 characters (default: none)",
    )
    note = Flag(required=False, help_text="true to ask assessors for a note with the grade (default: false)")


THREE_GRADES = [
    {"grade": 0, "label": "not relevant", "gain": 0.0, "key": "0"},
    {"grade": 1, "label": "relevant", "gain": 0.5, "key": "1"},
    {"grade": 2, "label": "highly relevant", "gain": 1.0, "key": "2"},
]


class CampaignChanges(Strict):
    """Settings to change. Omitted settings keep their values."""

    name = Text(max_length=200, help_text="name of the campaign, with at least one letter or digit")
    guidelines = Text(
        required=False,
        allow_blank=True,
        max_length=MOST_TEXT,
        help_text="guidelines for assessors, in Markdown (default: empty)",
    )
    url_template = Text(
        required=False,
        allow_blank=True,
        max_length=500,
        help_text="address of a document at its source, with {docno} for its ID (default: empty, no source)",
    )
    language = Choice(
        choices=LANGUAGES,
        required=False,
        help_text="language of the documents, by which terms are highlighted (default: english)",
    )
    p = Number(
        required=False,
        min_value=0,
        max_value=1,
        help_text="persistence of RBP, above 0 and below 1 (default: 0.8)",
    )
    score_precision = WholeChoice(
        choices=ScoreFloats.choices,
        required=False,
        help_text="bits of the floats as which scores of runs are compared: 64 as in trec_eval 10.0, 32 as "
        "in trec_eval up to 9.0.8; earlier runs keep their order until replaced (default: 64)",
    )
    method = Choice(choices=Method.choices, required=False, help_text="selection method (default: C)")
    options = Options(
        required=False, help_text="options of the selection method, by name (default: the method's own)"
    )
    scope = Choice(
        choices=Scope.choices,
        required=False,
        help_text="scope of the run weights of B and C (default: campaign)",
    )
    batch = Whole(
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text="judgments after which the run weights of B and C are computed again, from 1 (default: 1)",
    )
    anchors = WholeChoice(
        choices=[(count, count) for count in ANCHOR_COUNTS],
        required=False,
        help_text="documents of the whole campaign that are drawn by their weight, once, and judged first; "
        "fixed once they are drawn (default: 0)",
    )
    grades = Many(
        child=GradeIn(),
        required=False,
        min_length=2,
        max_length=100,
        help_text="grade scale, 2 to 100 grades (default: 0, 1 and 2 with the gains 0, 0.5 and 1)",
    )
    relevant_from = Whole(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=99,
        help_text="lowest grade that counts as relevant; null for every grade with a gain above 0 (default: "
        "null)",
    )
    unjudged_not_relevant = Flag(
        required=False,
        help_text="true if unjudged documents of topics with a judgment count as gain 0 in scores and "
        "predictions, as in trec_eval (default: false)",
    )
    min_judgments = Whole(
        required=False,
        min_value=0,
        max_value=1_000_000,
        help_text="judgments of a topic from which an assessor can be done with it, from 0 (default: 40)",
    )
    budget = Whole(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MOST_PLACES,
        help_text="planned number of judgments of the campaign; null for none (default: null)",
    )
    due_at = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="time until which assessors are asked to have the minimum of their topics, to the minute; "
        "a target that closes nothing; without a time zone, in the site's; null for none (default: null)",
    )
    topic_choice = Choice(
        choices=TopicChoice.choices,
        required=False,
        help_text="way in which assessors get topics (default: free)",
    )
    training_required = Flag(
        required=False,
        help_text="true if assessors must finish the training before they judge (default: false)",
    )
    development_required = Flag(
        required=False,
        help_text="true if a topic without description or narrative must be developed before it is judged "
        "(default: false)",
    )
    assessors_close = Flag(
        required=False,
        help_text="true if assessors may close a topic for all, from the minimum of judgments; organisers "
        "always may (default: false)",
    )
    search_judging = Flag(
        required=False,
        help_text="true if assessors can search the collection and judge what they find (default: false)",
    )
    shown_fields = Many(
        required=False,
        child=Text(max_length=LONGEST_FIELD_NAME),
        max_length=MOST_SHOWN,
        help_text="names of the collection’s fields that stand under a document’s title, in order, at most 8 "
        "(default: none)",
    )
    overlap_share = Number(
        required=False,
        min_value=0,
        max_value=1,
        help_text="overlap: share of documents judged by several assessors, in [0, 1] (default: 0)",
    )
    overlap_assessors = Whole(
        required=False,
        min_value=2,
        max_value=20,
        help_text="number of assessors for each overlap document, 2 to 20 (default: 2)",
    )
    repeat_share = Number(
        required=False,
        min_value=0,
        max_value=0.5,
        help_text="share of documents shown again to the same assessor, in [0, 0.5] (default: 0)",
    )
    note_on_disagreement = Flag(
        required=False,
        help_text="true if assessors are asked for a note where another assessor’s grade differs; this shows "
        "them that there is a disagreement (default: false)",
    )
    policy = Choice(
        choices=Policy.choices,
        required=False,
        help_text="aggregation policy for documents with several grades (default: adjudicated)",
    )
    flag_judgments = Whole(
        required=False,
        min_value=0,
        max_value=MOST_PLACES,
        help_text="judgments of an assessor before their work is flagged; 0: never (default: 20)",
    )
    flag_seconds = Number(
        required=False,
        min_value=0,
        max_value=3600,
        help_text="median seconds of a judgment below which it is flagged; 0: never (default: 2)",
    )
    flag_agreement = Flag(
        required=False,
        help_text="true if agreement is flagged whose interval reaches 0 or that falls (default: true)",
    )
    flag_grades = Number(
        required=False,
        min_value=0,
        max_value=1,
        help_text="difference of a grade's share from the others' that is flagged, in [0, 1]; 0: never "
        "(default: 0.2)",
    )
    flag_unread = Number(
        required=False,
        min_value=0,
        max_value=1,
        help_text="share of long documents judged before their middle was seen that is flagged, in [0, 1]; "
        "0: never (default: 0.5)",
    )
    seed = Whole(
        required=False,
        min_value=0,
        max_value=MOST_PLACES,
        help_text="random seed; fixed once the campaign was open (default: 1)",
    )

    example = {"method": "mtc", "p": 0.95, "min_judgments": 60}


class CampaignIn(CampaignChanges):
    """Settings of a new campaign. Omitted settings get their defaults."""

    slug = Slug(
        max_length=80,
        required=False,
        help_text="slug of the campaign in addresses: letters, digits, - and _ (default: made from the name)",
    )

    example = {"name": "News 2026", "slug": "news-2026", "p": 0.8, "method": "C", "grades": THREE_GRADES}
