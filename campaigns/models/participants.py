"""Teams that take part in a campaign, the runs that they hand in, and what is published to them."""

from __future__ import annotations

from typing import Literal

from django.conf import settings
from django.db import models
from django.db.models import Q

from campaigns.models.campaign import Campaign
from campaigns.models.runs import Run

LONGEST_TEAM_NAME, LONGEST_DESCRIPTION = 100, 1000

SubmissionState = Literal["handed in", "replaced", "withdrawn", "contributing", "non-contributing"]


class Team(models.Model):
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="teams")
    name = models.CharField(max_length=LONGEST_TEAM_NAME)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["campaign", "name"], name="team_name")]

    def __str__(self) -> str:
        return self.name


class TeamMember(models.Model):
    """A participant. They have no membership: to all that asks for one, they are strangers."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="members")
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="participants")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="team_places")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "campaign"], name="one_team")]

    def __str__(self) -> str:
        return f"{self.user} of {self.team}"


class Audience(models.TextChoices):
    NONE = "none"
    PARTICIPANTS = "participants"
    PUBLIC = "public"


class HandIn(models.Model):
    """The rules of handing in, and what is published. A campaign without a row takes nothing."""

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="hand_in")
    deadline = models.DateTimeField(null=True, blank=True)
    most_runs = models.PositiveSmallIntegerField(default=3)
    # From then on each team sees the score ranges of its own runs.
    scores_released_at = models.DateTimeField(null=True, blank=True)
    leaderboard = models.CharField(max_length=12, choices=Audience.choices, default=Audience.NONE)
    # Whether the leaderboard has labels in place of the names of teams and runs.
    anonymous = models.BooleanField(default=False)
    published_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.campaign_id}: until {self.deadline}"


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def standing(self) -> SubmissionQuerySet:
        """Filter the submissions that were neither replaced nor withdrawn."""
        return self.filter(ended_at=None)


class Submission(models.Model):
    """A run as a team handed it in. Once replaced or withdrawn, the row stays as evidence, without file."""

    class End(models.TextChoices):
        NONE = ""
        REPLACED = "replaced"
        WITHDRAWN = "withdrawn"

    team = models.ForeignKey(Team, models.CASCADE, related_name="submissions")
    tag = models.CharField(max_length=200)
    # From 1, the run that matters most to the team.
    priority = models.PositiveSmallIntegerField()
    description = models.TextField(blank=True, default="")
    file_name = models.CharField(max_length=255)
    # Of the file as it came, byte by byte.
    sha256 = models.CharField(max_length=64)
    bytes = models.PositiveBigIntegerField()
    topics = models.PositiveIntegerField()
    lines = models.PositiveIntegerField()
    # Anomalies, as `Run.noticed` has them.
    noticed = models.JSONField(default=list)
    handed_in_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    handed_in_at = models.DateTimeField()
    ended = models.CharField(max_length=10, choices=End.choices, blank=True, default=End.NONE)
    ended_at = models.DateTimeField(null=True, blank=True)
    # The campaign's run that was made of it.
    run = models.OneToOneField(Run, models.SET_NULL, null=True, blank=True, related_name="submission")

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["team__name", "priority", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "priority"], condition=Q(ended_at=None), name="submission_priority"
            ),
            models.UniqueConstraint(
                fields=["team", "tag"], condition=Q(ended_at=None), name="submission_tag"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tag} of {self.team}"

    @property
    def state(self) -> SubmissionState:
        if self.ended:
            return "replaced" if self.ended == self.End.REPLACED else "withdrawn"
        if self.run is None:
            return "handed in"
        return "contributing" if self.run.contributes_to_pool else "non-contributing"


class SubmissionPart(models.Model):
    """A piece of a submission's file, compressed."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["submission", "number"], name="submission_part")]

    def __str__(self) -> str:
        return f"part {self.number} of {self.submission_id}"
