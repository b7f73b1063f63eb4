"""Unfinished requests, unread answers and too many connections cost other clients nothing."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.config.own_sites import connect, form, head, own_site, page, read_to_end, status_of
from tests.plumbing.idle import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

UNFINISHED_HEAD = b"GET /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
LARGE_FILE = "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"
MORE_THAN_SOCKETS_HOLD = 10
FEW_FILES = 256


@pytest.fixture(scope="module", params=["HttpToolsConnection", "H11Connection"])
def impatient(request: pytest.FixtureRequest, live_environment: dict[str, str]) -> Iterator[str]:
    """A site that waits half a second for what is missing, in each of uvicorn's two ways to read HTTP."""
    environment = {**live_environment, "SLOW_CLIENT_SECONDS": "0.5"}
    short = "import config.web.client_disconnect as waits; waits.STALLED_SECONDS = 0.5"
    with own_site(environment, before=short, protocol=request.param) as (site, _):
        yield site


def test_new_connection_that_sends_nothing_ends(impatient: str) -> None:
    with connect(impatient) as client:
        assert read_to_end(client) == b""


def test_unfinished_head_ends(impatient: str) -> None:
    with connect(impatient, UNFINISHED_HEAD) as client:
        assert status_of(read_to_end(client)) == 408


def test_head_that_grows_ends_all_the_same(impatient: str) -> None:
    with connect(impatient, UNFINISHED_HEAD) as client:
        client.settimeout(0.1)
        answer = b""
        while not answer:
            try:
                answer = client.recv(1000)
            except TimeoutError:
                client.sendall(b"A: b\r\n")
        assert status_of(answer) == 408


def test_second_head_on_a_connection_has_the_same_deadline(impatient: str) -> None:
    with connect(impatient, head("GET", "/sign-in/")) as client:
        while b"</html>" not in client.recv(1 << 16):
            pass
        client.sendall(UNFINISHED_HEAD)
        assert status_of(read_to_end(client)) == 408


def test_head_in_pieces_is_answered(impatient: str) -> None:
    with connect(impatient) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in (
            b"GET /sign-in/ HT",
            b"TP/1.1\r\nHos",
            b"t: 127.0.0.1\r\nConnection: close\r",
            b"\n\r\n",
        ):
            client.sendall(piece)
        assert status_of(read_to_end(client)) == 200


def test_endless_head_ends(impatient: str) -> None:
    with connect(impatient, UNFINISHED_HEAD) as client:
        try:
            for _ in range(1000):
                client.sendall(b"A: " + b"b" * 10_000 + b"\r\n")
        except ConnectionError:
            pass
        else:
            pytest.fail("the site took a head of ten megabytes")


def test_unfinished_body_ends(impatient: str) -> None:
    with connect(impatient, form(100) + b"username=") as client:
        answer = read_to_end(client)
    assert status_of(answer) == 408
    assert b"too slowly" in answer


def test_unfinished_body_sent_to_the_api_ends_as_a_problem(impatient: str) -> None:
    address = "/api/v1/campaigns/small/judgments/"
    with connect(
        impatient, head("POST", address, content_type="application/json", content_length=100)
    ) as client:
        answer = read_to_end(client)
    assert status_of(answer) == 408
    assert b"application/problem+json" in answer
    assert b'"too_slow"' in answer


def test_answer_that_nobody_reads_ends(impatient: str) -> None:
    with connect(impatient, head("GET", LARGE_FILE) * MORE_THAN_SOCKETS_HOLD) as client:
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
        wait_for(lambda: not held_by_the_site(client))


def test_answers_that_nobody_reads_leave_threads_free(live_site: str) -> None:
    with ExitStack() as stack:
        for _ in range(30):
            client = stack.enter_context(connect(live_site, head("GET", LARGE_FILE) * MORE_THAN_SOCKETS_HOLD))
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
        assert page(live_site) == 200


def held_by_the_site(client: socket.socket) -> bool:
    """Whether the server's process still has its end. The kernel's own attempts go on for a while."""
    ends = [f":{port:04X}" for port in (client.getpeername()[1], client.getsockname()[1])]
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
    return any(row[1].endswith(ends[0]) and row[2].endswith(ends[1]) and row[9] != "0" for row in rows)


def test_more_connections_than_files_end_the_oldest(live_environment: dict[str, str]) -> None:
    few = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({FEW_FILES}, {FEW_FILES}))"
    with ExitStack() as stack:
        site, _ = stack.enter_context(own_site(live_environment, before=few))
        clients = [stack.enter_context(connect(site, UNFINISHED_HEAD)) for _ in range(2 * FEW_FILES)]
        assert page(site) == 200
        assert status_of(read_to_end(clients[0])) == 503
