from __future__ import annotations

from typing import Literal

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from campaigns.models.campaign import Campaign, Membership


class Invitation(models.Model):
    """A link that gives whoever follows it first a role. Of the link only a hash is kept."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=10, choices=Membership.Role.choices)
    # Numbers of the topics that come with the role.
    topics = models.JSONField(default=list, blank=True)
    address = models.EmailField(blank=True, default="")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(used_at__isnull=True) | Q(revoked_at__isnull=True), name="invitation_one_end"
            )
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.campaign}, {self.state}"

    @property
    def state(self) -> Literal["open", "used", "revoked", "expired"]:
        if self.used_at is not None:
            return "used"
        if self.revoked_at is not None:
            return "revoked"
        return "open" if timezone.now() < self.expires_at else "expired"
