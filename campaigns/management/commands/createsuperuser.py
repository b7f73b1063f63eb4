from __future__ import annotations

from typing import Any

from django.contrib.auth.management.commands import createsuperuser

from campaigns.core.errors import Refusal
from campaigns.people.accounts import checked_name


class Command(createsuperuser.Command):
    """Make an administrator's account, whose name is checked as all others are."""

    def _validate_username(self, username: str, verbose_field_name: str, database: str) -> Any:
        try:
            checked_name(username)
        except Refusal as refused:
            return refused.detail
        return super()._validate_username(username, verbose_field_name, database)  # type: ignore[misc]
