"""The step that an organiser should take next, with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from campaigns.log.judgments import acts_since_judging_began
from campaigns.models import Campaign, Membership
from campaigns.models.campaign import Status
from campaigns.predictions.standings import MatrixPair, Standings
from campaigns.results.topic_rows import TopicRow
from campaigns.stopping.advice import RemainingEffort, StoppingAdvice

StepKind = Literal["set_up", "resume", "invite", "publish", "close", "judge"]


@dataclass(frozen=True)
class NextStep:
    """`decided`: no judgment can change any more which run is best; `invited`: number of open invitations.
    To judge: the `topic` that leaves most open, its mean `residual`, and the open `pair` nearest to being
    separated, with the `effort` until one is."""

    kind: StepKind
    decided: bool = False
    invited: int = 0
    topic: TopicRow | None = None
    residual: float = 1.0
    pair: MatrixPair | None = None
    effort: RemainingEffort | None = None


def next_step_of(
    campaign: Campaign,
    *,
    topic: tuple[TopicRow, float] | None,
    every: Standings | None,
    advice: StoppingAdvice | None,
    invited: int,
) -> NextStep | None:
    """`topic`: the suggested one and its mean residual, None where the method serves nothing more; `every`:
    standings over all topics, None where the campaign is decided by another measure than theirs. None for an
    archived campaign."""
    if campaign.archived_at:
        return None
    if campaign.status == Status.DRAFT:
        return NextStep("set_up")
    decided = every is not None and every.verdict.kind == "certain"
    if campaign.status == Status.CLOSED:
        return NextStep("publish", decided)
    if decided or topic is None:
        return NextStep("close", decided)
    if campaign.status == Status.PAUSED:
        return NextStep("resume")
    if not is_attended(campaign):
        return NextStep("invite", invited=invited)
    if every is None:
        return NextStep("judge", False, invited, *topic)
    effort = advice.next_pair if advice else None
    return NextStep("judge", False, invited, *topic, _nearest(every.next_pairs), effort)


def _nearest(pairs: Sequence[MatrixPair]) -> MatrixPair | None:
    return pairs[0] if pairs else None


def is_attended(campaign: Campaign) -> bool:
    """True if a person judges here or has judged."""
    judged = acts_since_judging_began(campaign).exists()
    return judged or campaign.memberships.filter(role=Membership.Role.ASSESSOR).exists()
