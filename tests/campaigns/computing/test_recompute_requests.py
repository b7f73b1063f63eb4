"""One message is enough for a campaign that no process has in hand; what a crash takes is written again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.db import connection

from campaigns.computing import stored_queues, tasks, worker
from campaigns.computing.live import LiveCampaign
from campaigns.computing.phases import Phase, all_rows, look_aheads, next_phase
from campaigns.computing.tasks import recompute
from campaigns.computing.written import Written
from campaigns.core import recompute_queue
from campaigns.core.broker import broker
from campaigns.core.database import Space
from campaigns.core.jobs import send
from campaigns.core.recompute_queue import CampaignInHand, forget_messages, send_recompute
from campaigns.models import Campaign, Claim, Computed, Priority
from tests.campaigns.factories import Api, make_campaign
from tests.plumbing.idle import forget_tasks

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_tasks() -> Iterator[None]:
    forget_tasks()
    yield
    forget_tasks()


def waiting() -> list[str]:
    """The names of the tasks that no process has begun, the latest first."""
    return [json.loads(each)["headers"]["task"] for each in broker().lrange("campaigns", 0, -1)]


def is_announced(campaign: Campaign) -> bool:
    """Return whether a commit sends a message now."""
    before = len(waiting())
    send_recompute(campaign.id)
    return len(waiting()) > before


def test_one_message_is_under_way_until_the_work_is_done() -> None:
    campaign = make_campaign()
    assert is_announced(campaign)
    assert not is_announced(campaign)
    recompute(campaign.id)
    assert is_announced(campaign)


def test_a_process_that_fails_lets_go(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()

    def fail(live: object, written: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(worker, "next_phase", fail)
    with pytest.raises(RuntimeError):
        recompute(campaign.id)
    assert is_announced(campaign)


def test_a_campaign_that_another_process_computes_stays_in_hand() -> None:
    campaign = make_campaign()
    with ThreadPoolExecutor(1) as other:
        other.submit(lock, campaign.id).result()
        recompute(campaign.id)
        other.submit(unlock).result()
    assert not Computed.objects.filter(campaign=campaign).exists()
    assert not is_announced(campaign)


def lock(campaign: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [Space.COMPUTING.value, campaign])


def unlock() -> None:
    connection.close()


def test_a_campaign_without_runs_is_let_go() -> None:
    campaign = make_campaign()
    campaign.runs.all().delete()
    recompute(campaign.id)
    assert is_announced(campaign)


@contextmanager
def refusing_broker() -> Iterator[None]:
    """Redis takes marks and no messages."""
    broker().acl_setuser("default", enabled=True, commands=["-lpush"])
    try:
        yield
    finally:
        broker().acl_setuser("default", enabled=True, commands=["+lpush"])


def test_no_mark_stays_of_a_message_that_the_broker_refuses(caplog: pytest.LogCaptureFixture) -> None:
    campaign = make_campaign()
    send("campaigns.advise_where_due")
    with refusing_broker():
        send_recompute(campaign.id)
        assert "not sent, the broker is silent" in caplog.text
        with CampaignInHand(campaign.id) as hand:
            # Others wait, but a process that left now would leave the campaign to nobody.
            assert not hand.give_way()
        assert hand.is_free
    assert waiting() == ["campaigns.advise_where_due"]
    assert is_announced(campaign)


def test_a_process_killed_before_it_sends_leaves_a_short_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()

    def seconds_left() -> int:
        [mark] = broker().scan_iter("under-way:*")
        return int(broker().ttl(mark))

    def killed(*_: object) -> None:
        raise SystemExit

    monkeypatch.setattr(recompute_queue, "send", killed)
    with pytest.raises(SystemExit):
        send_recompute(campaign.id)
    assert 0 <= seconds_left() <= recompute_queue.UNSENT_SECONDS
    monkeypatch.undo()
    forget_messages()
    send_recompute(campaign.id)
    assert seconds_left() > recompute_queue.UNSENT_SECONDS


def always_behind(monkeypatch: pytest.MonkeyPatch, *, phases: int) -> list[int]:
    """A campaign that is judged without a pause, until it went through so many phases."""
    done: list[int] = []

    def write_rows(live: LiveCampaign, written: Written) -> Written:
        done.append(live.campaign_id)
        return Written(applied=0)

    monkeypatch.setattr(
        worker, "next_phase", lambda live, written: write_rows if len(done) < phases else None
    )
    monkeypatch.setattr(worker, "is_behind", lambda live, written: False)
    monkeypatch.setattr(worker, "TURN_SECONDS", 0.0)
    return done


def as_a_worker(campaign: Campaign) -> None:
    recompute.apply((campaign.id,)).get()


def test_a_campaign_that_is_always_behind_gives_way_to_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()
    done = always_behind(monkeypatch, phases=5)
    send("campaigns.advise_where_due")
    as_a_worker(campaign)
    assert len(done) == 1
    assert waiting() == ["campaigns.recompute", "campaigns.advise_where_due"]
    # Its judgments send no second message meanwhile.
    assert not is_announced(campaign)


def test_a_campaign_that_is_finished_sends_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()
    done = always_behind(monkeypatch, phases=1)
    send("campaigns.advise_where_due")
    as_a_worker(campaign)
    assert len(done) == 1
    assert waiting() == ["campaigns.advise_where_due"]


def test_who_calls_it_without_a_worker_waits_for_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()
    done = always_behind(monkeypatch, phases=5)
    send("campaigns.advise_where_due")
    recompute(campaign.id)
    assert len(done) == 5
    assert waiting() == ["campaigns.advise_where_due"]


def test_a_campaign_stays_with_its_process_while_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()
    done = always_behind(monkeypatch, phases=5)
    as_a_worker(campaign)
    assert len(done) == 5
    assert waiting() == []
    assert is_announced(campaign)


def test_what_waits_for_the_campaign_itself_is_not_sent_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()
    always_behind(monkeypatch, phases=5)

    def so_long_that_a_judgment_sends_a_message(live: LiveCampaign, written: Written) -> Written:
        with CampaignInHand(campaign.id):
            pass
        send_recompute(campaign.id)
        return Written(applied=0)

    monkeypatch.setattr(worker, "next_phase", lambda *_: so_long_that_a_judgment_sends_a_message)
    as_a_worker(campaign)
    assert waiting() == ["campaigns.recompute"]


def test_queues_that_are_not_urgent_give_way_to_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()
    topics = list(campaign.topics.values_list("id", flat=True))

    def never_all(live: LiveCampaign) -> list[int]:
        if not waiting():
            send("campaigns.advise_where_due")
        return topics

    monkeypatch.setattr(stored_queues, "missing_queues", never_all)
    monkeypatch.setattr(worker, "TURN_SECONDS", 0.0)
    as_a_worker(campaign)
    assert waiting() == ["campaigns.recompute", "campaigns.advise_where_due"]


def test_look_aheads_come_first_for_a_copy_whose_rows_were_due_long_ago() -> None:
    campaign = make_campaign(method="C")
    recompute(campaign.id)
    copy = worker._copies[campaign.id]
    copy.written = replace(copy.written, rows_due=0.0)
    assert Api(campaign, "Small-grace").judge("1", "a", 1).status_code == 201
    with pytest.MonkeyPatch.context() as patch:
        gone_through: list[object] = []

        def noted(live: LiveCampaign, written: Written) -> Phase | None:
            phase = next_phase(live, written)
            gone_through.append(phase)
            return phase

        patch.setattr(worker, "next_phase", noted)
        # However long the look-aheads take on a slow machine.
        patch.setattr(worker, "ROWS_APART", 3600)
        recompute(campaign.id)
    assert gone_through[:2] == [look_aheads, all_rows]


def test_look_aheads_are_not_left_before_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a campaign that two processes take in turns would show no scores while it is judged."""
    campaign = make_campaign(method="C")
    recompute(campaign.id)
    grace = Api(campaign, "Small-grace")
    docno = grace.get("next/", topic="1").json()["docno"]
    recompute(campaign.id)
    grace.judge("1", docno, 1)
    monkeypatch.setattr(worker, "TURN_SECONDS", 0.0)
    send("campaigns.advise_where_due")
    as_a_worker(campaign)
    assert Claim.objects.get().lookahead_as_of == 1
    assert Computed.objects.get(campaign=campaign).applied == 1


def test_what_no_message_announced_is_sent_once() -> None:
    make_campaign()
    tasks.catch_up()
    tasks.catch_up()
    assert waiting() == ["campaigns.recompute"]
    # A worker that starts cannot know whether the message is lost.
    forget_messages()
    tasks.catch_up()
    assert waiting() == ["campaigns.recompute"] * 2


def test_as_many_copies_are_kept_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    worker.forget_copies()
    ids = [make_campaign(f"Campaign {number}").id for number in range(8)]
    for campaign in ids:
        recompute(campaign)
    assert list(worker._copies) == ids
    size = worker._copies[ids[0]].live.size
    assert size > 0
    monkeypatch.setattr(worker, "ROOM_FOR_COPIES", 6 * size)
    recompute(ids[0])
    assert list(worker._copies) == [*ids[3:], ids[0]]
    # A few are kept however large they are: to make a large one again takes minutes.
    monkeypatch.setattr(worker, "ROOM_FOR_COPIES", 0)
    recompute(ids[7])
    assert list(worker._copies) == [*ids[5:7], ids[0], ids[7]]


def test_queues_lost_in_a_crash_are_written_again() -> None:
    campaign = make_campaign(scope="topic")
    recompute(campaign.id)
    early = dict(Priority.objects.filter(topic__number="1").values("as_of", "documents", "weights").get())
    grace = Api(campaign, "Small-grace")
    docno = grace.get("next/", topic="1").json()["docno"]
    grace.judge("1", docno, 1)
    recompute(campaign.id)
    assert Priority.objects.get(topic__number="1").as_of == 1
    # As the disk has it when the database crashed before the scores were committed.
    Priority.objects.filter(topic__number="1").update(**early)
    Computed.objects.filter(campaign=campaign).update(applied=0)
    worker.forget_copies()
    recompute(campaign.id)
    assert Priority.objects.get(topic__number="1").as_of == 1
    assert Computed.objects.get(campaign=campaign).applied == 1
