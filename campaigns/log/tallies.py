"""Counts over a campaign's whole log, kept as rows: each look adds what came since the last. Where it matters
which acts stand, a document that has been judged since is counted as it stood then and as it stands now, so
every policy comes out right."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import F

from campaigns.log.current import OF_TOUCHED, SINCE, UP_TO, latest_and_current, scale_of
from campaigns.log.judgments import length_of
from campaigns.models import Campaign, Tally
from campaigns.models.campaign import Policy

TallyCounts = dict[str, list[int]]


def _no_rule(_: Campaign) -> str:
    return ""


@dataclass(frozen=True)
class TallyKind:
    """`counting`: from a condition on judgments, the query, and what is given beside the condition's values;
    its rows are a key and two numbers. `rule`: what else the counts hang on. `of_acts`: each act counts by
    itself, whatever came after; the second number is then the last such act."""

    name: str
    counting: Callable[[Campaign, str], tuple[str, list[Any]]]
    rule: Callable[[Campaign], str] = _no_rule
    of_acts: bool = False


_BY_TOPIC = """
SELECT topic_id::text, count(*), count(*) FILTER (WHERE grade = ANY(%s)) FROM current GROUP BY topic_id
"""


def _by_topic(campaign: Campaign, which: str) -> tuple[str, list[Any]]:
    return latest_and_current(campaign, which=which) + _BY_TOPIC, [campaign.relevant_grades]


def _rule_of_topics(campaign: Campaign) -> str:
    scale = scale_of(campaign) if campaign.policy == Policy.MEAN else []
    return json.dumps([campaign.policy, campaign.relevant_grades, scale])


# Somebody who has taken back all they said is there with none.
_BY_PERSON = """
SELECT topic_id || ' ' || assessor_id, count(*) FILTER (WHERE NOT undo AND NOT adjudication),
  count(*) FILTER (WHERE NOT undo AND adjudication)
FROM (
  SELECT DISTINCT ON (topic_id, document_id, assessor_id) topic_id, assessor_id, undo, adjudication
  FROM campaigns_judgment WHERE {which}
  ORDER BY topic_id, document_id, assessor_id, sequence DESC) latest
GROUP BY topic_id, assessor_id
"""


def _by_person(campaign: Campaign, which: str) -> tuple[str, list[Any]]:
    return _BY_PERSON.format(which=which), []


TOPIC_TALLY = TallyKind("topics", _by_topic, _rule_of_topics)
PERSON_TALLY = TallyKind("people", _by_person)


def judged_in(*, campaign: Campaign) -> dict[int, tuple[int, int]]:
    """By topic: how many documents have a grade, and how many a relevant one."""
    found = tally_counts_of(campaign, TOPIC_TALLY)
    return {int(topic): (judged, relevant) for topic, (judged, relevant) in found.items()}


def judged_by_each(*, campaign: Campaign) -> dict[tuple[int, int], tuple[int, int]]:
    """By topic and assessor, of whoever did anything there: how many documents they judged, and how many they
    decided between others."""
    found = tally_counts_of(campaign, PERSON_TALLY)
    pairs = ((key.split(), counts) for key, counts in found.items())
    return {(int(topic), int(person)): (judged, decided) for (topic, person), (judged, decided) in pairs}


def tally_counts_of(campaign: Campaign, kind: TallyKind) -> TallyCounts:
    # Whoever has seen this length sees every act up to there.
    rule, log_length = kind.rule(campaign), F("campaign__log_head__length")
    known = Tally.objects.filter(campaign=campaign, kind=kind.name, rule=rule).annotate(length=log_length)
    stored = known.first()
    length = stored.length if stored is not None else length_of(campaign=campaign)
    if stored is not None and stored.as_of >= length:
        return dict(stored.content)
    if stored is None or (not kind.of_acts and length - stored.as_of > stored.as_of // 4):
        found = _counted(campaign, kind, UP_TO, [campaign.id, length])
    elif kind.of_acts:
        found = dict(stored.content)
        _add_acts(found, _counted(campaign, kind, SINCE, [campaign.id, length, stored.as_of]))
    else:
        since = [campaign.id, stored.as_of, length]
        found = dict(stored.content)
        _add(found, _counted(campaign, kind, OF_TOUCHED, [campaign.id, length, *since]), 1)
        _add(found, _counted(campaign, kind, OF_TOUCHED, [campaign.id, stored.as_of, *since]), -1)
    _keep(campaign, kind, rule, length, found)
    return found


def _counted(campaign: Campaign, kind: TallyKind, which: str, given: list[Any]) -> TallyCounts:
    query, more = kind.counting(campaign, which)
    with connection.cursor() as cursor:
        cursor.execute(query, [*given, *more])
        return {key: [one, other] for key, one, other in cursor}


def _add(counts: TallyCounts, more: TallyCounts, sign: int) -> None:
    for key, (one, other) in more.items():
        known = counts.get(key, [0, 0])
        counts[key] = [known[0] + sign * one, known[1] + sign * other]


def _add_acts(counts: TallyCounts, more: TallyCounts) -> None:
    for key, (acts, last) in more.items():
        counts[key] = [counts.get(key, [0, 0])[0] + acts, last]


_KEEP = """
INSERT INTO campaigns_tally AS kept (campaign_id, kind, rule, as_of, content) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (campaign_id, kind) DO UPDATE
SET rule = excluded.rule, as_of = excluded.as_of, content = excluded.content
WHERE kept.as_of < excluded.as_of OR kept.rule <> excluded.rule
"""


def _keep(campaign: Campaign, kind: TallyKind, rule: str, length: int, counts: TallyCounts) -> None:
    """Of two who counted at once, whoever saw more has the last word."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, [campaign.id, kind.name, rule, length, json.dumps(counts)])
