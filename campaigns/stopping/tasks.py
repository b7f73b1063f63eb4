"""Celery tasks that compute advice, predict final scores and replay plans."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from celery import shared_task
from django.db.models import Q

from campaigns.computing.arrays import OutdatedArrays
from campaigns.computing.worker import caught_up_copy
from campaigns.predictions import computation, decided_pairs
from campaigns.predictions.experience import campaigns_to_learn_from, learn
from campaigns.results.rested import rested_campaigns
from campaigns.stopping import advice_computation, counterfactuals, planner
from selection.simulation.relevance.relevance_model import MODEL_VERSION

logger = logging.getLogger(__name__)

# A look that takes long is taken seldom: it keeps a worker busy for one part in so many of the time.
REST = 10
# A prediction takes a second or two and is wanted within seconds.
PREDICTION_REST = 2
# Seconds that predictions wait while another process forecasts or plans, so that one is free to recompute.
PREDICTION_PATIENCE = 60.0


@shared_task(name="campaigns.advise_where_due")
def advise_where_due() -> None:
    for campaign in campaigns_to_advise():
        advise.delay(campaign)


@shared_task(name="campaigns.advise")
def advise(campaign: int) -> None:
    """Look at what the judgments say about stopping. This reads the copy that recomputes keep in this
    process: tasks take turns here, so it stands still meanwhile, and its own futures are copies of it."""
    live = caught_up_copy(campaign)
    if live is None:
        # Busy elsewhere, or without runs: the beat comes again.
        return
    try:
        advice_computation.write_advice(live)
    except OutdatedArrays:
        logger.info("campaign %s changed while it was looked at", campaign)


def campaigns_to_advise() -> list[int]:
    """Campaigns whose computed figures moved since the last look, or that may be looked at further ahead or
    by another model, and that have rested from it."""
    also = Q(advice__content__further=True) | _of_another_model("advice")
    return rested_campaigns("advice", REST, also=also)


@shared_task(name="campaigns.predict_where_due")
def predict_where_due() -> None:
    with decided_pairs.try_background_lock() as idle:
        pass
    for campaign in campaigns_to_predict(least_rest=0.0 if idle else PREDICTION_PATIENCE):
        predict.delay(campaign)
    for campaign in campaigns_to_learn_from() if idle else ():
        learn_from.delay(campaign)


@shared_task(name="campaigns.predict")
def predict(campaign: int, runs: Sequence[int] = ()) -> None:
    """Predict final scores from the copy that recomputes keep in this process; of `runs`, in each topic,
    too."""
    with computation.try_prediction_lock() as alone:
        # A copy may have to be built first, so one process at a time does that, too.
        live = caught_up_copy(campaign) if alone else None
        if live is None:
            return
        try:
            computation.write_prediction(live, runs)
        except OutdatedArrays:
            logger.info("campaign %s changed while its scores were predicted", campaign)


@shared_task(name="campaigns.learn_from")
def learn_from(campaign: int) -> None:
    """Measure what a finished campaign teaches predictions of others."""
    with computation.try_prediction_lock() as alone:
        live = caught_up_copy(campaign) if alone else None
        if live is None or decided_pairs.is_large(live):
            return
        try:
            learn(live)
        except OutdatedArrays:
            logger.info("campaign %s changed while it was learned from", campaign)


def campaigns_to_predict(least_rest: float = 0.0) -> list[int]:
    """Campaigns whose computed figures moved since the last prediction, or that another version of the model
    predicted, and that have rested from it, for `least_rest` seconds or more."""
    also = _of_another_model("prediction")
    return rested_campaigns("prediction", PREDICTION_REST, also=also, least=least_rest)


def _of_another_model(row: str) -> Q:
    """Older rows name no version; a comparison with what is missing is neither true nor false."""
    version = f"{row}__content__model"
    return Q(**{f"{version}__isnull": True}) | ~Q(**{version: MODEL_VERSION})


@shared_task(name="campaigns.plan")
def go_on(campaign: int) -> None:
    """One line of the plan; then the next, after what else is waiting for a worker."""
    if planner.step(campaign):
        go_on.delay(campaign)


@shared_task(name="campaigns.replay_counterfactual")
def replay_counterfactual(campaign: int) -> None:
    counterfactuals.compute(campaign)


@shared_task(name="campaigns.plan_where_due")
def plan_where_due() -> None:
    """Queue plans that were put aside for other work, or died with its worker."""
    for campaign in planner.unfinished_plans():
        go_on.delay(campaign)
    for campaign in counterfactuals.unfinished_counterfactuals():
        replay_counterfactual.delay(campaign)
