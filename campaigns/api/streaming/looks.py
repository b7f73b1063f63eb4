"""One look at a campaign for its open pages: who may follow it, the worker's health, the page's parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field

from django.utils import translation

from campaigns.api.streaming.frames import unnumbered_event
from campaigns.api.streaming.listener import OverviewView
from campaigns.api.streaming.parts import overview_part, overview_version
from campaigns.computing.health import status_of
from campaigns.exchange.versions import Version
from campaigns.models import Campaign, Membership
from campaigns.people.sessions import ended_sessions
from campaigns.people.tokens import ended_tokens


@dataclass(frozen=True)
class Look:
    """Who may follow the campaign, None where that cannot be said, and which of the tokens and sessions asked
    about are no longer valid; how the back office does; the overview's panels by view, none while they are of
    the same `version`. All ready to be sent."""

    organisers: frozenset[int] | None
    health: bytes = b""
    parts: Mapping[OverviewView, bytes] = field(default_factory=dict)
    version: Version = ()
    ended: frozenset[int | str] = frozenset()

    def shuts_out(self, user: int, by: int | str | None) -> bool:
        return (self.organisers is not None and user not in self.organisers) or by in self.ended


DATABASE_DOWN = Look(None, unnumbered_event("health", {"database": "down", "head": 0, "applied": 0}))


def look(
    campaign: int,
    *,
    health: bool,
    views: Collection[OverviewView],
    known: Version = (),
    tokens: frozenset[int],
    sessions: frozenset[str] = frozenset(),
) -> Look:
    """`known`: the version of the panels that all views have; empty if they are to be rendered again."""
    found = Campaign.objects.select_related("collection").filter(id=campaign).first()
    if found is None:
        return Look(frozenset())
    organisers = Membership.objects.filter(
        campaign=campaign, role=Membership.Role.ORGANISER, user__is_active=True
    )
    version = overview_version(found) if views else ()
    return Look(
        organisers=frozenset(organisers.values_list("user_id", flat=True)),
        health=unnumbered_event("health", asdict(status_of(campaign=found))) if health else b"",
        parts={view: _panels(found, view) for view in views} if version != known else {},
        version=version,
        ended=ended_tokens(tokens) | ended_sessions(sessions),
    )


def _panels(campaign: Campaign, view: OverviewView) -> bytes:
    language, topics = view
    with translation.override(language):
        return unnumbered_event("part", {"name": "overview", "html": overview_part(campaign, topics)})
