"""What the browser tests stand on: worker, web server and page share one committed database."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from campaigns.models import Heartbeat
from campaigns.tasks.periodic import heartbeat
from config.embedded.child import Child
from tests.plumbing.live import wait_until_idle


def test_the_worker_is_a_prefork_tree_on_the_tests_database(celery_worker: Child) -> None:
    heartbeat.delay()
    wait_until_idle()
    assert Heartbeat.objects.filter(name="worker").exists()


@pytest.mark.parametrize("visit", ["first", "second"])
def test_a_page_signs_in_with_what_the_test_committed(page: Page, visit: str) -> None:
    # The second visit finds the tables emptied: the name is free again.
    User.objects.create_user("ada", password="correct horse battery")
    page.goto("/sign-in/")
    page.locator("[name=username]").fill("ada")
    page.locator("[name=password]").fill("correct horse battery")
    page.locator("[name=password]").press("Enter")
    page.wait_for_url(lambda url: "sign-in" not in url)
    assert [cookie["name"] for cookie in page.context.cookies()].count("sessionid") == 1
