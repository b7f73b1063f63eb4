"""The planner: what further judging would yield, by method and p.

The worker goes on with the campaign from its judgments, under relevance drawn from what is known of the runs,
one line of the plan after the other, and stores what it found. All lines begin with the same judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from datetime import timedelta

import numpy as np
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.collection.rankings import DocnoOrder
from campaigns.computing.arrays import CampaignArrays, load_campaign
from campaigns.computing.live import LiveCampaign
from campaigns.computing.topic_methods import make_state
from campaigns.core.background import run_at_low_priority
from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_planning
from campaigns.core.phrases import group_digits
from campaigns.log.tallies import judged_in
from campaigns.models import Campaign, Outlook
from campaigns.predictions.decided_pairs import is_large, try_background_lock
from campaigns.predictions.experience import site_experience
from campaigns.stopping.advice_content import PlanContent, PlanProblem, PlanRequest, PlanStart
from selection.registry import PLANNABLE_METHODS
from selection.simulation.planning import (
    FURTHER_JUDGMENTS,
    PLAN_DRAWS,
    PlannedTrajectory,
    pool_sizes,
    simulated_trajectories,
    with_judgments,
)
from selection.simulation.relevance.judged_relevance import JudgedRelevance, OneSided
from selection.specification import MethodSpec
from selection.state import CampaignState

MOST_LINES = 8
# Beyond the judgments already made.
MOST_BUDGET = 10_000
# What has said nothing for so long waits for other work, or died with its worker.
PLANNING_SILENCE = timedelta(seconds=15)
FINISHED_STATES = (Outlook.State.DONE, Outlook.State.FAILED)


def request_plan(*, campaign: Campaign, methods: Sequence[str], ps: Sequence[float], budget: int) -> Outlook:
    """Begin to replay each method with each p, in the worker; the result of before is deleted."""
    for method in methods:
        if method not in PLANNABLE_METHODS:
            detail = gettext("%(method)s cannot be planned with") % {"method": method}
            raise Refusal("unknown_method", detail, field="methods")
    for p in ps:
        if not 0 < p < 1:
            raise Refusal("bad_p", gettext("p = %(p)s is not inside (0, 1)") % {"p": f"{p:g}"}, field="p")
    lines = tuple((method, p) for p in dict.fromkeys(ps) for method in dict.fromkeys(methods))
    if not 1 <= len(lines) <= MOST_LINES:
        detail = gettext("%(lines)s combinations of method and p: choose 1 to %(most)s")
        detail %= {"lines": len(lines), "most": MOST_LINES}
        raise Refusal("too_many_lines", detail, field="methods")
    judged = judged_documents(campaign)
    if not judged < budget <= judged + MOST_BUDGET:
        ends = {"least": group_digits(judged + 1), "most": group_digits(judged + MOST_BUDGET)}
        detail = gettext("the maximum is %(least)s to %(most)s, judgments already made included") % ends
        raise Refusal("bad_budget", detail, field="budget")
    if not campaign.runs.exists() or not campaign.topics.exists():
        raise Refusal("nothing_to_plan", gettext("Planning needs topics and runs."), status=409)
    rows = {
        "content": PlanContent(PlanRequest(lines, budget)).to_json(),
        "done": 0,
        "total": len(lines) * PLAN_DRAWS,
        "state": Outlook.State.WAITING,
        "configuration": campaign.configuration,
    }
    with transaction.atomic():
        outlook, _ = Outlook.objects.update_or_create(campaign=campaign, defaults=rows)
        request_planning(campaign.id)
    return outlook


def judged_documents(campaign: Campaign) -> int:
    return sum(judged for judged, _ in judged_in(campaign=campaign).values())


def usual_budget(campaign: Campaign) -> int:
    return judged_documents(campaign) + FURTHER_JUDGMENTS


def step(campaign_id: int) -> bool:
    """Replay the next line that is asked for; whether there are more. Nothing happens while another
    process does such work."""
    with try_background_lock() as alone:
        outlook = Outlook.objects.select_related("campaign").filter(campaign=campaign_id).first()
        if outlook is None or outlook.state in FINISHED_STATES:
            return False
        if not alone:
            return False
        content, configuration = PlanContent.from_json(outlook.content), outlook.campaign.configuration
        if content.start is None:
            live = LiveCampaign.from_rows(outlook.campaign)
            if not _can_be_planned(live, outlook, content):
                return False
            content = replace(content, pool=tuple(pool_sizes(live.state)), start=_start(live))
        at, start = len(content.trajectories), content.start
        # Judgments may have come since it was asked for.
        budget = max(content.request.budget, start.judged + 1 if start else 0)
        method, p = content.request.lines[at]

        def note(draw: int) -> None:
            rows = Outlook.objects.filter(campaign=campaign_id)
            rows.update(done=at * PLAN_DRAWS + draw, updated=timezone.now())

        note(0)
        draws: list[PlannedTrajectory] = []
        try:
            draws = trajectories(outlook.campaign, method, p, budget, note, start)
        except ValueError as error:
            # What a method refuses about the runs at hand.
            content = replace(content, problem=PlanProblem("method_refused", method, str(error)))
        return _store(
            campaign_id, configuration, replace(content, trajectories=(*content.trajectories, tuple(draws)))
        )


def _can_be_planned(live: LiveCampaign, outlook: Outlook, content: PlanContent) -> bool:
    """Otherwise it ends here: the campaign is too large for replays, or its judgments hold one kind of
    grade."""
    if code := "too_large" if is_large(live) else _one_sided(live):
        outlook.content = replace(content, problem=PlanProblem(code)).to_json()
        outlook.state = Outlook.State.FAILED
        outlook.save()
    return not code


def _start(live: LiveCampaign) -> PlanStart:
    """Start of a plan from a copy that has caught up."""
    begun = sum(tally.judged > 0 for tally in live.tally.values())
    return PlanStart(live.applied, live.judged, len(live.plan.topics) - begun)


def _one_sided(live: LiveCampaign) -> OneSided:
    live.catch_up(known=0)
    relevance = JudgedRelevance.of(live.scored_state.setting)
    return "" if relevance.few else relevance.one_sided


def _store(campaign: int, configuration: int, content: PlanContent) -> bool:
    """Store the content; true if more is to be done. Nothing is stored if something else was requested
    meanwhile."""
    with transaction.atomic():
        outlook = Outlook.objects.select_for_update().get(campaign=campaign)
        if PlanContent.from_json(outlook.content).request != content.request:
            return True
        more = len(content.trajectories) < len(content.request.lines)
        outlook.content, outlook.configuration = content.to_json(), configuration
        outlook.done = len(content.trajectories) * PLAN_DRAWS
        outlook.state = Outlook.State.RUNNING if more else Outlook.State.DONE
        outlook.save()
    return more


def trajectories(
    campaign: Campaign,
    method: str,
    p: float,
    budget: int,
    note: Callable[[int], object],
    start: PlanStart | None = None,
) -> list[PlannedTrajectory]:
    """One for each draw, from `start` on, by default from the present; `note` is called after each."""
    live = LiveCampaign.from_rows(campaign)
    live.catch_up(known=0, until=None if start is None else start.as_of)
    arrays = live.arrays if p == campaign.p else _arrays(live, campaign, p)
    # The replays read no rows: what they need is in memory by then.
    _ = campaign.collection
    for pools in (live.arrays.pools, arrays.pools):
        list(pools)

    fresh = _fresh(live, campaign, arrays, method, p)
    experience, _ = site_experience(other_than=campaign.id)
    ahead = simulated_trajectories(
        live.scored_state,
        with_judgments(live.state, fresh),
        budget=budget,
        seed=live.seed,
        experience=experience,
        judged=live.judged,
        compared=np.array(live.arrays.taking_part, dtype=np.int64),
    )
    made = list[PlannedTrajectory]()
    while (course := run_at_low_priority(next, ahead, None)) is not None:
        made.append(course)
        note(len(made))
    return made


def _arrays(live: LiveCampaign, campaign: Campaign, p: float) -> CampaignArrays:
    other = copy(campaign)
    other.p = p
    return load_campaign(other, topics=live.plan.topics, sort_key=DocnoOrder(campaign.collection_id))


def _fresh(
    live: LiveCampaign, campaign: Campaign, arrays: CampaignArrays, method: str, p: float
) -> CampaignState:
    """The campaign before its first judgment, by one method in all topics."""
    other = copy(campaign)
    other.p, other.method = p, method
    other.options = campaign.options if method == campaign.method else {}
    chosen = (MethodSpec(method, other.options),) * len(live.plan.topics)
    return make_state(other, replace(live.plan, chosen=chosen, samples={}, texts=None), arrays)


def unfinished_plans() -> list[int]:
    """Campaigns whose planner waits, or has said nothing for a while; one that is merely slow is kept by its
    lock from being worked on twice."""
    waiting = Outlook.objects.exclude(state__in=FINISHED_STATES).filter(
        updated__lt=timezone.now() - PLANNING_SILENCE
    )
    return list(waiting.values_list("campaign", flat=True))
