from __future__ import annotations

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from campaigns.formats.collections import iter_documents
from campaigns.management.loading import LoadingCommand
from campaigns.models import Campaign
from campaigns.services.documents import store_documents


class Command(LoadingCommand):
    help = "Load documents (JSONL, TSV, TREC, SMART; plain, .gz, .xz or .zst) into a campaign's collection."

    def take(self, campaign: Campaign, user: User, path: Path, options: dict[str, Any]) -> str:
        records = iter_documents(path, str(path))
        stored = store_documents(collection=campaign.collection, records=records, file=str(path))
        return f"{stored:,} documents"
