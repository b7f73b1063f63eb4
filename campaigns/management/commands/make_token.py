from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.actors import COMMAND_LINE, acting_as
from campaigns.core.errors import Refusal
from campaigns.management.loading_command import campaign_named
from campaigns.models import TokenScope
from campaigns.people import tokens


class Command(BaseCommand):
    help = "Create an API token for an account and print its secret, and nothing else."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER", help="account that the token acts for")
        parser.add_argument(
            "--scope",
            dest="scopes",
            choices=TokenScope.values,
            action="append",
            required=True,
            help="scope of the token, within the permissions of the account; may be repeated",
        )
        parser.add_argument(
            "--campaign",
            metavar="CAMPAIGN",
            help="slug of the only campaign the token works for (default: all of the account's)",
        )
        parser.add_argument(
            "--name", default="from the command line", help="name of the token (default: %(default)s)"
        )
        parser.add_argument("--days", type=int, help="days until the token expires (default: never)")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"], is_active=True).first()
        if user is None:
            raise CommandError(f"there is no account named {options['user']}")
        campaign = campaign_named(options["campaign"]) if options["campaign"] else None
        terms = {name: options[name] for name in ("name", "scopes", "days")}
        try:
            with acting_as(COMMAND_LINE):
                _, secret = tokens.make(user=user, campaign=campaign, **terms)
        except Refusal as refused:
            raise CommandError(refused.detail) from refused
        self.stdout.write(secret)
