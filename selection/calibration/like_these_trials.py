"""Trials of predicted means over topics like these, in campaigns whose topics are drawn with replacement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.calibration.coverage import Coverage, Trial, coverage_of
from selection.calibration.past_campaigns import PastTopic, known_campaign
from selection.calibration.prediction_trials import ROUNDING, RUN_INTERVAL, draw_campaign
from selection.simulation.planning import complete_topic_scores
from selection.simulation.prediction import NOMINAL, Prediction, predict
from selection.simulation.relevance.judged_relevance import JudgedRelevance
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience
from selection.simulation.topics_like_these import half_widths

# Topics drawn for each campaign.
LIKE_THESE = 30


@dataclass(frozen=True, eq=False)
class TopicsLikeThese:
    """A prediction of campaigns whose topics are drawn with replacement, and the true means over all topics,
    (runs,)."""

    prediction: Prediction
    topics: int
    final: FloatArray

    @property
    def covered(self) -> BoolArray:
        """(runs,), whether the interval holds the true mean; empty if it is too early for one."""
        if self.prediction.early or self.prediction.like_these is None:
            return np.zeros(0, dtype=np.bool_)
        half = half_widths(np.diag(self.prediction.like_these), self.topics)
        return np.asarray(np.abs(self.prediction.expected - self.final) <= half + ROUNDING)


def redrawn_campaigns(
    topics: Sequence[PastTopic],
    among: tuple[IntArray, IntArray],
    *,
    campaigns: int,
    seed: int,
    experience: Experience = NO_EXPERIENCE,
    progress: Callable[[int], object] = lambda count: None,
) -> Iterator[TopicsLikeThese]:
    """So many campaigns as of `predicted_campaigns`, but `LIKE_THESE` topics drawn with replacement: they are
    a random sample of topics like them, whose mean is that of all these topics."""
    generator, count = np.random.default_rng(seed), 0
    runs, indices = among
    while count < campaigns:
        setting = replace(
            draw_campaign(generator, runs, indices), begun=None, scope="campaign", seed=seed + count
        )
        each = round(setting.judged_each)
        again = tuple(generator.choice(indices, LIKE_THESE).tolist())
        known = known_campaign(topics, replace(setting, topics=again, judged=each * LIKE_THESE))
        state = known.moment()
        if state is None or JudgedRelevance.of(state.setting).one_sided:
            continue
        [prediction] = predict(state, seed=setting.seed, experience=experience)
        every = known_campaign(topics, replace(setting, topics=tuple(indices.tolist())))
        final = complete_topic_scores(every.pools, len(setting.runs), setting.p, every.gains)
        count += 1
        progress(count)
        yield TopicsLikeThese(prediction, LIKE_THESE, np.mean(list(final), axis=0))


def like_these_coverage(campaigns: Sequence[TopicsLikeThese], trial: Trial) -> list[Coverage]:
    """The row of the intervals over topics like these, in campaigns that state one."""
    covered = [one.covered.tolist() for one in campaigns]
    share = sum(map(bool, covered)) / max(len(covered), 1)
    regime = f"{LIKE_THESE} topics drawn again"
    rows = coverage_of(
        f"{RUN_INTERVAL} over topics like these",
        covered,
        regime=regime,
        nominal=NOMINAL,
        tolerance=0.02,
        at_least=True,
        trial=trial,
    )
    return [replace(row, stated=share) for row in rows]
