"""Campaigns of earlier versions, whose methods had an option that there no longer is."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign
from tests.campaigns.exchange.bundles.bundle_copies import copied, forged, packed
from tests.campaigns.factories import make_campaign, signed_in

pytestmark = pytest.mark.django_db


def older() -> Campaign:
    campaign = make_campaign()
    Campaign.objects.update(options={"power": 2, "probe_share": 0.2})
    campaign.topics.filter(number="1").update(method="A", options={"probe_share": 0.1})
    campaign.refresh_from_db()
    return campaign


def with_share(bundle: bytes) -> bytes:
    def change(entry: bytes) -> bytes:
        row = json.loads(entry)
        row["campaign"]["options"]["probe_share"] = 0.2
        return json.dumps(row).encode() + b"\n"

    return forged(bundle, "campaign.json", change)


def test_bundles_come_without_the_removed_option_and_the_history_names_it() -> None:
    copy = copied(packed(older()))
    assert (copy.options, copy.topics.get(number="1").options) == ({"power": 2}, {})
    recompute(copy.id)
    deed = copy.deeds.filter(kind="bundle imported").get()
    assert deed.detail["dropped"] == ["probe_share"]
    again = copied(packed(copy), slug="again")
    assert "dropped" not in again.deeds.filter(kind="bundle imported").latest("id").detail


def test_pages_and_command_name_the_removed_option(tmp_path: Path) -> None:
    content = with_share(packed(make_campaign()))
    file = SimpleUploadedFile("older.bundle.zip", content)
    ada = signed_in("Small-ada")
    page = ada.post("/campaigns/new/bundle/", {"file": file, "slug": "older"}, follow=True)
    assert "Left out, as methods no longer have it: the option probe_share." in page.content.decode()
    history = ada.get("/campaigns/older/history/").content.decode()
    assert "without the option probe_share, which methods no longer have" in history
    path, told = tmp_path / "older.bundle.zip", StringIO()
    path.write_bytes(content)
    call_command("import_bundle", path, "--slug", "other", stderr=told, stdout=StringIO())
    assert "left out, as methods no longer have it: the option probe_share" in told.getvalue()
