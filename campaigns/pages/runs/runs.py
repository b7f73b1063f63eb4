"""A run's page, and the data of the curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from campaigns.collection import run_changes
from campaigns.core.database import consistent_reads
from campaigns.core.decimals import percentage, with_percent
from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal, unknown_act
from campaigns.log.tallies import judged_in
from campaigns.measurement.measured_scores import measured_of
from campaigns.measurement.measured_standings import has_own_standings
from campaigns.models import Campaign, Run
from campaigns.pages.access import organiser_page
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.runs.engines import PullRow, pull_of_run
from campaigns.pages.runs.run_statements import MeasureStatements, run_statements
from campaigns.pages.tables import TablePage, table_page
from campaigns.predictions.differences import Difference, topic_scores_of
from campaigns.predictions.standings import MatrixPair, RunStanding, Standings, standings_of
from campaigns.results.curves import curves_of
from campaigns.results.run_scores import (
    MANY_TOPICS,
    OpenDocument,
    TopicScoreRange,
    most_open_documents,
    topic_score_ranges,
)
from campaigns.results.score_ranges import RunScoreRange, score_ranges_of
from campaigns.templatetags.contexts import CampaignContext, render_page

MOST_OPEN_DOCUMENTS = 8
NEIGHBOURS = 3
MOST_CURVES = 12


class RunPage(CampaignContext, template="campaigns/runs/run.html"):
    """`own`, `standing`: of this run; `rivals`: with the best run and with those next to it; `widest`: the
    topic that leaves most of its score open; `statements`: by each of the campaign's measures;
    `other_measure`: the campaign's verdict is not by the RBP of score ranges."""

    run: Run
    own: RunScoreRange
    standing: RunStanding | None
    standings: Standings
    rivals: list[MatrixPair]
    widest: TopicScoreRange | None
    table: TablePage[TopicLine]
    coming: bool
    wanted: list[OpenDocument]
    statements: Sequence[MeasureStatements]
    other_measure: bool
    refused: Refusal | None
    pulled: PullRow | None
    many_topics: int = MANY_TOPICS

    @property
    def judged_share(self) -> str:
        return with_percent(percentage(1 - self.own.residual))

    @property
    def judged_weight(self) -> str:
        """Part of the run's weight that is judged, in hundredths."""
        return f"{100 * (1 - self.own.residual):.1f}"

    @property
    def widest_change(self) -> float:
        """Largest change of the mean that judging the widest topic can make."""
        return self.widest.residual / self.table.total if self.widest else 0.0


def _act(request: HttpRequest, campaign: Campaign, run: int) -> str:
    found = get_object_or_404(campaign.runs, id=run)
    match request.POST.get("act"):
        case "withdraw":
            run_changes.withdraw(run=found)
            said = _("%(run)s is withdrawn: it is in no queue and no picture. It can be brought back here.")
        case "bring_back":
            run_changes.reinstate(run=found)
            said = _("%(run)s takes part again. Queues are computed again.")
        case "propose":
            run_changes.set_contributes(run=found, contributes=True)
            said = _("%(run)s is now a contributing run. Queues are computed again.")
        case "only_score":
            run_changes.set_contributes(run=found, contributes=False)
            said = _("%(run)s is now a non-contributing run. Queues are computed again.")
        case "group":
            run_changes.set_group(run=found, group=request.POST.get("group", ""))
            said = _("%(run)s is of the group %(group)s.") if found.group else _("%(run)s is of no group.")
        case other:
            raise unknown_act(other)
    return said % {"run": found.tag, "group": found.group}


@page_with_acts(organiser_page, act=_act)
def run(request: HttpRequest, campaign: Campaign, answer: Answer, run: int) -> HttpResponse:
    found = get_object_or_404(campaign.runs.select_related("uploaded_by"), id=run)
    found.campaign = campaign
    with consistent_reads():
        return render_page(request, _page(request, campaign, found, answer))


def _page(request: HttpRequest, campaign: Campaign, run: Run, answer: Answer) -> RunPage:
    every = score_ranges_of(campaign=campaign, withdrawn=True)
    own = next(row for row in every if row.id == run.id)
    topics = topic_score_ranges(campaign=campaign, run=run, judged=judged_in(campaign=campaign))
    standings = standings_of(campaign=campaign)
    predicted = topic_scores_of(campaign=campaign, run=run.id)
    table = table_page(request, [_line(topic, predicted.topics.get(topic.topic)) for topic in topics], ())
    wanted = most_open_documents(campaign=campaign, run=run, ranges=topics, limit=MOST_OPEN_DOCUMENTS)
    standing, coming = standings.of_run(run.id), predicted.coming
    measured = measured_of(campaign=campaign, pairs=False)
    return RunPage(
        campaign,
        run,
        own,
        standing,
        standings,
        _rivals(standings, standing),
        topics[0] if topics and topics[0].residual else None,
        table,
        coming,
        wanted,
        run_statements(campaign, measured, run.id, standing),
        has_own_standings(campaign, measured),
        answer.refused,
        pull_of_run(run),
    )


@dataclass(frozen=True)
class TopicLine:
    """`predicted`: None where it is not known."""

    topic: TopicScoreRange
    predicted: Difference | None


def _line(topic: TopicScoreRange, predicted: Difference | None) -> TopicLine:
    return TopicLine(topic, None if predicted is None else predicted.within(topic.base, topic.top))


def _rivals(standings: Standings, own: RunStanding | None) -> list[MatrixPair]:
    """Pairs of the run with the best one, and with those next to it."""
    if own is None:
        return []
    place = next(at for at, row in enumerate(standings.rows) if row.id == own.id)
    near = range(max(place - NEIGHBOURS, 0), min(place + NEIGHBOURS + 1, len(standings.rows)))
    return [standings.pair(own, standings.rows[at]) for at in sorted({0, *near}) if at != place]


@require_safe
@organiser_page
def curves(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Data for the script of the curves: ?run= and ids, in the order wished."""
    ids = [id for typed in request.GET.getlist("run") if (id := read_digits(typed, 18)) is not None]
    runs = campaign.runs.in_bulk(ids[:MOST_CURVES])
    found = curves_of(campaign=campaign, runs=[runs[id] for id in dict.fromkeys(ids) if id in runs])
    return JsonResponse(asdict(found))
