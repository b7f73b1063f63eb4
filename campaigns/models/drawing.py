from django.db import models
from django.utils import timezone

from campaigns.models.campaign import Campaign


class Drawing(models.Model):
    """A figure as the worker drew it last, kept until it is drawn anew."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="drawings")
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=10)
    content = models.BinaryField()
    as_of = models.PositiveIntegerField()
    configuration = models.PositiveIntegerField()
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "name", "kind"], name="one_drawing")]

    def __str__(self) -> str:
        return f"{self.name}.{self.kind} as of {self.as_of}"
