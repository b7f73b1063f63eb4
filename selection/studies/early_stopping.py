"""After which share of the pool predictions decide, and how often they are wrong, on replayed campaigns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray
from selection.calibration.past_campaigns import KnownCampaign, PastTopic, TrialSetting, known_campaign
from selection.pool import Ids
from selection.simulation.planning import complete_scores, tau_b
from selection.simulation.prediction import Prediction, predict
from selection.simulation.separation import BEST_RUNS, SEPARATED
from selection.studies.interface import Found, PaperStudy, Point, Row, StudySettings
from selection.studies.known_collection import KnownCollection

PERSISTENCE = 0.8
# With this persistence, ranks below 20 hold 1% of a score.
DEPTH, DEEP = 20, 100
METHODS = ("C", "mtc", "pooling")
MOST_RUNS, MOST_TOPICS = 40, 25
# Shares of the pool after which a campaign is looked at.
SHARES = (0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0)
MOST_PAIRS, HIGH_TAU = 0.9, 0.9
# Scores that differ by less are equal, and a probability may miss its bound by so much, as on the pages.
NO_DIFFERENCE, NOISE = 1e-12, 1e-9
NEVER = "never"


@dataclass(frozen=True)
class StoppingReplay:
    """A campaign of half of the runs, `BEST_RUNS` to `MOST_RUNS`, and half of the topics, `MOST_TOPICS` at
    most, which the seed draws."""

    method: str
    seed: int


@dataclass(frozen=True)
class Look:
    """State of a prediction after some judgments, compared with the truth by all judgments.

    judged, named : judgments, and those of a document that the qrels name
    pairs : pairs of the best `BEST_RUNS` by expected score that differ by all judgments
    separated, wrong : of these, pairs with P(A > B) of `SEPARATED` or more; of those, the untrue ones
    best, other : P(best) of the true best run, with all that tie; the highest P(best) of another run
    tau : Kendall's tau-b between expected and true scores, 0 where either has no order

    While it is too early for probabilities, `separated`, `wrong`, `best` and `other` are 0.
    """

    judged: int
    named: int
    pairs: int
    separated: int
    wrong: int
    best: float
    other: float
    tau: float

    @property
    def best_is_named(self) -> bool:
        return self.best >= SEPARATED - NOISE

    @property
    def other_is_named(self) -> bool:
        return self.other >= SEPARATED - NOISE

    def separates(self, share: float) -> bool:
        return self.pairs > 0 and self.separated >= share * self.pairs - NOISE


DECISIONS: Mapping[str, Callable[[Look], bool]] = {
    "9 of 10 pairs": lambda look: look.separates(MOST_PAIRS),
    "all pairs": lambda look: look.separates(1.0),
    "best run": lambda look: look.best_is_named,
    "τ of 0.9": lambda look: look.tau >= HIGH_TAU - NOISE,
}
PAIRS, BEST = ("9 of 10 pairs", "all pairs"), "best run"


def look_at(prediction: Prediction, true: FloatArray, judged: int, named: int) -> Look:
    """Compare a prediction with the true scores (runs,).

    >>> sure = np.array([[0.5, 1.0], [0.0, 0.5]], dtype=np.float32)
    >>> scores = np.array([0.4, 0.3])
    >>> prediction = Prediction(scores, scores, scores, np.array([1.0, 0.0]), sure, early=False)
    >>> look_at(prediction, np.array([0.2, 0.3]), judged=5, named=4)
    Look(judged=5, named=4, pairs=1, separated=1, wrong=1, best=0.0, other=1.0, tau=-1.0)
    """
    ten = np.argsort(-prediction.expected, kind="stable")[:BEST_RUNS]
    one, other = (ten[places] for places in np.triu_indices(len(ten), 1))
    gap = true[one] - true[other]
    differ = np.abs(gap) > NO_DIFFERENCE
    better = prediction.better[one, other].astype(np.float64)
    separated = differ & (np.maximum(better, 1 - better) >= SEPARATED - NOISE) & (not prediction.early)
    wrong = separated & ((better > 0.5) != (gap > 0))
    is_best = true >= true.max() - NO_DIFFERENCE
    best = 0.0 if prediction.early else float(prediction.best[is_best].sum())
    rival = 0.0 if prediction.early else float(prediction.best[~is_best].max(initial=0.0))
    tau = float(np.nan_to_num(tau_b(prediction.expected, true)))
    counts = int(differ.sum()), int(separated.sum()), int(wrong.sum())
    return Look(judged, named, *counts, best, rival, tau)


# A replay.


def run_replay(known: KnownCollection, trial: StoppingReplay) -> Found:
    """Judge until everything is decided, and look after each of `SHARES`.

    A document that the qrels do not name is judged not relevant. Returns `topics`; `pool`, documents that a
    run ranks down to `DEPTH`, and `named`, those of them in the qrels; `deep`, documents down to `DEEP`; and
    `looks`, the fields of each `Look`.
    """
    campaign = drawn_campaign(known, trial)
    named = _named(known, campaign)
    pool = sum(map(len, named))
    return {
        "topics": len(named),
        "pool": pool,
        "named": sum(int(one.sum()) for one in named),
        "deep": _deep_pool(known, campaign.setting),
        "looks": [asdict(look) for look in _looks(campaign, named, _marks(pool))],
    }


def drawn_campaign(known: KnownCollection, trial: StoppingReplay) -> KnownCampaign:
    """Draw a campaign with the same runs and topics for each method."""
    generator = np.random.default_rng(trial.seed)
    runs = _drawn(generator, len(known.runs), BEST_RUNS, MOST_RUNS)
    topics = _drawn(generator, len(known.topics), 1, MOST_TOPICS)
    setting = TrialSetting(runs, topics, PERSISTENCE, trial.method, "campaign", 0, DEPTH, seed=trial.seed)
    past = [PastTopic(topic.rankings, topic.gains) for topic in known.topics]
    return known_campaign(past, setting)


def _drawn(generator: np.random.Generator, count: int, least: int, most: int) -> tuple[int, ...]:
    """Half of so many, rounded up; `least` where there are as many."""
    size = min(max((count + 1) // 2, least), count, most)
    return tuple(sorted(generator.choice(count, size, replace=False).tolist()))


def _named(known: KnownCollection, campaign: KnownCampaign) -> list[BoolArray]:
    """Documents that the qrels name: for each topic bool (documents,), by pool index."""
    topics = [known.topics[index] for index in campaign.setting.topics]
    every = zip(topics, campaign.pools, strict=True)
    return [~np.isnan(topic.gains[pool.documents]) for topic, pool in every]


def _deep_pool(known: KnownCollection, setting: TrialSetting) -> int:
    none: Ids = np.zeros(0, dtype=np.int32)
    count = 0
    for index in setting.topics:
        lists = [known.topics[index].rankings[run] for run in setting.runs]
        count += len(np.unique(np.concatenate([none, *(one[:DEEP] for one in lists if one is not None)])))
    return count


def _marks(pool: int) -> list[int]:
    return sorted({max(1, round(share * pool)) for share in SHARES})


def _looks(campaign: KnownCampaign, named: Sequence[BoolArray], marks: Sequence[int]) -> list[Look]:
    setting, state = campaign.setting, campaign.state()
    true = complete_scores(campaign.pools, len(setting.runs), setting.p, campaign.gains)
    judged = of_named = 0
    looks: list[Look] = []
    for mark in marks:
        while judged < mark and (choice := state.best()) is not None:
            state.judge(choice.topic, choice.document, campaign.gain(choice.topic, choice.document))
            judged += 1
            of_named += int(named[choice.topic][choice.document])
        [prediction] = predict(state, seed=setting.seed)
        looks.append(look_at(prediction, true, judged, of_named))
        if all(map(np.isfinite, first_looks(looks).values())):
            break
    return looks


# What the replays of a method show together.

Results = Mapping[StoppingReplay, Found]


def first_looks(looks: Sequence[Look]) -> dict[str, float]:
    """The place of the first look at which each of `DECISIONS` is made; infinite if at none."""
    return {
        name: next((float(place) for place, look in enumerate(looks) if made(look)), np.inf)
        for name, made in DECISIONS.items()
    }


@dataclass(frozen=True, eq=False)
class _DecisionFigures:
    """One decision in the replays of one method, (replays,): judgments until then, infinite where it is
    never made, as shares of the pool, of the deep pool, and for each topic; the share that the qrels name,
    of the replays in which it is made; and the statements of that moment, with the untrue ones."""

    shares: FloatArray
    deep: FloatArray
    each: FloatArray
    named: FloatArray
    stated: int | None
    wrong: int | None

    @classmethod
    def of(cls, decision: str, replays: Sequence[Found]) -> _DecisionFigures:
        looks = [[Look(**look) for look in replay["looks"]] for replay in replays]
        places = [first_looks(one)[decision] for one in looks]
        made = [one[int(at)] if np.isfinite(at) else None for one, at in zip(looks, places, strict=True)]
        judged = np.array([np.inf if look is None else look.judged for look in made])
        reached = [look for look in made if look is not None]

        def share_of(name: str) -> FloatArray:
            return np.asarray(judged / np.array([replay[name] for replay in replays]))

        return cls(
            share_of("pool"),
            share_of("deep"),
            share_of("topics"),
            np.array([look.named / look.judged for look in reached]),
            *_statements(decision, looks, reached),
        )


def _statements(
    decision: str, looks: Sequence[Sequence[Look]], made: Sequence[Look]
) -> tuple[int | None, int | None]:
    """Numbers of stated and of untrue decisions: pairs separated at the time of the decision, or the first
    run that is named best."""
    if decision in PAIRS:
        return sum(look.separated for look in made), sum(look.wrong for look in made)
    if decision != BEST:
        return None, None
    firsts = [
        next((look for look in one if look.best_is_named or look.other_is_named), None) for one in looks
    ]
    named = [look for look in firsts if look is not None]
    return len(named), sum(look.other_is_named for look in named)


def _quartile(values: FloatArray, share: float) -> float | str:
    """A value of one of the replays: the higher where it lies between two."""
    value = float(np.quantile(values, share, method="higher"))
    return value if np.isfinite(value) else NEVER


def _trials(_: KnownCollection, settings: StudySettings) -> list[StoppingReplay]:
    seeds = range(settings.seed, settings.seed + settings.trials)
    return [StoppingReplay(method, seed) for method in settings.methods or METHODS for seed in seeds]


def _by_method(known: KnownCollection, settings: StudySettings, results: Results) -> dict[str, list[Found]]:
    by_method: dict[str, list[Found]] = {}
    for trial in _trials(known, settings):
        by_method.setdefault(trial.method, []).append(results[trial])
    return by_method


def _rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    by_method = _by_method(known, settings, results)
    rows = [
        _row(decision, method, _DecisionFigures.of(decision, replays))
        for decision in DECISIONS
        for method, replays in by_method.items()
    ]
    return [*rows, _pool_row(next(iter(by_method.values())))]


def _row(decision: str, method: str, decided: _DecisionFigures) -> Row:
    each = _quartile(decided.each, 0.5)
    row: Row = {
        "decided": decision,
        "method": method,
        "replays": int(np.isfinite(decided.shares).sum()),
        "25%": _quartile(decided.shares, 0.25),
        "median": _quartile(decided.shares, 0.5),
        "75%": _quartile(decided.shares, 0.75),
        f"depth {DEEP}": _quartile(decided.deep, 0.5),
        "each topic": each if isinstance(each, str) else round(each),
    }
    if len(decided.named):
        row["in qrels"] = float(np.median(decided.named))
    if decided.stated is not None and decided.wrong is not None:
        row |= {"stated": decided.stated, "wrong": decided.wrong}
    return row


def _pool_row(replays: Sequence[Found]) -> Row:
    """Medians of the pools."""

    def median(one: str, other: str) -> float:
        return float(np.median([replay[one] / replay[other] for replay in replays]))

    return {
        "decided": "everything",
        "method": "whole pool",
        "replays": len(replays),
        "median": 1.0,
        f"depth {DEEP}": median("pool", "deep"),
        "each topic": round(median("pool", "topics")),
        "in qrels": median("named", "pool"),
    }


def _points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    """The share of the replays of each method in which a decision is made by each share of the pool."""
    points: list[Point] = []
    for decision in DECISIONS:
        for method, replays in _by_method(known, settings, results).items():
            shares = _DecisionFigures.of(decision, replays).shares
            for share in (0.0, *SHARES):
                # A number of judgments is a whole one.
                by_then = shares <= share + 0.5 / min(replay["pool"] for replay in replays)
                points.append(
                    {"panel": decision, "method": method, "share": share, "decided": float(by_then.mean())}
                )
    return points


STOPPING_STUDIES = {
    "early-stopping": PaperStudy(
        _trials, run_replay, _rows, _points, uses=("trials", "seed", "methods"), fewest_topics=1
    ),
}
