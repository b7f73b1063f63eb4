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
    help = "Make an API token for an account; its secret is the only thing on standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER", help="the account in whose name the token acts")
        parser.add_argument(
            "--scope",
            dest="scopes",
            choices=TokenScope.values,
            action="append",
            required=True,
            help="what it may do, out of what the account may; may be given several times",
        )
        parser.add_argument(
            "--campaign", metavar="CAMPAIGN", help="for this one only; by default for all of the account's"
        )
        parser.add_argument("--name", default="from the command line", help="by which its owner knows it")
        parser.add_argument("--days", type=int, help="how long it holds; by default until it is revoked")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"], is_active=True).first()
        if user is None:
            raise CommandError(f"there is no account named {options['user']}")
        campaign = campaign_named(options["campaign"]) if options["campaign"] else None
        wish = {name: options[name] for name in ("name", "scopes", "days")}
        try:
            with acting_as(COMMAND_LINE):
                _, secret = tokens.make(user=user, campaign=campaign, **wish)
        except Refusal as refused:
            raise CommandError(refused.detail) from refused
        self.stdout.write(secret)
