"""A campaign's or topic's method and its options, checked before they are stored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from campaigns.core.errors import Refusal, with_nearest
from campaigns.core.phrases import join_words
from campaigns.models import Campaign, Run, Topic
from campaigns.models.campaign import Method
from selection import registry
from selection.registry import METHODS

LARGEST = 2**31 - 1
LONGEST_OPTION = 100


# Options that earlier versions had: bundles of theirs may hold them.
REMOVED_OPTIONS = ("probe_share",)
# Options whose value is a run, by its place in the campaign's list.
RUN_OPTIONS = ("first", "second")


def contributing_flags(campaign: Campaign) -> list[bool]:
    """For each run: true if it contributes to the pool, in the order by which options name runs."""
    return [run.proposes for run in campaign.runs.order_by("id")]


def complete_options(
    method: str, options: Mapping[str, object], *, runs: Sequence[bool] = ()
) -> dict[str, Any]:
    """Every option of the method: the given ones checked, the others as they are by default. `runs`:
    the flags of `contributing_flags`."""
    if method not in METHODS:
        there = ", ".join(METHODS)
        detail = gettext("no method is called “%(method)s”; there are %(there)s")
        detail %= {"method": method, "there": there}
        raise Refusal("unknown_method", with_nearest(detail, method, METHODS), field="method")
    if not isinstance(options, Mapping):
        raise Refusal("bad_options", gettext("options are an object of names and values"), field="options")
    try:
        made = _made(method, options)
    except (ValueError, OverflowError) as error:
        culprit = _culprit(method, options)
        field = f"options.{culprit}" if culprit else "options"
        raise Refusal("bad_options", str(error), field=field) from None
    for name in RUN_OPTIONS:
        place = made.get(name)
        if place is None or (place < len(runs) and runs[place]):
            continue
        known = place < len(runs)
        lacks = gettext("does not contribute to the pool") if known else gettext("is not there")
        detail = gettext("%(name)s = %(place)s: this run, counted from 0, %(lacks)s") % {
            "name": name,
            "place": place,
            "lacks": lacks,
        }
        raise Refusal("bad_options", detail, field=f"options.{name}")
    return made


def _made(method: str, options: Mapping[str, object]) -> dict[str, Any]:
    made = registry.complete_options(method, options)
    for name, value in made.items():
        if not _can_be_kept(value):
            raise ValueError(f"{name} = {value!r} is out of range")
    return made


def _can_be_kept(value: object) -> bool:
    """True if rows can hold the value and arrays can be made of it."""
    if isinstance(value, str):
        return value.isprintable() and len(value) <= LONGEST_OPTION
    if isinstance(value, int | float):
        return math.isfinite(value) and abs(value) <= LARGEST
    return value is None


def _culprit(method: str, options: Mapping[str, object]) -> str:
    """The option that is wrong by itself; none if only their combination is."""
    for name, value in options.items():
        try:
            _made(method, {name: value})
        except (ValueError, OverflowError):
            return name
    return ""


def reads_documents(campaign: Campaign, method: str) -> str:
    """Requirements of a method that reads documents and that the campaign lacks, in words; empty if it lacks
    none."""
    if not METHODS[method].unranked:
        return ""
    lacks = []
    if not campaign.collection.documents.exclude(body="", title="").exists():
        lacks.append(gettext("documents with text"))
    if campaign.topics.filter(title="", description="", narrative="").exists():
        lacks.append(gettext("a text for every topic"))
    message = gettext("%(lacks)s, which %(method)s reads")
    return message % {"lacks": join_words(lacks), "method": Method(method).label} if lacks else ""


def weighs_teams(campaign: Campaign) -> bool:
    """True if weights of runs depend on their groups, in any topic."""
    of_team = {"run_weights": "team"}
    return (
        of_team.items() <= campaign.options.items()
        or campaign.topics.filter(options__contains=of_team).exists()
    )


def check_unnamed(*, campaign: Campaign, run: Run) -> None:
    """Before a run stops proposing documents: a run that an option names goes on."""
    place = list(campaign.runs.order_by("id").values_list("id", flat=True)).index(run.id)
    rows: list[Campaign | Topic] = [campaign, *campaign.topics.exclude(options={})]
    for row in rows:
        _refuse_named(run, place, _named(row))


def _named(row: Campaign | Topic) -> dict[str, int]:
    return {name: row.options[name] for name in RUN_OPTIONS if row.options.get(name) is not None}


def _refuse_named(run: Run, place: int, named: Mapping[str, int]) -> None:
    if place in named.values():
        detail = gettext("%(tag)s is selected for comparison in the MTC options; change those first") % {
            "tag": run.tag
        }
        raise Refusal("run_in_use", detail, status=409)


def forget_run(*, campaign: Campaign, run: Run) -> None:
    """Before a run goes: options that name later runs by their place name them by the new one. A run
    that an option names stays."""
    place = list(campaign.runs.order_by("id").values_list("id", flat=True)).index(run.id)
    rows: list[Campaign | Topic] = [campaign, *campaign.topics.exclude(options={})]
    for row in rows:
        named = _named(row)
        _refuse_named(run, place, named)
        moved = {name: at - 1 for name, at in named.items() if at > place}
        if moved:
            row.options = row.options | moved
            row.save(update_fields=["options"])
