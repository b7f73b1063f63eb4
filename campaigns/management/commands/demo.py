from __future__ import annotations

import time
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from campaigns.core.errors import Refusal
from campaigns.formats.errors import FormatError
from campaigns.management.demo import loading
from campaigns.management.demo.files import build_apart
from campaigns.models import Campaign


class Command(BaseCommand):
    help = "Make the demo campaign out of this machine's Python libraries, unless it is there already."

    def handle(self, *args: Any, **options: Any) -> None:
        folder = Path(settings.DATA_DIR) / "demo"
        campaign = Campaign.objects.filter(slug=loading.SLUG).first() or self.make(folder)
        self.stdout.write(_summary(campaign))
        passwords = loading.known_passwords(folder)
        for username, role in loading.ROLES.items():
            password = passwords.get(username) or "as it was set before"
            self.stdout.write(f"Sign in as {username:<6} ({role}), password {password}")

    def make(self, folder: Path) -> Campaign:
        folder.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        try:
            self.stdout.write("Making the demo campaign: reading Python's libraries, ranking them")
            build_apart(folder)
            self.stdout.write("Storing documents, topics, runs and judgments")
            campaign, absent = loading.load(folder)
        except (Refusal, FormatError, CalledProcessError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Made the demo campaign in {time.monotonic() - started:.0f} s.")
        if absent:
            self.stdout.write(
                f"{absent:,} of the stored judgments are of documents that this installation does not have;"
                " they were left out."
            )
        return campaign


def _summary(campaign: Campaign) -> str:
    counts = {
        "documents": campaign.collection.documents.count(),
        "topics": campaign.topics.count(),
        "runs": campaign.runs.count(),
        "judgments": campaign.judgments.count(),
    }
    listed = ", ".join(f"{count:,} {what}" for what, count in counts.items())
    return f"{campaign.name}: {listed}."
