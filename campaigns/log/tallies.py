"""Counts over a campaign's whole log, stored as rows: each reading adds what came since the last.

Where it matters which acts hold now, a document judged since is subtracted as it was then and added as it is
now, so every policy comes out right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import F

from campaigns.log.current import (
    OF_TOUCHED,
    SINCE,
    UP_TO,
    by_assessors,
    current_grades,
    latest_acts,
    scale_of,
)
from campaigns.log.judgments import length_of
from campaigns.models import Campaign, LogHead, Tally
from campaigns.models.campaign import Policy

TallyCounts = dict[str, list[int]]


def _no_rule(_: Campaign) -> str:
    return ""


@dataclass(frozen=True)
class TallyKind:
    """`counting`: from a condition on acts, the query; its rows are a key and two numbers, and it may name
    the parameter `relevant`, the campaign's relevant grades. `rule`: what else the counts depend on.
    `of_acts`: each act counts by itself, whatever came after; the second number is then the last one."""

    name: str
    counting: Callable[[Campaign, str], str]
    rule: Callable[[Campaign], str] = _no_rule
    of_acts: bool = False


_BY_TOPIC = """
SELECT topic_id::text, count(*), count(*) FILTER (WHERE grade = ANY(%(relevant)s))
FROM current GROUP BY topic_id
"""


def _by_topic(campaign: Campaign, where: str) -> str:
    return f"WITH {current_grades(campaign, where=where)} {_BY_TOPIC}"


def _rule_of_topics(campaign: Campaign) -> str:
    scale = scale_of(campaign) if campaign.policy == Policy.MEAN else []
    return json.dumps([campaign.policy, campaign.relevant_grades, scale, campaign.exclusion_changes])


# A person who has taken back all they said is there with none.
_BY_PERSON = """
SELECT topic_id || ' ' || assessor_id, count(*) FILTER (WHERE NOT undo AND NOT adjudication),
  count(*) FILTER (WHERE NOT undo AND adjudication)
FROM latest GROUP BY topic_id, assessor_id
"""


def own_work(_: Campaign) -> str:
    """The rule of counts of what assessors did themselves."""
    return "by assessors"


def _by_person(_: Campaign, where: str) -> str:
    return f"WITH {latest_acts(by_assessors(where), columns='undo, adjudication')} {_BY_PERSON}"


TOPIC_TALLY = TallyKind("topics", _by_topic, _rule_of_topics)
PERSON_TALLY = TallyKind("people", _by_person, own_work)


def judged_in(*, campaign: Campaign) -> dict[int, tuple[int, int]]:
    """Numbers of documents with a grade and with a relevant one, by topic."""
    counts = tally_counts_of(campaign, TOPIC_TALLY)
    return {int(topic): (judged, relevant) for topic, (judged, relevant) in counts.items()}


def judged_in_each(*, campaigns: Sequence[Campaign]) -> dict[int, dict[int, tuple[int, int]]]:
    """Numbers of judged and of relevant documents by topic, for each campaign."""
    return {
        campaign: {int(topic): (judged, relevant) for topic, (judged, relevant) in counts.items()}
        for campaign, counts in tally_counts_of_each(campaigns, TOPIC_TALLY).items()
    }


def tally_counts_of_each(campaigns: Sequence[Campaign], kind: TallyKind) -> dict[int, TallyCounts]:
    """Counts by campaign. Two statements, unless some were judged since."""
    rows = Tally.objects.filter(
        campaign__in=campaigns, kind=kind.name, as_of__gte=F("campaign__log_head__length")
    )
    stored = {(row.campaign_id, row.rule): row.content for row in rows}
    judged = set(
        LogHead.objects.filter(campaign__in=campaigns, length__gt=0).values_list("campaign", flat=True)
    )
    by_campaign = {}
    for campaign in campaigns:
        counts = stored.get((campaign.id, kind.rule(campaign)))
        if counts is None:
            counts = tally_counts_of(campaign, kind) if campaign.id in judged else {}
        by_campaign[campaign.id] = dict(counts)
    return by_campaign


def judged_by_each(*, campaign: Campaign) -> dict[tuple[int, int], tuple[int, int]]:
    """Numbers of documents judged and of disagreements decided, by topic and assessor, for all with an act
    there."""
    tally = tally_counts_of(campaign, PERSON_TALLY)
    pairs = ((key.split(), counts) for key, counts in tally.items())
    return {(int(topic), int(person)): (judged, decided) for (topic, person), (judged, decided) in pairs}


def tally_counts_of(campaign: Campaign, kind: TallyKind) -> TallyCounts:
    # A reader that has seen this length sees every act up to there.
    rule, log_length = kind.rule(campaign), F("campaign__log_head__length")
    rows = Tally.objects.filter(campaign=campaign, kind=kind.name, rule=rule).annotate(length=log_length)
    stored = rows.first()
    length = stored.length if stored is not None else length_of(campaign=campaign)
    if stored is not None and stored.as_of >= length:
        return dict(stored.content)
    if stored is None or (not kind.of_acts and length - stored.as_of > stored.as_of // 4):
        counts = _counted(campaign, kind, UP_TO, until=length)
    elif kind.of_acts:
        counts = dict(stored.content)
        _add_acts(counts, _counted(campaign, kind, SINCE, until=length, after=stored.as_of))
    else:
        touched = {"touched_after": stored.as_of, "touched_until": length}
        counts = dict(stored.content)
        _add(counts, _counted(campaign, kind, OF_TOUCHED, until=length, **touched), 1)
        _add(counts, _counted(campaign, kind, OF_TOUCHED, until=stored.as_of, **touched), -1)
    _keep(campaign, kind.name, rule, length, counts)
    return counts


def stored_counts(campaign: Campaign, kind: TallyKind) -> TallyCounts:
    """Counts as they are stored, without what came since; empty if none are."""
    row = Tally.objects.filter(campaign=campaign, kind=kind.name, rule=kind.rule(campaign)).first()
    return dict(row.content) if row is not None else {}


def counts_at(campaign: Campaign, kind: str, *, as_of: int, count: Callable[[], TallyCounts]) -> TallyCounts:
    """Counts taken elsewhere than in the log, which stay valid as long as `as_of` does: computed once."""
    row = Tally.objects.filter(campaign=campaign, kind=kind, as_of=as_of).first()
    counts = dict(row.content) if row is not None else count()
    if row is None:
        _keep(campaign, kind, "", as_of, counts)
    return counts


def known_values(campaign: Campaign, kind: str) -> TallyCounts:
    """Values that `add_values` stored for the campaign's present configuration."""
    rule = str(campaign.configuration)
    row = Tally.objects.filter(campaign=campaign, kind=kind, rule=rule).first()
    return dict(row.content) if row is not None else {}


def add_values(campaign: Campaign, kind: str, known: TallyCounts, more: TallyCounts) -> TallyCounts:
    """Store what was computed beside what is known, until the configuration changes."""
    values = known | more
    if more:
        _keep(campaign, kind, str(campaign.configuration), len(values), values)
    return values


def _counted(campaign: Campaign, kind: TallyKind, where: str, **places: int) -> TallyCounts:
    parameters: dict[str, Any] = {"campaign": campaign.id, "relevant": campaign.relevant_grades, **places}
    with connection.cursor() as cursor:
        cursor.execute(kind.counting(campaign, where), parameters)
        return {key: [one, other] for key, one, other in cursor}


def _add(counts: TallyCounts, more: TallyCounts, sign: int) -> None:
    for key, (one, other) in more.items():
        pair = counts.get(key, [0, 0])
        counts[key] = [pair[0] + sign * one, pair[1] + sign * other]


def _add_acts(counts: TallyCounts, more: TallyCounts) -> None:
    for key, (acts, last) in more.items():
        counts[key] = [counts.get(key, [0, 0])[0] + acts, last]


_KEEP = """
INSERT INTO campaigns_tally AS kept (campaign_id, kind, rule, as_of, content) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (campaign_id, kind) DO UPDATE
SET rule = excluded.rule, as_of = excluded.as_of, content = excluded.content
WHERE kept.as_of < excluded.as_of OR kept.rule <> excluded.rule
"""


def _keep(campaign: Campaign, kind: str, rule: str, length: int, counts: TallyCounts) -> None:
    """Store counts. If two processes counted at once, the one that read more of the log wins."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, [campaign.id, kind, rule, length, json.dumps(counts)])
