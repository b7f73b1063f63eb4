from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone

from campaigns.models.campaign import Campaign


class Deed(models.Model):
    """One act of a person, a command or the system, other than a judgment. Rows are only ever added."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="deeds")
    # None: a command, the system, or an account that is gone; the name stays.
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    actor_name = models.CharField(max_length=150)
    kind = models.CharField(max_length=40)
    detail = models.JSONField(default=dict, blank=True, encoder=DjangoJSONEncoder)
    # How long the judgment log was: the deed's place among the judgments.
    after = models.PositiveIntegerField(default=0)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["campaign", "-after", "-id"], name="deed_place")]

    def __str__(self) -> str:
        return f"{self.kind} by {self.actor_name}"
