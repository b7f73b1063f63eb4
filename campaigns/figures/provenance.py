"""Provenance of a figure, for its caption: without a date, so that the same data give the same file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from campaigns.core.phrases import group_digits
from campaigns.models import Campaign
from campaigns.quality.exclusions import count_excluded
from campaigns.results.score_ranges import computed_of
from campaigns.results.topic_scope import ScopeCounts, TopicScope, scope_counts


@dataclass(frozen=True)
class Provenance:
    """`judged`: documents with a judgment; `as_of`: the entry of the log up to which scores are computed."""

    campaign: str
    configuration: int
    measure: str
    scope: TopicScope
    counts: ScopeCounts
    judged: int
    as_of: int
    # Assessors whose judgments do not count.
    excluded: int = 0
    # Whether unjudged documents of judged topics have gain 0.
    assumes_not_relevant: bool = False

    @property
    def topics(self) -> str:
        """All 30 topics, 18 of them judged; or: the 18 judged topics of 30."""
        every, judged = (group_digits(count) for count in (self.counts.all, self.counts.judged))
        if self.counts.all == 1:
            return "the only topic"
        if self.scope == "judged":
            return f"the {judged} judged {plural('topic', self.counts.judged)} of {every}"
        return f"all {every} topics" + (f", {judged} of them judged" if judged != every else "")

    @property
    def mean(self) -> str:
        """For an axis, short."""
        if self.scope == "judged":
            count = self.counts.judged
            return f"{self.measure}, mean over {group_digits(count)} judged {plural('topic', count)}"
        return f"{self.measure}, mean over {group_digits(self.counts.all)} {plural('topic', self.counts.all)}"

    @property
    def sentence(self) -> str:
        assumed = "Unjudged documents of judged topics count as not relevant. "
        return (
            f"{assumed if self.assumes_not_relevant else ''}"
            f"{group_digits(self.judged)} judged {plural('document', self.judged)} known;"
            f" campaign {self.campaign}, revision {group_digits(self.configuration)} of runs and settings,"
            f" judgment log up to entry {group_digits(self.as_of)}{self._without}."
        )

    @property
    def _without(self) -> str:
        if not self.excluded:
            return ""
        return f"; judgments of {group_digits(self.excluded)} {plural('assessor', self.excluded)} excluded"

    def to_json(self) -> dict[str, Any]:
        return {
            "campaign": self.campaign,
            "configuration": self.configuration,
            "measure": self.measure,
            "topics": self.scope,
            "topic_count": self.counts.all if self.scope == "all" else self.counts.judged,
            "judged": self.judged,
            "as_of": self.as_of,
        }


def provenance_of(*, campaign: Campaign, scope: TopicScope) -> Provenance:
    computed = computed_of(campaign=campaign)
    return Provenance(
        campaign.slug,
        computed.configuration,
        campaign.rbp,
        scope,
        scope_counts(campaign=campaign),
        computed.judged,
        computed.applied,
        count_excluded(campaign=campaign),
        campaign.unjudged_not_relevant,
    )


def plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"
