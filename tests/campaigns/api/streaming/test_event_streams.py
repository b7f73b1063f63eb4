"""Event streams: sent to all in order, nothing lost or doubled, slow pages bounded, and what pages receive
beside the events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from threading import Barrier, Event
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections, transaction

from campaigns import models
from campaigns.api.streaming import frames
from campaigns.api.streaming.frames import Batch
from campaigns.api.streaming.listener import MOST_WAITING, Listener
from campaigns.api.streaming.room import Room, spacing
from campaigns.log.events import publish
from campaigns.models import Campaign, Membership
from campaigns.overview.parts import BEFORE, BELOW
from campaigns.people import tokens
from tests.campaigns.api.streaming.test_token_streams import ask
from tests.campaigns.factories import make_campaign
from tests.plumbing.idle import wait_for

ROOT = "/api/v1/campaigns/small/events/"


def message(id: int, before: int = 0) -> frames.Message:
    return {"id": id, "before": before, "kind": "status", "data": {"n": id}}


def ids(text: bytes) -> list[int]:
    return [int(line[4:]) for line in text.splitlines() if line.startswith(b"id: ")]


def numbers(text: bytes) -> list[int]:
    data = [json.loads(line[6:]) for line in text.splitlines() if line.startswith(b"data: ")]
    return [one["n"] for one in data if "n" in one]


def test_of_a_batch_a_page_gets_what_is_new_to_it() -> None:
    batch = Batch.of([message(9), message(11), message(12)])
    assert numbers(batch.whole) == ids(batch.whole) == [9, 11, 12]
    assert numbers(batch.after(11)) == [12]


def test_the_more_listen_the_more_is_told_at_once() -> None:
    found = [spacing(listeners) for listeners in (1, 20, 100, 200, 10_000)]
    assert found == [0.1, 0.1, 0.5, 1.0, 1.0]


@pytest.fixture
def campaign(transactional_db: None) -> Iterator[Campaign]:
    yield make_campaign("Small")
    # The streams' threads keep their connections: not beyond this test's database.
    here = Barrier(frames.THREADS)

    def close() -> None:
        here.wait()
        connections.close_all()

    for closed in [frames.threads.submit(close) for _ in range(frames.THREADS)]:
        closed.result()


def make_events(campaign: Campaign, count: int) -> list[int]:
    """Ids of so many new rows, for which no stream is woken."""
    rows = [models.Event(campaign=campaign, kind="status", data={"n": number}) for number in range(count)]
    return [row.id for row in models.Event.objects.bulk_create(rows)]


def test_a_page_that_comes_in_the_middle_hears_everything_once(campaign: Campaign) -> None:
    known = make_events(campaign, 5)

    async def heard() -> bytes:
        listener = Listener(campaign.id, 0)
        # These came in while the rows were read.
        listener.tell(Batch.of([message(known[3]), message(known[4]), message(known[4] + 1)]))
        listener.tell(Batch.of([message(known[4] + 2)]))
        stream = aiter(listener.stream(known[1]))
        return await anext(stream) + await anext(stream)

    text = asyncio.run(heard())
    assert ids(text) == [*known[2:], known[4] + 1, known[4] + 2]


def test_a_page_that_cannot_keep_up_reads_the_rows(campaign: Campaign) -> None:
    known = make_events(campaign, 2 * MOST_WAITING)

    async def heard() -> tuple[bytes, int, dict[str, str]]:
        listener = Listener(campaign.id, 0)
        listener.given = {"pairs": "known"}
        stream = aiter(listener.stream(known[-1]))
        waiting = asyncio.ensure_future(anext(stream))
        # Let it begin to wait; then more comes than it may keep, before it has its turn.
        await frames.in_thread(frames.newest, campaign.id)
        more = await frames.in_thread(partial(make_events, campaign, 2 * MOST_WAITING))
        for id in more:
            listener.tell(Batch.of([message(id)]))
        return await waiting, len(more), listener.given

    text, count, given = asyncio.run(heard())
    found = ids(text)
    assert len(found) == len(set(found)) == count
    assert found == sorted(found)
    # Parts of the page that were thrown away with the rest will be sent again.
    assert given == {}


@pytest.mark.parametrize("heard", [[0, 1, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2], [1, 2, 3], [0, 2], [3, 2, 1, 0]])
def test_what_the_broker_tells_out_of_turn_or_not_at_all_is_told_in_order(
    campaign: Campaign, heard: list[int]
) -> None:
    (before,) = make_events(campaign, 1)
    ada = User.objects.get(username="Small-ada")

    async def listened() -> bytes:
        room, listener = Room(campaign.id), Listener(campaign.id, ada.id)
        room.enter(listener)
        stream = aiter(listener.stream(before - 1))
        assert ids(await anext(stream)) == [before]
        known = [before, *await frames.in_thread(partial(make_events, campaign, 1 + max(heard)))]
        for place in heard:
            room.hear(message(known[place + 1], known[place]))
            # Each in a piece of its own.
            while room.gathering:
                await asyncio.sleep(0.01)
        found = b""
        while len(ids(found)) < len(known) - 1:
            found += await anext(stream)
        room.leave(listener)
        return found

    text = asyncio.run(asyncio.wait_for(listened(), 60))
    assert numbers(text) == [*range(1 + max(heard))]
    assert ids(text) == sorted(ids(text))


def test_whoever_has_seen_one_finds_all_that_came_before_it(campaign: Campaign) -> None:
    """The first to publish is the last to commit."""
    published, go_on = Event(), Event()

    def slow() -> None:
        with closing(connections["default"]), transaction.atomic():
            publish(campaign=campaign.id, events=[("status", {"n": 0})])
            published.set()
            go_on.wait(60)

    def quick() -> None:
        with closing(connections["default"]):
            publish_one(campaign, 1)

    def read_from(seen: int) -> list[frames.Message]:
        with closing(connections["default"]):
            return frames.first_after(campaign.id, seen)

    with ThreadPoolExecutor(3) as people:
        first = people.submit(slow)
        assert published.wait(60)
        second = people.submit(quick)
        wait_for(lambda: second.done() or someone_waits())
        before = people.submit(read_from, 0).result()
        go_on.set()
        first.result()
        second.result()
        after = people.submit(read_from, before[-1]["id"] if before else 0).result()
    assert [one["data"]["n"] for one in before + after if "n" in one["data"]] == [0, 1]


def someone_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return bool(cursor.fetchone() == (1,))


def heard_of(listener: Listener, last_seen: int, pieces: int) -> list[list[int]]:
    async def heard() -> list[list[int]]:
        stream = aiter(listener.stream(last_seen))
        return [ids(await anext(stream)) for _ in range(pieces)]

    return asyncio.run(heard())


def test_a_program_that_was_long_away_is_told_all_that_is_kept(campaign: Campaign) -> None:
    known = make_events(campaign, 2 * frames.MOST_AT_ONCE + 5)
    pieces = heard_of(Listener(campaign.id, 0), known[0], 3)
    assert [id for piece in pieces for id in piece] == known[1:]
    assert max(map(len, pieces)) == frames.MOST_AT_ONCE
    # A page shows how things are now.
    assert heard_of(Listener(campaign.id, 0, page=True), known[0], 1) == [known[-frames.MOST_AT_ONCE :]]


def test_an_id_that_was_never_given_hides_nothing(campaign: Campaign) -> None:
    latest = make_events(campaign, 1)[0]

    async def heard() -> bytes:
        listener = Listener(campaign.id, 0)
        listener.tell(Batch.of([message(latest + 1)]))
        return await anext(aiter(listener.stream(10**17)))

    assert ids(asyncio.run(heard())) == [latest + 1]


# On the real server, whose events come by the broker.


def listen(site: str, campaign: Campaign, query: str = "", username: str = "Small-ada") -> Any:
    user = User.objects.get(username=username)
    secret = tokens.make(user=user, name="listener", scopes=["read"], campaign=campaign)[1]
    return closing(ask(site, secret, f"{ROOT}{query}"))


def until(stream: Any, wanted: bytes) -> bytes:
    """What comes up to a line that begins so. The server says something every few seconds, until it ends."""
    lines = []
    for line in stream:
        lines.append(line)
        if line.startswith(wanted):
            return b"".join(lines)
    raise AssertionError(f"{wanted!r} never came: {lines}")


def publish_one(campaign: Campaign, number: int) -> None:
    with transaction.atomic():
        publish(campaign=campaign.id, events=[("status", {"n": number})])


def test_all_pages_hear_the_same(live_site: str) -> None:
    campaign = make_campaign("Small")
    with listen(live_site, campaign, "?last_event_id=0") as one, listen(live_site, campaign) as other:
        until(one, b"retry")
        until(other, b": still here")
        for number in range(50):
            publish_one(campaign, number)
        texts = [until(one, b'data: {"n": 49}'), until(other, b'data: {"n": 49}')]
    assert [numbers(text) for text in texts] == [[*range(50)], [*range(50)]]
    assert ids(texts[0])[-50:] == ids(texts[1])


def test_pages_are_told_what_they_show_beside_the_events(live_site: str) -> None:
    campaign = make_campaign("Small")
    with listen(live_site, campaign, "?page=true") as stream:
        assert stream.status == 200
        text = until(stream, b"event: panel") + until(stream, b'data: {"name": "stamps"')
    data = [json.loads(line[6:]) for line in text.splitlines() if line.startswith(b"data: ")]
    health = data[0]
    assert (health["campaign"], health["broker"], health["database"]) == ("open", "up", "up")
    parts = {part["name"]: part["html"] for part in data if "html" in part}
    assert 'class="run-rows"' in parts["ranges"]
    assert "mean over all 2 topics" in parts["ranges"]
    assert set(parts) == {*BEFORE, *BELOW}
    # None of it is an event that could be missed.
    assert ids(text) == []


def test_a_page_gets_its_own_scope(live_site: str) -> None:
    campaign = make_campaign("Small")
    with listen(live_site, campaign, "?page=true&topics=judged") as stream:
        text = until(stream, b"event: panel") + until(stream, b'data: {"name": "stamps"')
    assert "mean over the 0 topics with a judgment" in text.decode()
    with listen(live_site, campaign, "?page=true&topics=some") as reply:
        assert reply.status == 400


def test_a_page_says_whether_it_is_one(live_site: str) -> None:
    campaign = make_campaign("Small")
    with listen(live_site, campaign, "?page=perhaps") as reply:
        assert reply.status == 400
        assert json.loads(reply.read())["errors"][0]["field"] == "page"


def test_who_organises_no_more_hears_no_more(live_site: str) -> None:
    campaign = make_campaign("Small")
    grace = Membership.objects.get(campaign=campaign, user__username="Small-grace")
    grace.role = Membership.Role.ORGANISER
    grace.save()
    with listen(live_site, campaign, username="Small-grace") as stream:
        until(stream, b": still here")
        grace.role = Membership.Role.ASSESSOR
        grace.save()
        # Were it not ended, there would be no end.
        assert b"event" not in stream.read()
