"""Experience from this site's finished campaigns, for the predictions of others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from campaigns.computing.live import LiveCampaign
from campaigns.models import Campaign, Prediction
from campaigns.models.campaign import Status
from selection.simulation.experience import LaterJudgments, experience_of, pooled_experience
from selection.simulation.relevance.prior import Experience
from selection.simulation.relevance.relevance_model import MODEL_VERSION

# Fewer judgments say little of what the model missed.
LEAST_JUDGED = 100
# Shares of the log after which the model is tried on the judgments that came later.
MOMENTS = (0.25, 0.5)


def site_experience(*, other_than: int) -> tuple[Experience, int]:
    """Pooled experience of the other finished campaigns, and their number."""
    rows = Prediction.objects.filter(campaign__status=Status.CLOSED, experience__isnull=False)
    rows = rows.filter(experience__model=MODEL_VERSION).exclude(campaign=other_than)
    values = rows.order_by("campaign").values_list("experience", flat=True)
    campaigns = [Experience(one["level"], one["slope"]) for one in values if one is not None]
    return pooled_experience(campaigns), len(campaigns)


def campaigns_to_learn_from() -> list[int]:
    """Finished campaigns with enough judgments, of which the last have taught nothing yet."""
    rows = Prediction.objects.filter(campaign__status=Status.CLOSED, campaign__archived_at=None)
    rows = rows.filter(content__scores__has_key="all")
    rows = rows.filter(campaign__computed__judged__gte=LEAST_JUDGED).order_by("campaign")
    # Qrels of relevant documents alone teach nothing.
    rows = rows.filter(campaign__unjudged_not_relevant=False)
    values = rows.values_list("campaign", "experience", "campaign__computed__applied")
    return [campaign for campaign, taught, applied in values if not _is_known(taught, applied)]


def _is_known(taught: Mapping[str, Any] | None, applied: int) -> bool:
    """Another version of the model missed something else."""
    return taught is not None and (taught.get("model"), taught["as_of"]) == (MODEL_VERSION, applied)


def learn(live: LiveCampaign) -> None:
    """Replay the log, and store by how much the model missed what was judged later."""
    earlier = LiveCampaign.from_rows(Campaign.objects.get(id=live.campaign_id))
    misses = []
    for share in MOMENTS:
        until = round(share * live.applied)
        earlier.catch_up(known=until, until=until)
        misses.append(experience_of(earlier.state, _later(earlier, live), seed=live.seed))
    level, slope = (float(np.mean([getattr(one, name) for one in misses])) for name in ("level", "slope"))
    taught = {"level": level, "slope": slope, "as_of": live.applied, "model": MODEL_VERSION}
    Prediction.objects.filter(campaign=live.campaign_id).update(experience=taught)


def _later(earlier: LiveCampaign, live: LiveCampaign) -> LaterJudgments:
    """Documents that are judged in the end and were not earlier, by topic."""
    judgments, setting = {}, live.state.setting
    for topic, pool in enumerate(live.state.pools):
        gains = setting.judgments.gains_of(topic)
        new = ~np.isnan(gains) & np.isnan(earlier.state.setting.judgments.gains_of(topic))
        served = setting.judgments.served_in(topic)
        new[list(setting.judgments.judged_in(topic).keys() - served.keys())] = False
        # The model describes documents by the runs that rank them.
        documents = np.flatnonzero(new & (np.diff(pool.start) > 0))
        judgments[topic] = documents, (gains[documents] > setting.threshold).astype(np.float64)
    return judgments
