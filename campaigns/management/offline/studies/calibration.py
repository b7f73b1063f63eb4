"""One table of every statement of uncertainty that the product makes: what it promises, and how often it came
true on data that it was not tuned on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from campaigns.formats.compressed_files import find_files
from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.management.offline.files import OfflineCampaign, read_files
from campaigns.management.offline.studies.trials import HELD_OUT, known_topics
from evaluation.arrays import IntArray
from evaluation.measures.ordering import ScorePrecision
from selection.simulation.relevance_model import NO_EXPERIENCE, Experience
from selection.studies.coverage import Coverage, Verdict
from selection.studies.fitted_prior import fitted_experience, taught_experience
from selection.studies.pair_trials import pair_coverage
from selection.studies.past_campaigns import PastTopic
from selection.studies.prediction_trials import ANY_REGIME, predicted_campaigns, prediction_coverage
from selection.studies.sample_intervals import sample_interval_coverage, sampled_campaigns
from selection.studies.separation_trials import separation_cases, separation_coverage
from selection.studies.trials import (
    drawn_cases,
    drawn_plans,
    forecast_coverage,
    plan_coverage,
)

# Forecasts of the stop advice, and campaigns that are predicted, planned for, sampled and
# compared by average score_precision, for each collection; and campaigns whose next decision is forecast.
FORECASTS, PREDICTED, PLANNED, SAMPLED, COMPARED = 200, 400, 100, 200, 200
SEPARATED = 100
FORECAST_DRAWS = 20
Progress = Callable[[], object]


RunsAndTopics = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class Collection:
    """A collection whose relevance is known, and its halves of runs and topics. `graded`: the topics with a
    gain for each grade, None where there are two grades only; `relevant` (topics,): how many relevant
    documents the qrels know."""

    name: str
    topics: list[PastTopic]
    graded: list[PastTopic] | None
    relevant: IntArray
    chosen: RunsAndTopics
    other: RunsAndTopics
    everything: RunsAndTopics

    @classmethod
    def read(
        cls, folder: Path, grading: Grading, *, score_precision: ScorePrecision = 64, cached: bool = False
    ) -> Collection:
        """From a folder that holds `runs/` and `qrels.txt`; FormatError if it does not. `score_precision` and
        `cached`: see `read_files`."""
        for part in ("runs", "qrels.txt"):
            if not (folder / part).exists():
                raise FormatError(str(folder), [LineError(None, f"holds no {part}")])
        runs = find_files([folder / "runs"])
        qrels = folder / "qrels.txt"
        campaign = read_files(
            runs, qrels, grading, score_precision=score_precision, cached=cached
        ).only_judged()
        if len(campaign.runs) < 2 or len(campaign.topics) < 2:
            raise FormatError(str(folder), [LineError(None, "holds fewer than two runs or judged topics")])
        highest = int(max(grade for topic in campaign.topics for grade in topic.grades.values()))
        grades = Grading({grade: grade / highest for grade in range(highest + 1)}) if highest > 1 else None
        return cls(
            folder.resolve().name,
            known_topics(campaign, grading, "all")[0],
            known_topics(campaign, grades, "all")[0] if grades else None,
            _relevant(campaign, grading),
            *(known_topics(campaign, grading, part)[1] for part in ("chosen", "other", "all")),
        )


def _relevant(campaign: OfflineCampaign, grading: Grading) -> IntArray:
    counts = [sum(grading.gain(grade) > 0 for grade in topic.grades.values()) for topic in campaign.topics]
    return np.array(counts, dtype=np.int64)


@dataclass(frozen=True)
class Trials:
    """How many cases of each kind: a share of the usual numbers; and the seed."""

    share: float = 1.0
    seed: int = 1

    def count(self, usual: int) -> int:
        return max(round(usual * self.share), 1)


def every_coverage(
    collections: Sequence[Collection], trials: Trials, progress: Progress = lambda: None
) -> Iterator[Coverage]:
    """Every statement on each collection's other half; predictions of each also with the prior of the others
    alone."""
    for collection in collections:
        for kind in KINDS.values():
            yield from kind(collection, trials)
            progress()
        for other in collections:
            if other is not collection:
                yield from _predictions_by(collection, other, trials)
                progress()


def steps(collections: Sequence[Collection]) -> int:
    """How often `every_coverage` calls progress."""
    return len(collections) * (len(KINDS) + len(collections) - 1)


def _predictions(collection: Collection, trials: Trials) -> list[Coverage]:
    rows = _predicted(collection, collection.topics, collection.other, trials, HELD_OUT["other"])
    if collection.graded is not None:
        graded = _predicted(collection, collection.graded, collection.other, trials, HELD_OUT["other"])
        rows += [replace(row, regime="graded gains") for row in graded if row.regime == ANY_REGIME]
    return rows


def _predictions_by(collection: Collection, teacher: Collection, trials: Trials) -> list[Coverage]:
    """Of all runs and topics, with expectations that were fitted to another collection alone; and of the
    other half, with the corrections that finished campaigns of another collection teach."""
    tried = (
        (f"prior of {teacher.name}", fitted_experience, collection.everything),
        (f"other half, learned from {teacher.name}", taught_experience, collection.other),
    )
    rows = []
    for held_out, learn, among in tried:
        experience = learn(teacher.topics, teacher.chosen)
        rows += _predicted(collection, collection.topics, among, trials, held_out, experience=experience)
    return [row for row in rows if row.regime == ANY_REGIME]


def _predicted(
    collection: Collection,
    topics: list[PastTopic],
    among: RunsAndTopics,
    trials: Trials,
    held_out: str,
    experience: Experience = NO_EXPERIENCE,
) -> list[Coverage]:
    count = trials.count(PREDICTED)
    made = predicted_campaigns(topics, among, campaigns=count, seed=trials.seed, experience=experience)
    return prediction_coverage(list(made), collection=collection.name, held_out=held_out)


def _forecasts(collection: Collection, trials: Trials) -> list[Coverage]:
    cases = drawn_cases(
        collection.topics,
        collection.other,
        cases=trials.count(FORECASTS),
        draws=FORECAST_DRAWS,
        seed=trials.seed,
    )
    return forecast_coverage(list(cases), collection=collection.name, held_out=HELD_OUT["other"])


def _separations(collection: Collection, trials: Trials) -> list[Coverage]:
    cases = separation_cases(
        collection.topics, collection.other, campaigns=trials.count(SEPARATED), seed=trials.seed
    )
    return separation_coverage(list(cases), collection=collection.name, held_out=HELD_OUT["other"])


def _plans(collection: Collection, trials: Trials) -> list[Coverage]:
    cases = drawn_plans(
        collection.topics, collection.other, campaigns=trials.count(PLANNED), seed=trials.seed
    )
    return plan_coverage(list(cases), collection=collection.name, held_out=HELD_OUT["other"])


def _samples(collection: Collection, trials: Trials) -> list[Coverage]:
    drawn = sampled_campaigns(
        collection.topics,
        collection.other,
        campaigns=trials.count(SAMPLED),
        seed=trials.seed,
        relevant=collection.relevant,
    )
    return sample_interval_coverage(list(drawn), collection=collection.name, held_out=HELD_OUT["other"])


def _pairs(collection: Collection, trials: Trials) -> list[Coverage]:
    return pair_coverage(
        collection.topics,
        collection.other,
        collection=collection.name,
        held_out=HELD_OUT["other"],
        campaigns=trials.count(COMPARED),
        seed=trials.seed,
    )


KINDS: dict[str, Callable[[Collection, Trials], list[Coverage]]] = {
    "predictions": _predictions,
    "advisor": _forecasts,
    "separation": _separations,
    "planner": _plans,
    "samples": _samples,
    "pairs": _pairs,
}


def coverage_line(row: Coverage) -> dict[str, Any]:
    return {
        "statement": row.statement,
        "regime": row.regime,
        "collection": row.collection,
        "held out": row.held_out,
        "nominal": row.nominal,
        "covered": row.covered,
        "error": None if row.error != row.error else row.error,
        "cases": row.cases,
        "campaigns": row.campaigns,
        "stated": row.stated,
        "ratio": row.ratio,
        "holds": row.verdict,
    }


PAGE = """# Calibration

Use this page to see how far to trust a probability or interval that the product shows. It gives the share of
cases in which each statement came true, in replayed campaigns with known outcomes.

This table counts the rows of each statement by whether the statement holds.

{summary}

`manage.py calibrate --all` makes this page. Run it on your own collections:

```sh
python manage.py calibrate --all --collection trec-covid-r1 --collection cranfield --page docs/calibration.md
```

| column | means |
|---|---|
| held out | how the cases were kept apart from the data used for tuning; see the next table |
| campaigns of | the kind of campaign; *any* is all kinds together |
| promised | the share of cases in which the statement should be true |
| came true | the share of cases in which it was true |
| ± | the standard error of *came true*, by campaign, because the cases of one campaign are similar |
| stated | the share of cases in which a forecast gives a number; the planner can show “not yet known” |
| ratio | the median of forecast / outcome |
| holds | *yes*: within the tolerance; *open*: a miss within two standard errors; *no*: any other miss |

| held out | means |
|---|---|
| other half | topics on which nothing was tuned; also runs, if there are more than 40 |
| prior of X | the model’s priors were fitted to collection X alone |
| other half, learned from X | ten finished campaigns of X corrected the model, as those of a site do |

| statement | tolerance in points | a higher share than promised |
|---|---|---|
| 95% prediction intervals: *any*, *graded gains* | 3 | counts as a miss |
| 95% prediction intervals: other kinds of campaign | 7 | holds |
| P(A > B), P(best) from 0.5 on, confidence by AP | 3 | holds |
| P(best) below 0.5 | 3 | counts as a miss |
| 80% intervals: *within the horizon*, *decided within the horizon*, τ | 7 | counts as a miss |
| 80% intervals: *any*, residual | 7 | holds |
| 95% interval of statMAP, with either MAP: *any*, by judgments a topic | 2 | counts as a miss |
| 95% interval of statAP: *any*, by judgments a topic | 5 | holds |
| 95% intervals of statMAP and statAP: by number of runs, by length of lists | 7 | holds |

Documents without a judgment in the qrels count as not relevant. [The relevance
model](relevance-model.md) explains how the statements are computed.

![How often the likelier of two runs was better, by the stated probability]({picture})
"""


def calibration_page(rows: Sequence[Coverage], picture: str) -> str:
    """Markdown: a summary, the picture's place, and a table for each statement."""
    parts = [PAGE.replace("{picture}", picture).replace("{summary}", _summary(rows))]
    for statement in dict.fromkeys(row.statement for row in rows):
        about = [row for row in rows if row.statement == statement]
        forecasts = any(row.ratio is not None for row in about)
        heads = [*PAGE_HEADS, *(["stated", "ratio"] if forecasts else []), "holds"]
        parts.append(f"## {statement}\n")
        parts.append(f"| {' | '.join(heads)} |")
        parts.append("|---" * len(heads) + "|")
        parts += [_page_row(row, forecasts) for row in about]
        parts.append("")
    return "\n".join(parts)


VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def _summary(rows: Sequence[Coverage]) -> str:
    """A Markdown table of how many rows of each statement hold."""
    lines = [f"| statement | {' | '.join(VERDICTS)} |", "|---" * (len(VERDICTS) + 1) + "|"]
    for statement in dict.fromkeys(row.statement for row in rows):
        found = [row.verdict for row in rows if row.statement == statement]
        lines.append(f"| {statement} | {' | '.join(str(found.count(one)) for one in VERDICTS)} |")
    return "\n".join(lines)


PAGE_HEADS = ("collection", "held out", "campaigns of", "promised", "came true", "±", "cases", "campaigns")


def _page_row(row: Coverage, forecasts: bool) -> str:
    error = "–" if row.error != row.error else f"{100 * row.error:.1f}"
    cells = (
        row.collection,
        row.held_out,
        row.regime,
        f"{100 * row.nominal:.1f}%",
        f"{100 * row.covered:.1f}%",
        error,
        f"{row.cases:,}",
        str(row.campaigns),
        *(
            (f"{100 * row.stated:.0f}%", "–" if row.ratio is None else f"{row.ratio:.2f}")
            if forecasts
            else ()
        ),
        row.verdict,
    )
    return f"| {' | '.join(cells)} |"
