from __future__ import annotations

from typing import Literal

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from campaigns.models.campaign import Campaign, Membership
from campaigns.models.participants import Team

# The role of a team's members. They have no membership.
PARTICIPANT = "participant"
INVITED_ROLES = [*Membership.Role.choices, (PARTICIPANT, pgettext_lazy("role", "participant"))]


class Invitation(models.Model):
    """A link that gives a role to the first person who follows it, or to the first `capacity`. A hash of its
    secret is stored; that of a class also `sealed` with the site's key, so that organisers see it again."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True)
    sealed = models.TextField(blank=True, default="", db_default="")
    role = models.CharField(max_length=20, choices=INVITED_ROLES)
    # Of a participant.
    team = models.ForeignKey(Team, models.CASCADE, null=True, blank=True, related_name="invitations")
    # Numbers of the topics that come with the role.
    topics = models.JSONField(default=list, blank=True)
    address = models.EmailField(blank=True, default="")
    # How many may join by the link of a class, and how many have.
    capacity = models.PositiveIntegerField(default=1, db_default=1)
    joined = models.PositiveIntegerField(default=0, db_default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)
    reminded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(used_at__isnull=True) | Q(revoked_at__isnull=True), name="invitation_one_end"
            )
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.campaign}, {self.state}"

    @property
    def is_for_class(self) -> bool:
        return self.capacity > 1

    @property
    def state(self) -> Literal["open", "used", "revoked", "expired"]:
        if self.used_at is not None:
            return "used"
        if self.revoked_at is not None:
            return "revoked"
        return "open" if timezone.now() < self.expires_at else "expired"


class PreferredLanguage(models.Model):
    """The language in which a person reads the pages and receives emails."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="preferred_language"
    )
    code = models.CharField(max_length=20)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.code}"


class EmailsOff(models.Model):
    """A person who has switched off emails about their own judging: answers and reminders."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="emails_off"
    )
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"of {self.user_id}"


class TokenScope(models.TextChoices):
    READ = "read", pgettext_lazy("scope of a token", "read")
    JUDGE = "judge", pgettext_lazy("scope of a token", "judge")
    ORGANISE = "organise", pgettext_lazy("scope of a token", "organise")
    SUBMIT = "submit", pgettext_lazy("scope of a token", "hand in runs")


class ApiToken(models.Model):
    """Token of a program that acts in its owner's name. Only a hash of the secret and its first characters
    are stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=16)
    secret_hash = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=10, choices=TokenScope.choices))
    # None: for all campaigns of its owner, those still to come among them.
    campaign = models.ForeignKey(Campaign, models.CASCADE, null=True, blank=True, related_name="api_tokens")
    created = models.DateTimeField(auto_now_add=True)
    # Behind by up to `services.tokens.USED_EVERY`.
    used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(scopes__len__gte=1), name="token_has_a_scope")]

    def __str__(self) -> str:
        return f"{self.prefix}… of {self.user}, {self.state}"

    @property
    def state(self) -> Literal["good", "revoked", "expired"]:
        if self.revoked_at is not None:
            return "revoked"
        expired = self.expires_at is not None and self.expires_at <= timezone.now()
        return "expired" if expired else "good"
