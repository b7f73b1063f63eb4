"""Final scores predicted from a worker's copy of the campaign, and stored."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Literal

import numpy as np

from campaigns.computing.live import LiveCampaign
from campaigns.core.background import run_at_low_priority
from campaigns.core.database import ALL_CAMPAIGNS, Space, try_campaign_lock
from campaigns.models import Prediction
from campaigns.models.packed import DIFFERENCES, PROBABILITIES, RUN_IDS, pack
from campaigns.predictions.decided_pairs import advised_runs, is_large
from campaigns.predictions.differences import pack_differences
from campaigns.predictions.experience import site_experience
from campaigns.predictions.predicted_topics import predicted_topics
from campaigns.predictions.prediction import (
    TOP_RUNS,
    ZERO_RUN,
    PredictedScores,
    PredictionContent,
    Reason,
    SeparatedPairs,
    earlier_history,
    read_prediction,
)
from campaigns.results.topic_scope import SCOPES
from campaigns.scoring.pair_probabilities import decided_by_difference, decided_by_ranges, pair_probabilities
from evaluation.arrays import BoolArray, IntArray
from selection.pool import identical_runs
from selection.simulation import prediction as kernel
from selection.simulation.relevance.judged_relevance import JudgedRelevance
from selection.simulation.relevance.relevance_model import MODEL_VERSION
from selection.simulation.topics_like_these import half_widths

# Runs that people asked for, beyond the first ones, and that are predicted in each topic from then on.
MOST_ASKED = 12


def try_prediction_lock() -> AbstractContextManager[bool]:
    """Lock against other predictions, for any campaign, until the end; yields true if it was free. Forecasts
    and plans have a lock of their own: they take long, and predictions should not wait for all of them."""
    return try_campaign_lock(Space.PREDICTIONS, ALL_CAMPAIGNS)


def write_prediction(live: LiveCampaign, asked: Sequence[int] = ()) -> None:
    """Store what the judgments up to now predict, unless that is stored already. `asked`: ids of runs to be
    predicted in each topic, too."""
    stand = {"as_of": live.applied, "configuration": live.configuration}
    rows = Prediction.objects.filter(campaign_id=live.campaign_id, content__model=MODEL_VERSION)
    before = rows.first()
    again = before is not None and (before.as_of, before.configuration) == (live.applied, live.configuration)
    known = PredictionContent() if before is None else PredictionContent.from_json(before.content)
    if again and (not asked or {*asked, ZERO_RUN} <= set(known.watched)):
        return
    began = time.monotonic()
    wanted = tuple(dict.fromkeys([*asked, *known.asked]))[:MOST_ASKED]
    content, packed = _predicted(live, _identical_runs(live, before), before, wanted)
    past = earlier_history(before, live.configuration)
    content = replace(
        content,
        seconds=time.monotonic() - began,
        history=past if again else _history(live, content, packed, past),
        asked=wanted,
    )
    columns = {**stand, **packed, "content": content.to_json()}
    Prediction.objects.update_or_create(campaign_id=live.campaign_id, defaults=columns)


def _history(
    live: LiveCampaign,
    content: PredictionContent,
    packed: dict[str, bytes],
    past: Mapping[str, tuple[SeparatedPairs, ...]],
) -> dict[str, tuple[SeparatedPairs, ...]]:
    """While it is too early for probabilities, nothing is measured."""
    if not content.scores:
        return dict(past)
    row = Prediction(as_of=live.applied, content=content.to_json(), **packed)
    predictions = {topics: read_prediction(row, topics) for topics in SCOPES}
    measured = {topics: one for topics, one in predictions.items() if one is not None and not one.early}
    return dict(past) | {
        topics: (*past.get(topics, ()), one.separated(live.judged)) for topics, one in measured.items()
    }


def _identical_runs(live: LiveCampaign, before: Prediction | None) -> tuple[tuple[int, ...], ...]:
    """Groups of ids. They change with the runs alone."""
    if before is not None and before.configuration == live.configuration:
        content = PredictionContent.from_json(before.content)
        if content.scores:
            return content.same
    if is_large(live):
        return ()
    groups = identical_runs(live.state.pools, len(live.arrays.runs), live.arrays.taking_part)
    return tuple(tuple(live.arrays.runs[run] for run in group) for group in groups)


def _predicted(
    live: LiveCampaign, same: tuple[tuple[int, ...], ...], before: Prediction | None, asked: Sequence[int]
) -> tuple[PredictionContent, dict[str, bytes]]:
    """The content, and the packed columns."""
    here = np.array(live.arrays.taking_part, dtype=np.int64)
    # The thread that computes reads no rows.
    part = predicted_topics(live) if len(here) > 1 and live.judged else None
    relevance = JudgedRelevance.of(live.state.setting if part is None else part.state.setting)
    if part is None or not part.scopes[1] or (relevance.one_sided and not relevance.few):
        nothing = dict.fromkeys(("runs", "pairs", "judged_pairs", "differences", "like_these"), b"")
        every = JudgedRelevance(live.judged, live.relevant)
        # Those outside the runs count, too, unless they are of other kinds.
        shown = every if every.one_sided == relevance.one_sided else relevance
        reason: Reason | Literal[""] = ""
        if len(here) > 1 and live.judged:
            reason = "too_large" if part is None else relevance.one_sided or "unranked"
        return PredictionContent(reason=reason, judged=shown.judged, relevant=shown.relevant), nothing
    experience, teachers = site_experience(other_than=live.campaign_id)
    watched = _watched(live, here, before, asked)
    differences = kernel.PredictedDifferences(watched, len(part.topics), with_zero=True)
    predictions = run_at_low_priority(
        kernel.predict,
        part.state,
        seed=live.seed,
        scopes=part.scopes,
        compared=here,
        experience=experience,
        differences=differences,
        populations=part.populations,
    )
    bounds = [part.bounds(scope) for scope in range(len(SCOPES))]
    decided = [decided_by_ranges(base[here], residual[here]) for base, residual in bounds]
    if not part.populations:
        for one, scope, sure in zip(predictions, part.scopes, decided, strict=True):
            # As the stop advice and the pair page decide pairs, so that all state the same.
            likely = here[np.argsort(-one.expected[here], kind="stable")[:TOP_RUNS]]
            best = np.union1d(advised_runs(live), likely)
            places = np.searchsorted(here, best)
            sure[np.ix_(places, places)] |= decided_by_difference(part.state, best, scope)
    one_sided = bool(relevance.one_sided)
    scores = [
        _scores(one, here, *part.counts(scope), early=one.early or one_sided)
        for scope, one in enumerate(predictions)
    ]
    content = PredictionContent(
        learned_from=teachers,
        scores=dict(zip(SCOPES, scores, strict=True)),
        same=same,
        watched=(*(live.arrays.runs[run] for run in watched), ZERO_RUN),
        watched_topics=tuple(live.arrays.topics[topic] for topic in part.topics),
    )
    pairs = [_pairs(one, sure, here) for one, sure in zip(predictions, decided, strict=True)]
    runs = pack((live.arrays.runs[run] for run in here), RUN_IDS)
    packed = {"runs": runs, "pairs": pairs[0], "judged_pairs": pairs[1]}
    packed["like_these"] = b"".join(
        _like_these(one, here, part.counts(scope)[1]) for scope, one in enumerate(predictions)
    )
    return content, packed | {"differences": pack_differences(differences, here)}


def _watched(live: LiveCampaign, here: IntArray, before: Prediction | None, asked: Sequence[int]) -> IntArray:
    """Indices of the runs whose differences are stored by topic: those asked for, and the first ones of the
    last prediction and of the projection. Those of this prediction are known only after its topics were
    drawn."""
    first = set(here[np.argsort(-live.scores.bounds.projections()[here])[:TOP_RUNS]].tolist())
    ids = set(asked)
    if before is not None and before.configuration == live.configuration:
        known = [read_prediction(before, topics) for topics in SCOPES]
        ids |= {run.id for one in known if one is not None for run in one.distinct[:TOP_RUNS]}
    first |= {at for at in here.tolist() if live.arrays.runs[at] in ids}
    return np.array(sorted(first), dtype=np.int64)


def _scores(
    prediction: kernel.Prediction, here: IntArray, topics: int, sampled: int, *, early: bool
) -> PredictedScores:
    columns = prediction.expected, prediction.low, prediction.high, prediction.best
    expected, low, high, best = (tuple(column[here].tolist()) for column in columns)
    return PredictedScores(topics, expected, low, high, best, early, sampled)


def _like_these(prediction: kernel.Prediction, here: IntArray, topics: int) -> bytes:
    """Half widths for topics like these, NaN where there are too few topics."""
    if prediction.like_these is None:
        return pack(np.full((len(here), len(here)), np.nan), DIFFERENCES)
    covariance = prediction.like_these[np.ix_(here, here)]
    own = np.diag(covariance)
    variance = own[:, None] + own[None, :] - 2 * covariance
    np.fill_diagonal(variance, own)
    return pack(half_widths(variance, topics), DIFFERENCES)


def _pairs(prediction: kernel.Prediction, decided: BoolArray, here: IntArray) -> bytes:
    better = pair_probabilities(prediction.better[np.ix_(here, here)], decided)
    return pack(better[np.triu_indices(len(here), 1)], PROBABILITIES)
