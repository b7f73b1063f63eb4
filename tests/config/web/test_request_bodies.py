"""Bodies are read before a thread is taken, and only from those who may send them."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPResponse
from typing import Any

import pytest
import requests
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.parsers import MultiPartParser

from campaigns.models import Campaign, Topic
from campaigns.people import tokens
from config.web.request_bodies import SMALL_BYTES, Spool
from config.web.upload_addresses import FILE_BYTES, FORM_BYTES
from tests.campaigns.computing.test_live_loop import Person
from tests.campaigns.factories import make_campaign
from tests.config.own_sites import connect, form, head, page, status_of, upload
from tests.plumbing.idle import PATIENCE, wait_for

RUNS, TOPICS = "/api/v1/campaigns/small/runs/", "/api/v1/campaigns/small/topics/"
EVENTS = "/api/v1/campaigns/small/events/"
MEGABYTE = 1 << 20
# More than there are threads for pages.
MANY = 14

live = pytest.mark.django_db(transaction=True)


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    return make_campaign("Small")


def token_of(username: str) -> str:
    _, secret = tokens.make(user=User.objects.get(username=username), name="a", scopes=["organise"])
    return f"Token {secret}"


def answer_to(site: str, sent: bytes) -> tuple[int, str]:
    """What the site answers before it has any of the body."""
    with connect(site, sent) as client:
        answer = HTTPResponse(client)
        answer.begin()
        return answer.status, answer.read().decode()


@live
def test_unfinished_bodies_leave_threads_free(live_site: str) -> None:
    with ExitStack() as stack:
        for _ in range(3 * MANY):
            stack.enter_context(connect(live_site, form(100) + b"username="))
        assert page(live_site) == 200


@live
def test_waiting_uploads_leave_threads_free(live_site: str, campaign: Campaign) -> None:
    headers, grace = {"Authorization": token_of("Small-ada")}, Person(live_site, "Small-grace")
    answers = []

    def send(number: int) -> None:
        file = {"file": ("topics.txt", f"{number}\ta title\n".encode())}
        answers.append(
            requests.post(live_site + TOPICS, files=file, headers=headers, timeout=PATIENCE).status_code
        )

    uploads = [threading.Thread(target=send, args=(100 + number,), daemon=True) for number in range(MANY)]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE campaigns_topic IN EXCLUSIVE MODE")
        for one in uploads:
            one.start()
        wait_for(lambda: _waiting_for_the_lock() > 0)
        # It takes a thread and reads the database.
        status, _ = grace.send("GET", f"/api/v1/campaigns/{campaign.slug}/")
        assert status == 200
    for one in uploads:
        one.join(PATIENCE)
    assert answers == [201] * MANY


def _waiting_for_the_lock() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return int(cursor.fetchone()[0])


@live
@pytest.mark.parametrize(
    ("sender", "status"),
    [
        ({}, 401),
        ({"cookie": "sessionid=forged"}, 401),
        ({"authorization": f"Token assess_{'a' * 43}"}, 401),
        ({"authorization": "Basic x"}, 401),
    ],
)
def test_api_stores_no_file_of_a_stranger(
    live_site: str, campaign: Campaign, sender: dict[str, str], status: int
) -> None:
    found, body = answer_to(live_site, upload(RUNS, 400 * MEGABYTE, **sender))
    assert (found, "code" in json.loads(body)) == (status, True)


@live
@pytest.mark.parametrize(("username", "status"), [("Small-grace", 403), ("Large-ada", 404)])
def test_api_stores_files_of_organisers_only(
    live_site: str, campaign: Campaign, username: str, status: int
) -> None:
    make_campaign("Large")
    sent = upload(RUNS, 400 * MEGABYTE, authorization=token_of(username))
    assert answer_to(live_site, sent)[0] == status


@live
@pytest.mark.parametrize("sent", [upload("/campaigns/new/bundle/", MEGABYTE), form(SMALL_BYTES + 1)])
def test_pages_store_little_of_a_stranger(live_site: str, sent: bytes) -> None:
    status, body = answer_to(live_site, sent)
    assert status == 413
    assert "Only people who are signed in may send so much." in body


@live
def test_file_has_a_limit_by_its_address(live_site: str, campaign: Campaign) -> None:
    sender = {"authorization": token_of("Small-ada")}
    too_long = FILE_BYTES["api:topics"] + FORM_BYTES + 1
    status, body = answer_to(live_site, upload(TOPICS, too_long, **sender))
    problem = json.loads(body)
    assert (status, problem["code"]) == (413, "too_large")
    assert problem["detail"] == "This address takes at most 68,157,440 bytes. Nothing was stored."


@live
def test_form_has_a_limit_everywhere(live_site: str, campaign: Campaign) -> None:
    ada = Person(live_site, "Small-ada")
    length = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1
    page_form = head("POST", "/tokens/", content_type="text/plain", content_length=length, cookie=ada.cookie)
    status, body = answer_to(live_site, page_form)
    assert status == 413
    assert "This address takes at most 5.0" in body
    wish = head(
        "PATCH",
        "/api/v1/campaigns/small/",
        content_type="application/json",
        content_length=length,
        cookie=ada.cookie,
    )
    status, body = answer_to(live_site, wish)
    assert (status, json.loads(body)["code"]) == (413, "too_large")
    assert "5,242,880" in body


@live
def test_refused_client_that_sends_on_reads_the_answer(live_site: str, campaign: Campaign) -> None:
    refused = requests.post(
        live_site + RUNS, files={"file": ("a.run", b"x" * 20 * MEGABYTE)}, timeout=PATIENCE
    )
    assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated")


@live
def test_long_upload_arrives_whole(live_site: str, campaign: Campaign) -> None:
    # Few long titles: storing tens of thousands of topics would take minutes on a busy machine.
    lines = "".join(f"{number}\ttitle {number}{' word' * 100}\n" for number in range(1000, 4000)).encode()
    assert len(lines) > MEGABYTE
    headers = {"Authorization": token_of("Small-ada")}
    sent = requests.post(
        live_site + TOPICS, files={"file": ("topics.txt", lines)}, headers=headers, timeout=PATIENCE
    )
    assert sent.status_code == 201, sent.text
    assert Topic.objects.filter(title__startswith="title 3999 ").count() == 1


@live
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_event_stream_stores_no_body(live_site: str, campaign: Campaign, method: str) -> None:
    sent = head(method, EVENTS, content_type="text/plain", content_length=400 * MEGABYTE)
    with connect(live_site, sent) as client:
        assert status_of(client.recv(1000)) == (401 if method == "GET" else 405)


def test_every_address_that_takes_files_has_a_limit() -> None:
    assert {name for name, view in _views(get_resolver()) if _takes_files(view)} == {
        name for name in FILE_BYTES if name.startswith("api:")
    }


def _views(resolver: URLResolver, space: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for entry in resolver.url_patterns:
        if isinstance(entry, URLPattern):
            found.append((f"{space}{entry.name}", entry.callback))
        else:
            found += _views(entry, f"{entry.namespace}:" if entry.namespace else space)
    return found


def _takes_files(callback: Any) -> bool:
    view = getattr(callback, "cls", None)
    if view is None or not hasattr(view, "post"):
        return False
    return any(isinstance(parser, MultiPartParser) for parser in view().get_parsers())


@pytest.mark.parametrize("length", [10, 3_000_000])
def test_spool_gives_back_what_it_got(length: int) -> None:
    content = bytes(range(250)) * (length // 250 + 1)

    async def spooled() -> bytes:
        spool, source = Spool(len(content)), io.BytesIO(content)
        while piece := source.read(70_000):
            await spool.add(piece)
        with await spool.finish() as body:
            return body.read()

    # Where a browser was before, this thread has a loop already.
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(asyncio.run, spooled()).result() == content
