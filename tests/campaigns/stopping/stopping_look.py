"""A look at whether to stop and a prediction, as the worker makes them, and what the overview says of it."""

from __future__ import annotations

from collections.abc import Sequence

from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.models import Campaign
from campaigns.predictions.computation import write_prediction
from campaigns.stopping.advice_computation import write_advice
from tests.campaigns.factories import Lists, signed_in

# x and y differ in one document only, which is judged first: what else they rank cancels.
NEARLY_EQUAL: Lists = {
    "x": {"1": ["a", "c", "d", "e"]},
    "y": {"1": ["b", "c", "d", "e"]},
    "z": {"1": ["f", "g"]},
}


def look(campaign: Campaign) -> LiveCampaign:
    live = LiveCampaign.from_rows(Campaign.objects.get(id=campaign.id))
    worker.bring_up_to_date(live)
    write_advice(live)
    return live


def predict_scores(campaign: Campaign, asked: Sequence[int] = ()) -> LiveCampaign:
    live = LiveCampaign.from_rows(Campaign.objects.get(id=campaign.id))
    worker.bring_up_to_date(live)
    write_prediction(live, asked)
    return live


def panel(campaign: Campaign) -> str:
    page = signed_in(f"{campaign.name}-ada").get(f"/campaigns/{campaign.slug}/overview/").content.decode()
    return " ".join(page.split())
