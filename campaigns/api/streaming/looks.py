"""One look at a campaign for its open pages: who may follow it, the worker's health, the page's parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field

from django.utils import translation

from campaigns.api.streaming.frames import unnumbered_event
from campaigns.api.streaming.listener import OverviewView
from campaigns.computing.health import status_of
from campaigns.exchange.versions import Version
from campaigns.models import Campaign, Membership
from campaigns.overview.parts import overview_of, overview_version, stamps_of, without_stamp
from campaigns.people.sessions import ended_sessions
from campaigns.people.tokens import ended_tokens


@dataclass(frozen=True)
class Panel:
    """A panel as it is sent. `shows`: what it is compared by, without the entry of the log in its head."""

    shows: str
    written: bytes


@dataclass(frozen=True)
class LiveState:
    """State of a campaign, ready to be sent: the users who may follow it, None where they are unknown, and
    those of the requested tokens and sessions that are no longer valid; the background services; the
    overview's panels by view, none while they are of the same `version`."""

    organisers: frozenset[int] | None
    health: bytes = b""
    parts: Mapping[OverviewView, Mapping[str, Panel]] = field(default_factory=dict)
    version: Version = ()
    ended: frozenset[int | str] = frozenset()

    def shuts_out(self, user: int, by: int | str | None) -> bool:
        return (self.organisers is not None and user not in self.organisers) or by in self.ended


STAMPS = "stamps"
DATABASE_DOWN = LiveState(None, unnumbered_event("health", {"database": "down", "head": 0, "applied": 0}))


def look(
    campaign: int,
    *,
    health: bool,
    views: Collection[OverviewView],
    known: Version = (),
    tokens: frozenset[int],
    sessions: frozenset[str] = frozenset(),
) -> LiveState:
    """`known`: the version of the panels that all views have; empty if they are to be rendered again."""
    found = Campaign.objects.select_related("collection").filter(id=campaign).first()
    if found is None:
        return LiveState(frozenset())
    organisers = Membership.objects.filter(
        campaign=campaign, role=Membership.Role.ORGANISER, user__is_active=True
    )
    version = overview_version(found) if views else ()
    return LiveState(
        organisers=frozenset(organisers.values_list("user_id", flat=True)),
        health=unnumbered_event("health", asdict(status_of(campaign=found))) if health else b"",
        parts={view: _panels(found, view) for view in views} if version != known else {},
        version=version,
        ended=ended_tokens(tokens) | ended_sessions(sessions),
    )


def _panels(campaign: Campaign, view: OverviewView) -> dict[str, Panel]:
    """Panels by name; the last one has the log entries of all others."""
    language, topics = view
    with translation.override(language):
        panels = overview_of(campaign, topics).panels()
    found = {
        name: Panel(without_stamp(html), unnumbered_event("panel", {"name": name, "html": html}))
        for name, html in panels.items()
    }
    stamps = unnumbered_event("panel", {"name": STAMPS, "stamps": stamps_of(panels)})
    return {**found, STAMPS: Panel(stamps.decode(), stamps)}
