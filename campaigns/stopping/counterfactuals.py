"""A campaign under another method, with the judgments it has: asked for, computed by the worker, read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.computing.live import LiveCampaign
from campaigns.core.background import run_at_low_priority
from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_counterfactual
from campaigns.log.current import excluded
from campaigns.models import Campaign, Counterfactual, Run
from campaigns.models.campaign import Method
from campaigns.predictions.decided_pairs import is_large, try_background_lock
from evaluation.arrays import FloatArray
from selection.registry import PLANNABLE_METHODS
from selection.simulation.counterfactual import Counterfactual as Replayed
from selection.simulation.counterfactual import counterfactual
from selection.simulation.trajectory import Trajectory
from selection.specification import CampaignSpec

State = Counterfactual.State
UNFINISHED = (State.WAITING, State.RUNNING)
# What has said nothing for so long waits for other work, or died with its worker; the lock shows which.
SILENCE = timedelta(seconds=15)

_FIRST_JUDGED = f"""
SELECT topic_id, document_id FROM campaigns_judgment
WHERE campaign_id = %s AND grade IS NOT NULL AND NOT {excluded()}
GROUP BY topic_id, document_id ORDER BY min(sequence)
"""  # noqa: S608


def request(*, campaign: Campaign, method: str) -> Counterfactual:
    """Have the worker replay the campaign under a method; the result of before is deleted."""
    if method not in PLANNABLE_METHODS:
        detail = gettext("%(method)s cannot replay a campaign") % {"method": method}
        raise Refusal("unknown_method", detail, field="method")
    if not campaign.judgments.exists():
        raise Refusal("not_judged", gettext("A replay needs judgments."), status=409)
    rows = {
        "state": State.WAITING,
        "method": method,
        "configuration": campaign.configuration,
        **_no_result(),
    }
    with transaction.atomic():
        row, _ = Counterfactual.objects.update_or_create(campaign=campaign, defaults=rows)
        request_counterfactual(campaign.id)
    return row


def _no_result() -> dict[str, Any]:
    return {"reason": "", "content": {}, "actual": "", "other": "", "as_of": 0}


def compute(campaign_id: int) -> None:
    """Replay what is asked for. Nothing happens while another process does such work."""
    with try_background_lock() as alone:
        rows = Counterfactual.objects.filter(campaign=campaign_id, state__in=UNFINISHED)
        asked = rows.select_related("campaign__collection").first() if alone else None
        if asked is None:
            return
        rows.update(state=State.RUNNING, updated=timezone.now())
        live = LiveCampaign.from_rows(asked.campaign)
        live.catch_up(known=0)
        try:
            columns = _result(asked.campaign, live, asked.method)
        except ValueError as error:
            # What a method refuses about the runs at hand.
            columns = _failed(str(error))
        # Nothing is stored if another method was asked for meanwhile.
        rows.filter(method=asked.method).update(**columns, as_of=live.applied, updated=timezone.now())


def _result(campaign: Campaign, live: LiveCampaign, method: str) -> dict[str, Any]:
    if is_large(live):
        return _failed(gettext("The campaign is too large to be replayed in seconds."))
    order = judged_order(campaign, live)
    if not order:
        return _failed(gettext("No judged document is ranked by a run."))
    # The replay reads no rows: this brings all pools into memory.
    gains = [live.state.setting.judgments.gains_of(topic) for topic in range(len(live.state.pools))]
    replay = run_at_low_priority(_replayed, campaign, live, method, gains, order)
    shown = live.arrays.taking_part
    tags = dict(Run.objects.filter(campaign=campaign).values_list("id", "tag"))
    names = [tags[live.arrays.runs[run]] for run in shown]
    return {
        "state": State.DONE,
        "content": {"asked": replay.asked, "judged": replay.judged, "unjudged": replay.unjudged},
        "actual": _played(replay.actual, shown, names, {"method": "", "p": campaign.p}),
        "other": _played(replay.other, shown, names, {"method": method, "p": campaign.p}),
    }


def _failed(reason: str) -> dict[str, Any]:
    return {"state": State.FAILED, "reason": reason}


def _replayed(
    campaign: Campaign,
    live: LiveCampaign,
    method: str,
    gains: Sequence[FloatArray],
    order: Sequence[tuple[int, int]],
) -> Replayed:
    setting = live.state.setting
    return counterfactual(
        live.state.pools,
        gains,
        order,
        CampaignSpec(
            runs=setting.runs,
            p=campaign.p,
            method=method,
            scope=setting.scope,
            contributing=live.arrays.contributing,
            groups=live.arrays.groups,
            batch=campaign.batch,
            options=campaign.options if method == campaign.method else None,
            seed=setting.seed,
            keys=setting.keys,
            threshold=campaign.threshold,
        ),
    )


def judged_order(campaign: Campaign, live: LiveCampaign) -> list[tuple[int, int]]:
    """The documents that have a grade now, by topic and pool index, in the order of their first grades. A
    document that no run ranks is in no score, and left out."""
    order = []
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_JUDGED, [campaign.id])
        for topic_id, document_id in cursor.fetchall():
            topic, document = live.topic_index(topic_id), live.place(topic_id, document_id)
            if topic is None or document is None:
                continue
            if live.state.gain(topic, document) is not None:
                order.append((topic, document))
    return order


def _played(
    trajectory: Trajectory, shown: Sequence[int], names: Sequence[str], details: Mapping[str, Any]
) -> str:
    """The trajectory of the runs that take part, by name."""
    order = [run for _, run in sorted(zip(names, shown, strict=True))]
    part = replace(trajectory, base=trajectory.base[:, order], residual=trajectory.residual[:, order])
    return json.dumps({**details, **part.as_dict(sorted(names))}, separators=(",", ":"))


def unfinished_counterfactuals() -> list[int]:
    """Campaigns whose counterfactual waits, or died with its worker."""
    silent = Counterfactual.objects.filter(state__in=UNFINISHED, updated__lt=timezone.now() - SILENCE)
    return list(silent.values_list("campaign", flat=True))


def method_label(method: str) -> str:
    return str(Method(method).label) if method else gettext("As it was judged")


def counterfactual_of(*, campaign: Campaign) -> Counterfactual | None:
    """Latest requested counterfactual, without its trajectories."""
    return Counterfactual.objects.defer("actual", "other").filter(campaign=campaign).first()
