"""The measures of a campaign: their names, checked, and as they are computed on its grades."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.models import Campaign
from evaluation.measure import Measure
from evaluation.names import parse_measure

MOST_MEASURES = 8
# Computed from files of other judgments than a campaign has, or no average over topics of a run's own scores.
_NEEDED_ELSEWHERE = {"stratified", "subtopics", "drawn", "expected"}
# Measures that know only relevant or not, and take the lowest relevant grade.
_BINARY = re.compile(r"(P|AP|RR|Rprec|Bpref|Success|R)(?=[(@]|$)")


@lru_cache(maxsize=256)
def named_measure(name: str) -> Measure:
    return parse_measure(name)


def canonical_measures(text: str) -> str:
    """The names as they are stored, each once.

    Refusal `bad_measures` for a name that is none, or a measure that a campaign's judgments do not allow.
    """
    names = list(dict.fromkeys(_canonical(word) for word in text.replace(";", " ").split()))
    if len(names) > MOST_MEASURES:
        detail = gettext("a campaign has at most %(most)s measures, not %(count)s")
        raise _bad(detail % {"most": MOST_MEASURES, "count": len(names)})
    return " ".join(names)


def check_measures(name: str, value: str) -> None:
    canonical_measures(value)


def _canonical(word: str) -> str:
    try:
        measure = named_measure(word)
    except ValueError as error:
        raise _bad(str(error)) from error
    if measure.needs in _NEEDED_ELSEWHERE:
        detail = gettext("%(measure)s is an estimate; choose the measure that it estimates, such as AP")
        raise _bad(detail % {"measure": measure.name})
    return measure.name


def _bad(detail: str) -> Refusal:
    return Refusal("bad_measures", detail, field="measures")


def measures_of(campaign: Campaign) -> list[Measure]:
    """The campaign's measures, the primary one first, as they are computed on its grades."""
    return [named_measure(name) for name in names_on_grades(campaign, campaign.measure_names)]


def names_on_grades(campaign: Campaign, names: Iterable[str]) -> list[str]:
    """The names by which commands compute the same: measures that know only relevant or not name the lowest
    relevant grade, where the campaign has one."""
    lowest = campaign.relevant_from
    return [name if lowest is None else _from_grade(name, lowest) for name in names]


def _from_grade(name: str, lowest: int) -> str:
    named = _BINARY.match(name)
    if named is None or "rel=" in name:
        return name
    rest = name[named.end() :]
    inside = f"(rel={lowest},{rest[1:]}" if rest.startswith("(") else f"(rel={lowest}){rest}"
    return named_measure(named[1] + inside).name
