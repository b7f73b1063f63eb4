"""Flags on an assessor's judgments for the organiser: judging within a second, agreement no better than by
chance or falling, grades far from the others', long documents judged unread.

Flags come and go with the judgments. The worker computes them (`campaigns.tell_flags`); pages read the rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy
from django.db import transaction

from campaigns.log.activity import ActCounts, acts_by_each, seconds_at
from campaigns.log.judgments import length_of
from campaigns.models import Campaign, QualityFlag, Tally
from campaigns.quality.flag_evidence import (
    CONFIDENCE,
    GradePairs,
    grade_blocks,
    grade_share_differences,
    graded_with_others,
    reading_counts,
    shown_again,
    topic_share_differences,
)
from evaluation.agreement.kappa_over_time import kappa_change, pooled_kappa
from evaluation.resampling import Estimate

Kind = QualityFlag.Kind
# By assessor and kind: the figures of a flag.
FoundFlags = dict[tuple[int, str], dict[str, Any]]

# Of fewer timed or long documents nothing is said.
LEAST_DOCUMENTS = 10
# Of fewer documents with two grades nothing is said, and of fewer judgments nothing about shares of grades:
# honest assessors would be flagged more often than once in a hundred (docs/evidence/flags.md).
LEAST_COMPARED = 20
# Kappa by chance is surely below this; with few documents its interval also reaches 0 for good assessors.
FAIR_KAPPA = 0.3
# An order of grades by chance is rarely more different than this.
SIGNIFICANT = 0.05
# Topics differ by more than documents do, and in other ways than the test assumes.
RARE = 0.01
# The log is looked through again after one act in so many.
PART = 200
CHECKED = "flags"


def found_flags(*, campaign: Campaign) -> FoundFlags:
    """Flags raised by the current judgments, by the campaign's thresholds."""
    acts = acts_by_each(campaign=campaign)
    half = max(-(-campaign.flag_judgments // 2), 1)
    enough = {who for who, counts in acts.items() if _judged(counts) >= half}
    if not campaign.flag_judgments or not enough:
        return {}
    flags: FoundFlags = {}
    if campaign.flag_seconds:
        flags |= _hasty({who: acts[who] for who in enough}, campaign.flag_seconds)
    if campaign.flag_agreement:
        flags |= dict(_by_chance(graded_with_others(campaign, enough), Kind.AGREEMENT))
        flags |= dict(_by_chance(shown_again(campaign, enough), Kind.SELF_AGREEMENT))
    if campaign.flag_grades:
        least = max(campaign.flag_judgments, LEAST_COMPARED)
        many = {who for who in enough if _judged(acts[who]) >= least}
        flags |= _other_grades(campaign, many)
    if campaign.flag_unread:
        flags |= _unread(reading_counts(campaign, enough), campaign.flag_unread)
    return flags


def _judged(counts: ActCounts) -> int:
    return sum(counts.days.values())


def _hasty(acts: dict[int, ActCounts], threshold: float) -> FoundFlags:
    """Medians whose whole interval, between two order statistics, lies below the threshold."""
    flags: FoundFlags = {}
    for who, counts in acts.items():
        timed = counts.timed
        median = counts.seconds_at(0.5)
        if timed < LEAST_DOCUMENTS or median is None:
            continue
        tail = (1 - CONFIDENCE) / 2
        ranks = (
            float(scipy.stats.binom.ppf(tail, timed, 0.5)),
            float(scipy.stats.binom.ppf(1 - tail, timed, 0.5)) + 1,
        )
        low, high = (seconds_at(counts.paces, rank / timed) for rank in ranks)
        if high is not None and high < threshold:
            flags[who, Kind.TIME] = {"documents": timed, "value": median, "low": low, "high": high}
    return flags


def _by_chance(pairs: GradePairs, kind: str) -> Iterator[tuple[tuple[int, str], dict[str, Any]]]:
    """Kappas as by chance, and those that fall; the latter at a level that allows for how many
    assessors are looked at."""
    level = 1 - (1 - CONFIDENCE) / max(len(pairs), 1)
    for who, (own, others, documents) in pairs.items():
        count = len(np.unique(documents))
        if count < LEAST_COMPARED:
            continue
        kappa = pooled_kappa(own, others, documents, confidence=CONFIDENCE)
        if np.isnan(kappa.value):
            continue
        figures: dict[str, Any] = {"documents": count, **_interval(kappa)}
        if count >= 2 * LEAST_COMPARED:
            early, late, change = kappa_change(own, others, documents, confidence=level)
            if change.high < 0:
                figures["fall"] = {"early": early, "late": late, **_interval(change)}
        if is_by_chance(kappa) or "fall" in figures:
            yield (who, kind), figures


def is_by_chance(kappa: Estimate) -> bool:
    """True if the interval reaches 0 and lies below a fair kappa."""
    return kappa.low <= 0 and kappa.high < FAIR_KAPPA


def _other_grades(campaign: Campaign, people: set[int]) -> FoundFlags:
    """Shares of grades unlike those of others in the same topics, or, which says less, in other topics."""
    blocks = grade_blocks(campaign)
    flags: FoundFlags = {}
    evidence = ((topic_share_differences, RARE), (grade_share_differences, SIGNIFICANT))
    for differences, level in evidence:
        for who, figures in differences(blocks, people).items():
            if figures["p"] < level and abs(figures["value"]) >= campaign.flag_grades:
                flags[who, Kind.GRADES] = figures
    return flags


def _unread(counts: dict[int, tuple[int, int]], threshold: float) -> FoundFlags:
    """Shares of long documents whose Wilson interval lies above the threshold."""
    flags: FoundFlags = {}
    for who, (long, unread) in counts.items():
        if long < LEAST_DOCUMENTS:
            continue
        interval = scipy.stats.binomtest(unread, long).proportion_ci(CONFIDENCE, method="wilson")
        if interval.low > threshold:
            figures = {"documents": long, "unread": unread, "value": unread / long}
            flags[who, Kind.READING] = {**figures, "low": float(interval.low), "high": float(interval.high)}
    return flags


def _interval(estimate: Estimate) -> dict[str, float]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def rule_of(campaign: Campaign) -> str:
    """Rule of the flags: everything they depend on beside the judgments."""
    thresholds = [getattr(campaign, name) for name in FLAG_SETTINGS]
    return json.dumps([*thresholds, campaign.exclusion_changes])


FLAG_SETTINGS = ("flag_judgments", "flag_seconds", "flag_agreement", "flag_grades", "flag_unread")


def is_due(*, campaign: Campaign, length: int) -> bool:
    """True if enough was judged since the last check, or a threshold has changed."""
    seen = Tally.objects.filter(campaign=campaign, kind=CHECKED, rule=rule_of(campaign))
    as_of = seen.values_list("as_of", flat=True).first()
    return length > 0 and (as_of is None or length - as_of > length // PART)


def update_flags(*, campaign: Campaign) -> list[QualityFlag]:
    """Store what the judgments show, and delete what they no longer show. Returns the new flags."""
    length = length_of(campaign=campaign)
    flags = found_flags(campaign=campaign)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        stored = {(flag.assessor_id, flag.kind): flag for flag in campaign.flags.all()}
        gone = [flag.id for key, flag in stored.items() if key not in flags]
        QualityFlag.objects.filter(id__in=gone).delete()
        for key, flag in stored.items():
            if key in flags:
                flag.figures, flag.as_of = flags[key], length
                flag.save(update_fields=["figures", "as_of"])
        new = [
            QualityFlag(campaign=campaign, assessor_id=who, kind=kind, figures=figures, as_of=length)
            for (who, kind), figures in flags.items()
            if (who, kind) not in stored
        ]
        rows = QualityFlag.objects.bulk_create(new)
        seen = {"rule": rule_of(campaign), "as_of": length, "content": {}}
        Tally.objects.update_or_create(campaign=campaign, kind=CHECKED, defaults=seen)
    return rows


def flags_of(*, campaign: Campaign, assessor: int | None = None) -> list[QualityFlag]:
    """Flags by assessor's name, in the order of the kinds."""
    rows = campaign.flags.select_related("assessor", "campaign")
    if assessor is not None:
        rows = rows.filter(assessor=assessor)
    order = {kind: place for place, kind in enumerate(Kind.values)}
    return sorted(rows, key=lambda flag: (flag.assessor.get_username(), order[flag.kind]))


def flagged_kinds(*, campaign: Campaign) -> dict[str, list[str]]:
    """Labels of assessors' flags, by user name."""
    kinds: dict[str, list[str]] = {}
    for flag in flags_of(campaign=campaign):
        kinds.setdefault(flag.assessor.get_username(), []).append(str(Kind(flag.kind).label))
    return kinds
