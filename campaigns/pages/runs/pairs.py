"""The comparison of a pair of runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns.core.database import consistent_reads
from campaigns.measurement.measured_scores import measured_of
from campaigns.measurement.measured_standings import has_own_standings
from campaigns.models import Campaign
from campaigns.pages.access import scoped_page
from campaigns.pages.runs.pair_outlook import (
    MeanDifference,
    PredictedOrder,
    UntilSeparated,
    mean_difference,
    predicted_order,
    until_separated,
)
from campaigns.pages.runs.run_statements import PairStatements, pair_statements
from campaigns.pages.tables import TablePage, table_page
from campaigns.predictions.differences import Difference, PairDifferences, differences_of
from campaigns.predictions.prediction import MissingPrediction, prediction_of, unpredicted_of
from campaigns.predictions.standings import standings_of
from campaigns.results.pairs import PairDetails, TestRow, TopicPair, order_by_base, pair_of, runs_by_base
from campaigns.results.score_ranges import RunScoreRange, score_ranges_of
from campaigns.results.topic_scope import SCOPES, ScopeCounts, TopicScope, scope_counts
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page

TELLING_TOPICS = 5


class DifferenceAxis(PageContext):
    """From -`reach` to `reach`; `cut`: some ranges reach beyond."""

    reach: float
    ticks: list[float]
    cut: bool


class PairPage(CampaignContext, template="campaigns/runs/pair.html"):
    """`tally`: of topics by what they decide, "open" among it; `shown`, `predicted`, `until` and `why` are of
    the scope, `over_all` of all topics where that is another one. `stated`: by the chosen measure; None in a
    campaign of score ranges alone. All else is by their RBP."""

    scope: TopicScope
    counts: ScopeCounts
    rows: list[RunScoreRange]
    better: RunScoreRange
    worse: RunScoreRange
    pair: PairDetails
    left_out: TestRow | None
    tally: Counter[str]
    untouched: int
    telling_topics: list[tuple[TopicPair, float]]
    table: TablePage[TopicLine]
    by_topic: bool
    coming: bool
    means: list[MeanDifference]
    axis: DifferenceAxis
    shown: MeanDifference
    predicted: PredictedOrder | None
    over_all: PredictedOrder | None
    until: UntilSeparated
    why: MissingPrediction | None
    stated: PairStatements | None


class NoPairPage(CampaignContext, template="campaigns/runs/no_pair.html"):
    pass


@require_safe
@scoped_page
def pair(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    """?one= and ?other= by run id, or twice ?run= by tag; if none is named, the likeliest best run and its
    closest rival."""
    with consistent_reads():
        rows = runs_by_base(score_ranges_of(campaign=campaign, withdrawn=True, topics=scope))
        chosen = _chosen(request, rows, _contest(campaign, rows, scope))
        if chosen is None:
            return render_page(request, NoPairPage(campaign))
        return render_page(request, _page(request, campaign, scope, rows, order_by_base(*chosen)))


def _page(
    request: HttpRequest,
    campaign: Campaign,
    scope: TopicScope,
    rows: list[RunScoreRange],
    chosen: tuple[RunScoreRange, RunScoreRange],
) -> PairPage:
    """Topics stand from those in which the better run is furthest ahead."""
    better, worse = chosen
    found = pair_of(campaign=campaign, better=better, worse=worse, scope=scope)
    topics = found.topics
    predicted = differences_of(campaign=campaign, run=better.id, other=worse.id)
    lines = [_line(topic, predicted) for topic in topics if topic.most - topic.least < UNTOUCHED]
    begun = sorted(lines, key=lambda line: (-line.difference, -line.topic.least))
    predictions = {name: prediction_of(campaign=campaign, topics=name) for name in SCOPES}
    orders = {name: predicted_order(campaign, one, better, worse) for name, one in predictions.items()}
    means = [mean_difference(campaign, name, predictions[name], predicted, better, worse) for name in SCOPES]
    shown = next(mean for mean in means if mean.scope == scope)
    return PairPage(
        campaign=campaign,
        scope=scope,
        counts=scope_counts(campaign=campaign),
        rows=rows,
        better=better,
        worse=worse,
        pair=found,
        left_out=next((row for row in found.tests if row.topics < len(topics)), None),
        tally=Counter(topic.decided or "open" for topic in topics),
        untouched=len(topics) - len(begun),
        telling_topics=_telling_topics(topics),
        table=table_page(request, begun, ()),
        by_topic=bool(predicted.topics),
        coming=predicted.coming,
        means=means,
        axis=_axis(begun, means),
        shown=shown,
        predicted=None if found.decided else orders[scope],
        over_all=None if scope == "all" else orders["all"],
        until=until_separated(campaign, scope, found, predictions[scope], better, worse),
        why=None if predictions[scope] else unpredicted_of(campaign=campaign),
        stated=_stated(request, campaign, chosen, shown),
    )


def _stated(
    request: HttpRequest,
    campaign: Campaign,
    runs: tuple[RunScoreRange, RunScoreRange],
    predicted: MeanDifference,
) -> PairStatements | None:
    """?measure= by a name of the campaign's measures; the primary one by default."""
    measure = request.GET.get("measure") or campaign.measure
    if measure not in campaign.measure_names:
        raise Http404
    measured = measured_of(campaign=campaign)
    if len(campaign.measure_names) == 1 and not has_own_standings(campaign, measured):
        return None
    return pair_statements(campaign, measured, measure, runs, predicted)


def _contest(
    campaign: Campaign, rows: list[RunScoreRange], scope: TopicScope
) -> tuple[RunScoreRange, RunScoreRange] | None:
    """The runs that matter on the overview; None if fewer than two take part."""
    by_id = {row.id: row for row in rows}
    found = standings_of(campaign=campaign, topics=scope).contest
    return None if found is None else (by_id[found[0].id], by_id[found[1].id])


def _chosen(
    request: HttpRequest, rows: list[RunScoreRange], usual: tuple[RunScoreRange, RunScoreRange] | None
) -> tuple[RunScoreRange, RunScoreRange] | None:
    if usual is None:
        return None
    by_id = {str(row.id): row for row in rows}
    if tags := request.GET.getlist("run"):
        named = [row for tag in tags for row in rows if row.run == tag]
        if len(named) != 2 or len(tags) != 2:
            raise Http404
        return named[0], named[1]
    one = by_id.get(request.GET.get("one", str(usual[0].id)))
    if one is None:
        raise Http404
    other = by_id.get(request.GET.get("other", str(next(row.id for row in usual if row is not one))))
    if other is None:
        raise Http404
    # A run and itself: whom it is set against by default.
    return (one, other) if one is not other else (one, next(row for row in usual if row is not one))


@dataclass(frozen=True)
class TopicLine:
    """`predicted`: None where it is not known."""

    topic: TopicPair
    predicted: Difference | None

    @property
    def difference(self) -> float:
        """Expected; without a prediction, of the bases."""
        known = None if self.predicted is None else self.predicted.expected
        return self.topic.difference if known is None else known


def _line(topic: TopicPair, predicted: PairDifferences) -> TopicLine:
    found = predicted.topics.get(topic.id)
    return TopicLine(topic, None if found is None else found.within(topic.least, topic.most))


# Of a topic in which neither run has a judged document, the difference may be anything from -1 to 1.
UNTOUCHED = 2 - 1e-9


def _telling_topics(topics: list[TopicPair]) -> list[tuple[TopicPair, float]]:
    """With how far each can move the mean difference, up or down."""
    by_reach = sorted(topics, key=lambda topic: topic.least - topic.most)
    return [(topic, (topic.most - topic.least) / 2 / len(topics)) for topic in by_reach[:TELLING_TOPICS]]


def _axis(lines: list[TopicLine], means: list[MeanDifference]) -> DifferenceAxis:
    """To a fifth, as far on either side of 0 as means and what is predicted of topics reach; without a
    prediction, as far as all that is possible."""
    ranges = [(line.topic.least, line.topic.most) for line in lines]
    bands = [(line.predicted.low, line.predicted.high) for line in lines if line.predicted is not None]
    ends = [
        abs(end) for of in (*(bands or ranges), *((mean.least, mean.most) for mean in means)) for end in of
    ]
    reach = min(max(ceil(max(ends) * 5 - 1e-9), 1) / 5, 1.0)
    cut = any(max(map(abs, of)) > reach + 1e-9 for of in ranges)
    return DifferenceAxis(reach, [-reach, -reach / 2, 0.0, reach / 2, reach], cut)
