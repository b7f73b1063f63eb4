"""Where an act belongs: the claim it is made under, what it takes the place of, or why it is not taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from campaigns.core.errors import Refused
from campaigns.judging.acts import Act
from campaigns.judging.lookup import Found
from campaigns.judging.overlap_and_repeats import is_drawn_for_repeating
from campaigns.models import Campaign, Claim


@dataclass(frozen=True)
class Place:
    """The act's topic and document, and the claim it was made under, as the tables have them."""

    topic: int
    topic_revision: int
    document: int
    # The judgment that is repeated where the act answers, or takes back, what was shown once more without
    # the assessor's knowing.
    repeats: UUID | None
    claim: int | None
    claim_live: bool
    method: str
    exact: bool | None
    lookahead: dict[str, dict[str, Any]] | None
    lookahead_as_of: int | None
    lookahead_configuration: int | None
    recalled: bool
    inclusion_probability: float | None
    # The method that serves the topic now; empty: the campaign's.
    topic_method: str
    earlier: UUID | None
    # It takes the place of what the assessor had said before.
    revises: bool
    # What it takes the place of, or takes back, is a decision between others: then so is this.
    decides: bool
    purpose: str


def place_of(campaign: Campaign, act: Act, found: Found | None, ranked: Callable[[int, int], bool]) -> Place:
    """The act's place; refused where it has none. `ranked` says of a topic and a document whether any run
    ranks it there."""
    if found is None:
        raise Refused(
            "unknown_topic",
            gettext("there is no topic %(topic)s") % {"topic": act.topic},
            field="topic",
            status=404,
        )
    held, aside, said = found.held, found.aside, found.said
    if found.document is None or not (found.handed_out or ranked(found.topic, found.document)):
        raise Refused(
            "not_in_pool",
            gettext("no run of topic %(topic)s holds the document %(docno)s")
            % {"topic": act.topic, "docno": act.docno},
            field="docno",
        )
    if act.undo and said is None:
        raise Refused(
            "nothing_to_undo", gettext("you have not judged %(docno)s") % {"docno": act.docno}, field="docno"
        )
    repeats = _repeats(campaign, act, found)
    came = held or aside
    chances = [each.inclusion for each in (held, aside, said) if each and each.inclusion is not None]
    stands = said is not None and not said.undo
    return Place(
        topic=found.topic,
        topic_revision=found.topic_revision,
        document=found.document,
        repeats=repeats,
        claim=held.id if held else None,
        claim_live=held is not None and held.live,
        method=held.method if held else (aside and aside.method) or (said and said.method) or "",
        exact=came.exact if came else None,
        lookahead=held.lookahead if held else None,
        lookahead_as_of=held.lookahead_as_of if held else None,
        lookahead_configuration=held.lookahead_configuration if held else None,
        recalled=held is not None and held.recalled,
        inclusion_probability=chances[0] if chances else None,
        topic_method=found.topic_method,
        earlier=said.id if said else None,
        revises=stands and repeats is None and not act.undo,
        decides=stands and said is not None and said.decision,
        purpose=came.purpose if came else "",
    )


def _repeats(campaign: Campaign, act: Act, found: Found) -> UUID | None:
    answer, said = found.answer, found.said
    if act.undo:
        return answer.first if answer and answer.last and not answer.undo else None
    return said.id if said and _answers_repeat(campaign, act, found) else None


def _answers_repeat(campaign: Campaign, act: Act, found: Found) -> bool:
    """Whether the document was shown as new although the assessor had graded it. Their claim says so; where
    it has gone to somebody else meanwhile, the screen does, for documents that were to be repeated."""
    said, came = found.said, found.held or found.aside
    if act.revision or said is None or said.undo or said.grade is None:
        return False
    if found.held or (came and came.purpose):
        return came is not None and came.purpose == Claim.Purpose.REPEAT
    if act.revision is None or (found.answer and not found.answer.undo):
        return False
    return is_drawn_for_repeating(
        campaign=campaign, topic=act.topic, docno=act.docno, username=found.assessor_name
    )
