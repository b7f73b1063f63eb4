"""One look at a campaign for its open pages: who may follow it, the worker's health, the page's parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from django.utils import translation

from campaigns.api.streaming.frames import unnumbered_event
from campaigns.api.streaming.parts import DASHBOARD_PARTS, dashboard_part
from campaigns.computing.health import status_of
from campaigns.models import Campaign, Membership
from campaigns.people.sessions import ended_sessions
from campaigns.people.tokens import ended_tokens
from campaigns.results.curves import curves_of_best

# Of so many runs the page draws curves where none is marked.
LIVE_CURVES = 3


@dataclass(frozen=True)
class Look:
    """Who may follow the campaign, None where that cannot be said, and which of the tokens and sessions asked
    about are no longer valid; how the back office does; the parts of the page by language and name. All ready
    to be sent."""

    organisers: frozenset[int] | None
    health: bytes = b""
    parts: Mapping[tuple[str, str], bytes] = field(default_factory=dict)
    ended: frozenset[int | str] = frozenset()

    def shuts_out(self, user: int, by: int | str | None) -> bool:
        return (self.organisers is not None and user not in self.organisers) or by in self.ended


DATABASE_DOWN = Look(None, unnumbered_event("health", {"database": "down", "head": 0, "applied": 0}))


def look(
    campaign: int,
    *,
    health: bool,
    languages: Iterable[str],
    tokens: frozenset[int],
    sessions: frozenset[str] = frozenset(),
) -> Look:
    found = Campaign.objects.select_related("collection").filter(id=campaign).first()
    if found is None:
        return Look(frozenset())
    organisers = Membership.objects.filter(
        campaign=campaign, role=Membership.Role.ORGANISER, user__is_active=True
    )
    parts = {}
    curves = (
        unnumbered_event("curves", asdict(curves_of_best(campaign=found, most=LIVE_CURVES)))
        if languages
        else b""
    )
    for language in languages:
        parts[language, "curves"] = curves
        with translation.override(language):
            for name in DASHBOARD_PARTS:
                parts[language, name] = unnumbered_event(
                    "part", {"name": name, "html": dashboard_part(found, name)}
                )
    return Look(
        organisers=frozenset(organisers.values_list("user_id", flat=True)),
        health=unnumbered_event("health", asdict(status_of(campaign=found))) if health else b"",
        parts=parts,
        ended=ended_tokens(tokens) | ended_sessions(sessions),
    )
