"""A campaign: its settings, their choices, and the grade scale."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q, Value
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaigns.models.collection import Collection
from evaluation.measures.ordering import ScorePrecision


class Method(models.TextChoices):
    POOLING = "pooling", "Pooling"
    A = "A", gettext_lazy("Method A")
    B = "B", gettext_lazy("Method B")
    C = "C", gettext_lazy("Method C")
    MTC = "mtc", "MTC"
    STATAP = "statap", gettext_lazy("statAP sample")
    MTC_STATAP = "mtc+statap", gettext_lazy("MTC and statAP, alternating")
    SAMPLE = "sample", gettext_lazy("Random sample")
    MTF = "mtf", "Move-to-front"
    HEDGE = "hedge", "Hedge"
    MAXMEAN = "maxmean", "MaxMean"
    MM_NS = "mm-ns", "MM-NS"
    STRATA = "strata", gettext_lazy("Strata")
    RANDOM = "random", gettext_lazy("Random")
    CAL = "cal", "CAL"


# Methods that serve a stored sample and its probabilities.
SAMPLING_METHODS = (Method.STATAP, Method.MTC_STATAP)


# Methods that serve a random sample, of which anchors would be no part.
RANDOM_METHODS = (*SAMPLING_METHODS, Method.RANDOM, Method.SAMPLE, Method.STRATA)
# How many anchors there may be. Six do little.
ANCHOR_COUNTS = (0, 12, 24, 48)


class Scope(models.TextChoices):
    CAMPAIGN = "campaign", gettext_lazy("whole campaign")
    TOPIC = "topic", gettext_lazy("each topic by itself")


class Status(models.TextChoices):
    DRAFT = "draft", pgettext_lazy("campaign", "draft")
    OPEN = "open", pgettext_lazy("campaign", "open")
    PAUSED = "paused", pgettext_lazy("campaign", "paused")
    CLOSED = "closed", pgettext_lazy("campaign", "closed")


def three_grades() -> list[dict[str, Any]]:
    return [
        {"grade": 0, "label": "not relevant", "gain": 0.0, "key": "0"},
        {"grade": 1, "label": "relevant", "gain": 0.5, "key": "1"},
        {"grade": 2, "label": "highly relevant", "gain": 1.0, "key": "2"},
    ]


class TopicChoice(models.TextChoices):
    """Choice of topics by assessors."""

    FREE = "free", gettext_lazy("assigned, drawn or next in order, as each likes")
    RANDOM = "random", gettext_lazy("assigned at random")
    ASSIGNED = "assigned", gettext_lazy("only topics that were assigned")


class ServingOrder(models.TextChoices):
    """Order of documents that a method chose beforehand."""

    METHOD = "method", gettext_lazy("by the method")
    RANDOM = "random", gettext_lazy("random")
    DOCNO = "docno", gettext_lazy("by docno")


class ScoreFloats(models.IntegerChoices):
    """Bits of the floats as which the scores of runs are compared."""

    DOUBLE = 64, gettext_lazy("64 bits, as in trec_eval 10.0")
    SINGLE = 32, gettext_lazy("32 bits, as in trec_eval up to 9.0.8")


class Policy(models.TextChoices):
    """Aggregation policy: the grade of a document with several people's grades."""

    ADJUDICATED = "adjudicated", "adjudicated"
    LATEST = "latest", "latest"
    MAJORITY = "majority", "majority"
    MEAN = "mean", "mean"


class JudgmentCopies(models.TextChoices):
    """Duplicates of a judged document to which its judgment is copied."""

    OFF = "off", gettext_lazy("no documents")
    SAME = "same", gettext_lazy("documents with the same text")
    NEAR = "near", gettext_lazy("documents with the same or nearly the same text")


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def organised_by(self, user: Any) -> CampaignQuerySet:
        return self.filter(memberships__user=user, memberships__role=Membership.Role.ORGANISER)

    def visible_to(self, user: Any) -> CampaignQuerySet:
        return self.filter(memberships__user=user)


class Campaign(models.Model):
    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    guidelines = models.TextField(blank=True, default="")
    collection = models.ForeignKey(Collection, models.PROTECT, related_name="campaigns")
    p = models.FloatField(default=0.8)
    # Names of measures, separated by blanks, the primary one first; empty: RBP alone, at `p`.
    measures = models.CharField(max_length=200, blank=True, default="", db_default="")
    # Of runs that are uploaded from now on; each keeps its own (`Run.score_precision`).
    score_precision = models.PositiveSmallIntegerField(
        choices=ScoreFloats.choices, default=ScoreFloats.DOUBLE, db_default=ScoreFloats.DOUBLE
    )
    method = models.CharField(max_length=20, choices=Method.choices, default=Method.C)
    # The method's options, by their names in `selection`.
    options = models.JSONField(default=dict, blank=True)
    # Order of documents that a method chose beforehand; without effect on methods that adapt.
    serving_order = models.CharField(
        max_length=10,
        choices=ServingOrder.choices,
        default=ServingOrder.METHOD,
        db_default=ServingOrder.METHOD,
    )
    scope = models.CharField(max_length=10, choices=Scope.choices, default=Scope.CAMPAIGN)
    batch = models.PositiveIntegerField(default=1, validators=[MinValueValidator(1)])
    grades = models.JSONField(default=three_grades)
    # How many documents of the whole campaign are drawn by their weight and judged first; drawn once.
    anchors = models.PositiveSmallIntegerField(default=0, db_default=0)
    # The lowest grade that counts as relevant where a method knows only yes and no; None: any gain.
    relevant_from = models.PositiveSmallIntegerField(null=True, blank=True)
    # Whether unjudged documents of topics that have a judgment count as gain 0 in scores and predictions.
    unjudged_not_relevant = models.BooleanField(default=False, db_default=False)
    min_judgments = models.PositiveIntegerField(default=40)
    budget = models.PositiveIntegerField(null=True, blank=True)
    # Until when assessors are asked to have the minimum of their topics. A target: it closes nothing.
    due_at = models.DateTimeField(null=True, blank=True)
    topic_choice = models.CharField(max_length=10, choices=TopicChoice.choices, default=TopicChoice.FREE)
    # Empty: every topic is offered from the start. Otherwise the worker releases topics in an order: by hand,
    # or by the method of `selection` with this name and these options.
    topic_method = models.CharField(max_length=20, blank=True, default="", db_default="")
    topic_options = models.JSONField(default=dict, db_default=Value({}, models.JSONField()), blank=True)
    # How many topics are open beyond one for each assessor.
    topics_ahead = models.PositiveSmallIntegerField(default=2, db_default=2)
    # Numbers of the topics that an organiser placed before all others, in their order.
    topics_first = models.JSONField(default=list, db_default=Value([], models.JSONField()), blank=True)
    # Whether an assessor trains before the first topic, and writes out a topic before judging it.
    training_required = models.BooleanField(default=False)
    development_required = models.BooleanField(default=False)
    # Whether an assessor may close a topic for all; otherwise only organisers do.
    assessors_close = models.BooleanField(default=False, db_default=False)
    # Whether assessors may search a topic's collection and judge what they find.
    search_judging = models.BooleanField(default=False, db_default=False)
    # Whether an assessor is asked for a note where another assessor's grade differs.
    note_on_disagreement = models.BooleanField(default=False, db_default=False)
    # Fields of a document that stand under its title, in this order.
    shown_fields = models.JSONField(default=list, db_default=Value([], models.JSONField()), blank=True)
    # Of the documents, how large a part is judged by how many; and shown once more to the same assessor.
    overlap_share = models.FloatField(default=0.0)
    overlap_assessors = models.PositiveSmallIntegerField(default=2)
    repeat_share = models.FloatField(default=0.0)
    # Duplicates to which a judgment is copied.
    judgment_copies = models.CharField(
        max_length=4,
        choices=JudgmentCopies.choices,
        default=JudgmentCopies.OFF,
        db_default=JudgmentCopies.OFF,
    )
    policy = models.CharField(
        max_length=12, choices=Policy.choices, default=Policy.ADJUDICATED, db_default=Policy.ADJUDICATED
    )
    # How often it changed whose judgments count (campaigns/models/quality.py); 0: all do, and always did.
    exclusion_changes = models.PositiveIntegerField(default=0, db_default=0)
    # When an assessor's work is flagged: from so many judgments on; below so many seconds; where agreement
    # may be chance; where the share of a grade is so far from the others'; where so large a share of long
    # documents was not read to the middle. 0 and False: never.
    flag_judgments = models.PositiveIntegerField(default=20, db_default=20)
    flag_seconds = models.FloatField(default=2.0, db_default=2.0)
    flag_agreement = models.BooleanField(default=True, db_default=True)
    flag_grades = models.FloatField(default=0.2, db_default=0.2)
    flag_unread = models.FloatField(default=0.5, db_default=0.5)
    seed = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    # The steps of the set-up that an organiser has looked over, and whose proposals hold.
    settled = models.JSONField(default=list, db_default=Value([], models.JSONField()), blank=True)
    # Grows with every change of runs, topics or settings: a worker's copy of an older one is stale.
    configuration = models.PositiveIntegerField(default=1)
    created = models.DateTimeField(auto_now_add=True)
    # Since when the campaign is read only and off the list.
    archived_at = models.DateTimeField(null=True, blank=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created"]
        constraints = [
            models.CheckConstraint(condition=Q(p__gt=0) & Q(p__lt=1), name="campaign_p_inside_0_1"),
            models.CheckConstraint(condition=Q(batch__gte=1), name="campaign_batch_positive"),
            models.CheckConstraint(
                condition=Q(
                    overlap_share__gte=0, overlap_share__lte=1, repeat_share__gte=0, repeat_share__lte=0.5
                ),
                name="campaign_shares",
            ),
            models.CheckConstraint(condition=Q(overlap_assessors__gte=2), name="campaign_overlap_of_two"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def rbp(self) -> str:
        """The measure of score ranges, and by which methods choose."""
        return f"RBP(p={self.p:g})"

    @property
    def measure(self) -> str:
        """The primary measure."""
        return self.measures.partition(" ")[0] or self.rbp

    @property
    def measure_names(self) -> list[str]:
        return self.measures.split() or [self.rbp]

    @property
    def run_precision(self) -> ScorePrecision:
        """`score_precision`, as readers of runs take it."""
        return 32 if self.score_precision == ScoreFloats.SINGLE else 64

    def gain_of(self, grade: int) -> float | None:
        """The gain of a grade, None outside the scale. Junk (-2) is judged and worth nothing."""
        if grade == -2:
            return 0.0
        for row in self.grades:
            if row["grade"] == grade:
                return float(row["gain"])
        return None

    @property
    def threshold(self) -> float:
        """A grade is relevant if its gain is above this. Gains never fall as grades rise."""
        if self.relevant_from is None:
            return 0.0
        return max([0.0, *(float(row["gain"]) for row in self.grades if row["grade"] < self.relevant_from)])

    def is_relevant(self, grade: int | None) -> bool:
        return grade is not None and (self.gain_of(grade) or 0.0) > self.threshold

    @property
    def relevant_grades(self) -> list[int]:
        return [int(row["grade"]) for row in self.grades if self.is_relevant(row["grade"])]


class LogHead(models.Model):
    """Length of a campaign's judgment log. An append holds this row's lock until the commit, so sequence
    numbers have no gaps and are committed in their own order: a reader that has seen number n has seen
    everything before it."""

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="log_head")
    length = models.PositiveIntegerField(default=0)
    # Whether the campaign is open, kept here so that appending and closing contend for one row.
    accepting = models.BooleanField(default=False)
    # Times that an upload replaced texts: an act that looked its document up before looks again.
    replacements = models.PositiveIntegerField(default=0, db_default=0)

    def __str__(self) -> str:
        return f"{self.campaign_id}: {self.length}"


class Membership(models.Model):
    class Role(models.TextChoices):
        ORGANISER = "organiser", pgettext_lazy("role", "organiser")
        ASSESSOR = "assessor", pgettext_lazy("role", "assessor")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    # Gets nothing to judge until an organiser says otherwise; what they sent counts.
    paused_at = models.DateTimeField(null=True, blank=True)
    # Emails to this organiser: each day's progress; a worker that is silent while work waits.
    progress_mail = models.BooleanField(default=False, db_default=False)
    trouble_mail = models.BooleanField(default=False, db_default=False)
    # An email for each new flag on an assessor's work.
    quality_mail = models.BooleanField(default=True, db_default=True)
    # Where this organiser was in the set-up.
    setup_step = models.CharField(max_length=20, blank=True, default="", db_default="")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "campaign"], name="one_membership")]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.campaign}"

    @property
    def is_organiser(self) -> bool:
        return self.role == self.Role.ORGANISER
