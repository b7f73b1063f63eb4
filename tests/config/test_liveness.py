"""A web process whose event loop stands still ends itself; `/healthz` is answered by that loop alone."""

from __future__ import annotations

import asyncio
import faulthandler
import http.client
import os
import select
import signal
from contextlib import closing
from urllib.parse import urlsplit

import pytest
import uvicorn

from config.embedded.web import TICKS_BETWEEN, WatchedServer
from tests.config.own_sites import connect, head, own_site, page
from tests.plumbing.idle import PATIENCE, wait_for

pytestmark = pytest.mark.django_db(transaction=True)

# Backtracks for longer than anybody waits, and holds the GIL meanwhile.
ENDLESS_MATCH = "re.match(r'(?:a+)+$', 'a' * 64 + 'b')"
BLOCKED = {
    "the loop waits": "time.sleep(3600)",
    "the loop computes": ENDLESS_MATCH,
    "a thread holds the GIL": f"threading.Thread(target=lambda: {ENDLESS_MATCH}).start()",
}
# A signal's handler runs in the thread of the event loop.
ON_SIGNAL = """
import re, signal, threading, time
import uvicorn
import config.embedded.web as web
signal.signal(signal.SIGUSR1, lambda *_: {then})
"""
# Less patient only from the tick that blocks, or a busy machine would end the process before.
BLOCKING = f"""
{ON_SIGNAL.format(then="impatient()")}
block = lambda: {{block}}
tick = uvicorn.Server.on_tick

async def last_tick(server, counter):
    block()
    return await tick(server, counter)

def impatient():
    web.WatchedServer.still_seconds, web.TICKS_BETWEEN = 1.5, 1
    uvicorn.Server.on_tick = last_tick
"""


@pytest.mark.parametrize("block", BLOCKED.values(), ids=BLOCKED)
def test_process_ends_and_names_the_line_when_its_loop_stands_still(
    live_environment: dict[str, str], block: str
) -> None:
    with own_site(live_environment, before=BLOCKING.format(block=block)) as (site, child):
        assert page(site) == 200
        os.kill(child.pid, signal.SIGUSR1)
        wait_for(lambda: not child.running)
        assert child.exit_code == 1
        assert "Timeout (0:00:01.500000)!" in child.last_words(200)
        assert "<lambda>" in child.last_words(200)


def test_shutdown_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(faulthandler, "dump_traceback_later", lambda *_, **__: calls.append("watch"))
    monkeypatch.setattr(faulthandler, "cancel_dump_traceback_later", lambda: calls.append("cancel"))
    config = uvicorn.Config("config.asgi:application")
    config.encoded_headers = []
    server = WatchedServer(config)
    asyncio.run(server.on_tick(0))
    server.should_exit = True
    asyncio.run(server.on_tick(TICKS_BETWEEN))
    assert calls == ["watch", "watch", "cancel"]


def ask(site: str, method: str, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    with closing(http.client.HTTPConnection(urlsplit(site).netloc, timeout=PATIENCE)) as line:
        line.request(method, "/healthz", headers=headers)
        answer = line.getresponse()
        return answer.status, answer.headers, answer.read()


def test_healthz_takes_any_host_and_has_the_policies(live_site: str) -> None:
    status, headers, body = ask(live_site, "GET", Host="10.0.0.7:8000")
    assert (status, body) == (200, b"alive\n")
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert (headers["X-Content-Type-Options"], headers["Cache-Control"]) == ("nosniff", "no-store")
    assert "Set-Cookie" not in headers
    assert ask(live_site, "HEAD")[0::2] == (200, b"")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_healthz_takes_no_other_method(live_site: str, method: str) -> None:
    status, headers, _ = ask(live_site, method)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


def test_healthz_answers_while_every_thread_waits(live_environment: dict[str, str]) -> None:
    busy = "__import__('config.asgi').asgi.pages.executor.submit(time.sleep, 60)"
    environment = {**live_environment, "WEB_THREADS": "1"}
    with own_site(environment, before=ON_SIGNAL.format(then=busy)) as (site, child):
        os.kill(child.pid, signal.SIGUSR1)
        assert ask(site, "GET")[0] == 200
        with connect(site, head("GET", "/sign-in/")) as waiting:
            assert ask(site, "GET")[0] == 200
            assert select.select([waiting], [], [], 0)[0] == []
