from __future__ import annotations

from typing import Literal

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from campaigns.models.campaign import Campaign


class TokenScope(models.TextChoices):
    READ = "read", pgettext_lazy("scope of a token", "read")
    JUDGE = "judge", pgettext_lazy("scope of a token", "judge")
    ORGANISE = "organise", pgettext_lazy("scope of a token", "organise")


class ApiToken(models.Model):
    """What a program acts by, in its owner's name. Of its secret only a hash is kept, and how it begins."""

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
