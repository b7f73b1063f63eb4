"""A page gets the panels that changed, and no more often than every two seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from campaigns.api.streaming.listener import Listener
from campaigns.api.streaming.lookout import HEARD_SECONDS, Lookout
from campaigns.api.streaming.looks import STAMPS, LiveState, Panel, look
from campaigns.computing.tasks import recompute
from campaigns.results.topic_scope import TopicScope
from tests.campaigns.factories import Api, make_campaign

VIEW: tuple[str, TopicScope] = ("en", "all")


class Page:
    """A page that listens, and what it was sent since it was last asked; `now` is its clock."""

    def __init__(self) -> None:
        self.listener = Listener(1, 1, page=True, language="en")
        self._lookout = Lookout(1, {self.listener})
        self.now = 0.0

    def looked(self, *, took: float = 0.0, **panels: str) -> bytes:
        self._lookout._looked_at = self.now
        self.now += took
        parts = {VIEW: {name: Panel(html, html.encode()) for name, html in panels.items()}}
        self._lookout._tell(LiveState(None, parts=parts))
        sent: bytes = self.listener._waiting.get_nowait()  # type: ignore[assignment]
        return sent

    def hear(self) -> None:
        self._lookout.hear()

    @property
    def next_look(self) -> float | None:
        timer = self._lookout._timer
        return None if timer is None else timer.when()


@pytest.fixture
def on_a_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Page], None]], None]:
    """Runs a test on an event loop whose time is the page's."""

    def run(test: Callable[[Page], None]) -> None:
        async def main() -> None:
            page = Page()
            monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: page.now)
            try:
                test(page)
            finally:
                monkeypatch.undo()

        # Of its own: Playwright's loop may run in this one.
        with ThreadPoolExecutor(1) as threads:
            threads.submit(asyncio.run, main()).result()

    return run


def test_only_panels_that_changed_are_sent(on_a_clock: Callable[[Callable[[Page], None]], None]) -> None:
    def test(page: Page) -> None:
        assert page.looked(pairs="one", topics="two") == b"onetwo"
        page.now += HEARD_SECONDS
        assert page.looked(pairs="one", topics="three") == b"three"
        page.now += HEARD_SECONDS
        assert page.looked(pairs="one", topics="three") == b""

    on_a_clock(test)


def test_panels_are_sent_at_most_every_two_seconds(
    on_a_clock: Callable[[Callable[[Page], None]], None],
) -> None:
    def test(page: Page) -> None:
        assert page.looked(pairs="one") == b"one"
        page.now += HEARD_SECONDS / 2
        assert page.looked(pairs="two") == b""
        page.now += HEARD_SECONDS / 2
        assert page.looked(pairs="three") == b"three"

    on_a_clock(test)


def test_a_slow_look_does_not_delay_the_next(on_a_clock: Callable[[Callable[[Page], None]], None]) -> None:
    def test(page: Page) -> None:
        assert page.looked(pairs="one", took=HEARD_SECONDS) == b"one"
        assert page.looked(pairs="two") == b"two"

    on_a_clock(test)


def test_a_panel_held_back_is_sent_as_soon_as_it_may_be(
    on_a_clock: Callable[[Callable[[Page], None]], None],
) -> None:
    def test(page: Page) -> None:
        page.looked(pairs="one")
        assert page.next_look is None
        page.now += HEARD_SECONDS / 4
        assert page.looked(pairs="two") == b""
        assert page.next_look == HEARD_SECONDS

    on_a_clock(test)


def test_a_change_heard_early_is_looked_at_as_soon_as_it_may_be(
    on_a_clock: Callable[[Callable[[Page], None]], None],
) -> None:
    def test(page: Page) -> None:
        page.looked(pairs="one")
        page.now += HEARD_SECONDS / 4
        page.hear()
        page.now += HEARD_SECONDS / 4
        page.hear()
        assert page.next_look == HEARD_SECONDS

    on_a_clock(test)


@pytest.mark.django_db
def test_another_log_entry_alone_sends_no_panel() -> None:
    campaign = make_campaign()
    grace = Api(campaign, "Small-grace")
    assert grace.judge("1", "a", 1).status_code == 201
    recompute(campaign.id)

    def panels() -> dict[str, str]:
        found = look(campaign.id, health=False, views=[VIEW], tokens=frozenset())
        return {name: panel.shows for name, panel in found.parts[VIEW].items()}

    before = panels()
    campaign.computed.applied += 1
    campaign.computed.save()
    after = panels()
    assert {name for name in after if after[name] != before[name]} == {STAMPS}
    assert grace.judge("1", "b", 1).status_code == 201
    changed = {name for name, shows in panels().items() if shows != after[name]}
    assert "verdict" in changed
    assert "pairs" not in changed
