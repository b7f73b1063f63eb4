from django.db import models

from campaigns.models.campaign import Membership


class SentMail(models.Model):
    """A mail that goes out once: whoever adds its row sends it, in the same transaction."""

    membership = models.ForeignKey(Membership, models.CASCADE, related_name="mails")
    kind = models.CharField(max_length=20)
    # What tells it from the others of its kind: the day, or when the worker was last heard of.
    key = models.CharField(max_length=40)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["membership", "kind", "key"], name="mail_sent_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} to {self.membership_id}"
