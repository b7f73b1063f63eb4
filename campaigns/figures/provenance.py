"""Provenance of a figure, for its caption: without a date, so that the same data give the same file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, ngettext

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
        counts = self._counts
        if self.counts.all == 1:
            return gettext("the only topic")
        if self.scope == "judged":
            return (
                ngettext(
                    "the %(judged)s judged topic of %(all)s",
                    "the %(judged)s judged topics of %(all)s",
                    self.counts.judged,
                )
                % counts
            )
        if self.counts.judged == self.counts.all:
            return gettext("all %(all)s topics") % counts
        return gettext("all %(all)s topics, %(judged)s of them judged") % counts

    @property
    def mean(self) -> str:
        """For an axis, short."""
        if self.scope == "judged":
            words = ngettext(
                "%(measure)s, mean over %(judged)s judged topic",
                "%(measure)s, mean over %(judged)s judged topics",
                self.counts.judged,
            )
        else:
            words = ngettext(
                "%(measure)s, mean over %(all)s topic",
                "%(measure)s, mean over %(all)s topics",
                self.counts.all,
            )
        return words % {"measure": self.measure, **self._counts}

    @property
    def _counts(self) -> dict[str, str]:
        return {"all": group_digits(self.counts.all), "judged": group_digits(self.counts.judged)}

    @property
    def sentence(self) -> str:
        assumed = gettext("Unjudged documents of judged topics count as not relevant.")
        known = ngettext(
            "%(judged)s judged document known; campaign %(campaign)s, revision %(revision)s of runs and"
            " settings, judgment log up to entry %(entry)s%(without)s.",
            "%(judged)s judged documents known; campaign %(campaign)s, revision %(revision)s of runs and"
            " settings, judgment log up to entry %(entry)s%(without)s.",
            self.judged,
        )
        known %= {
            "judged": group_digits(self.judged),
            "campaign": self.campaign,
            "revision": group_digits(self.configuration),
            "entry": group_digits(self.as_of),
            "without": self._without,
        }
        return f"{assumed} {known}" if self.assumes_not_relevant else known

    @property
    def _without(self) -> str:
        if not self.excluded:
            return ""
        words = ngettext(
            "; judgments of %(count)s assessor excluded",
            "; judgments of %(count)s assessors excluded",
            self.excluded,
        )
        return words % {"count": group_digits(self.excluded)}

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


def provenance_of(*, campaign: Campaign, scope: TopicScope, counts: ScopeCounts | None = None) -> Provenance:
    """`counts`: of the campaign's topics, where they are known already."""
    computed = computed_of(campaign=campaign)
    return Provenance(
        campaign.slug,
        computed.configuration,
        campaign.rbp,
        scope,
        counts or scope_counts(campaign=campaign),
        computed.judged,
        computed.applied,
        count_excluded(campaign=campaign),
        campaign.unjudged_not_relevant,
    )


def plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"
