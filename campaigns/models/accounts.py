"""Tables that accounts need beside Django's own: sessions, temporary passwords, tries, reset requests."""

from __future__ import annotations

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import models


class SignedInSession(models.Model):
    """Account, device and address of a signed-in session. Django's own table, of which a row decides if the
    session is valid, names no account."""

    # Without a constraint: a web server of the version before deletes sessions and does not know this table.
    session = models.OneToOneField(
        Session, models.CASCADE, related_name="signed_in", db_constraint=False, db_column="session_key"
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="signed_in_sessions")
    address = models.CharField(max_length=64)
    device = models.CharField(max_length=300)
    created = models.DateTimeField(auto_now_add=True)
    # Behind by up to `sessions.SEEN_EVERY`.
    seen = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user} from {self.address}"


class TemporaryPassword(models.Model):
    """An account whose password another person has seen: it must be replaced at the first sign-in."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="temporary_password"
    )
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"of {self.user}"


class Attempts(models.Model):
    """Number of tries of one thing by one party since a span began. Only a hash of both is stored."""

    key = models.CharField(max_length=64, primary_key=True)
    tries = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.tries} until {self.ends_at}"


class ResetRequest(models.Model):
    """An address that was typed into the reset page, until the worker has looked for its account. All are
    stored alike, so that the answer takes as long for an account as for none."""

    address = models.EmailField()
    language = models.CharField(max_length=20)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.address
