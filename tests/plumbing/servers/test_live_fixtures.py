"""What the browser tests stand on: worker, web server and page share one committed database."""

import pytest
import redis
from django.conf import settings
from django.contrib.auth.models import User
from playwright.sync_api import Page

from campaigns.computing.tasks import heartbeat
from campaigns.models import Heartbeat
from config.embedded.processes import Child
from tests.config.embedded.supervisor_process import eventually
from tests.plumbing.idle import QUEUES, wait_for, wait_until_idle


def beats() -> bool:
    """Like beat, which sends another where one is lost."""
    heartbeat.delay()
    wait_until_idle()
    return Heartbeat.objects.exists()


def test_the_worker_is_a_prefork_tree_on_the_tests_database(celery_worker: Child) -> None:
    wait_for(beats)
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


def test_the_worker_rests_while_no_test_asks_for_it(
    transactional_db: None, celery_worker_process: Child
) -> None:
    heartbeat.delay()
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        eventually(lambda: broker.exists(*QUEUES) == 1, "the task waits in its queue")
    assert not Heartbeat.objects.exists()


def test_a_killed_worker_is_there_again_for_the_next_test(celery_worker: Child) -> None:
    celery_worker.kill_group()


def test_after_a_kill(celery_worker: Child) -> None:
    wait_for(beats)
