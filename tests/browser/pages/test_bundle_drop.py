"""A bundle dropped on the list of campaigns."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from campaigns.models import Campaign
from campaigns.setup import campaigns as services
from tests.browser.organiser import sign_in
from tests.browser.setup.test_setup import drop
from tests.campaigns.factories import Api, make_user


def test_a_bundle_dropped_on_the_list_becomes_a_campaign(page: Page, live_site: str, tmp_path: Path) -> None:
    source = services.create(organiser=make_user("ada"), name="Source")
    bundle = tmp_path / "source.bundle.zip"
    bundle.write_bytes(Api(source, "ada").get("bundle/").getvalue())
    Campaign.objects.filter(id=source.id).update(slug="elsewhere")
    sign_in(page, live_site, "ada")
    page.goto("/campaigns/")
    drop(page, "main", bundle)
    page.wait_for_url("**/campaigns/source/**")
    assert set(Campaign.objects.values_list("slug", flat=True)) == {"source", "elsewhere"}
