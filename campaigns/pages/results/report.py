"""The report of a campaign: one printed page, in HTML and PDF, with the words and figures of the overview."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.http import require_safe

from campaigns.core.database import consistent_reads
from campaigns.core.phrases import group_digits
from campaigns.figures.intervals import intervals_figure_of
from campaigns.figures.measured_marks import MarkNames, draw_measured
from campaigns.figures.provenance import Provenance, provenance_of
from campaigns.figures.report_sheet import Report, report_pdf
from campaigns.figures.sheet import WIDTHS, Sheet
from campaigns.log.audit import note
from campaigns.log.tallies import judged_by_each
from campaigns.measurement.measured_standings import MeasuredStandings
from campaigns.models import Campaign
from campaigns.overview.parts import BEST_ROWS, Overview, overview_of
from campaigns.pages.access import scoped_page
from campaigns.pages.results.report_text import certainty_text, report_numbers, report_verdict, validity_text
from campaigns.pages.sentences.measures import kind_label, score_heading, score_label
from campaigns.results.topic_scope import TopicScope
from campaigns.setup.settings import POLICIES
from campaigns.templatetags.contexts import CampaignContext, render_page
from campaigns.templatetags.counts import count_text


class ReportPage(CampaignContext, template="campaigns/exports/report.html"):
    scope: TopicScope
    report: Report
    figure: SafeString


@require_safe
@scoped_page
def report(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    made = report_of(campaign, scope)
    figure = SafeString()
    if made.figure is not None:
        figure = mark_safe(made.figure.svg(title=made.figure_title, caption=made.caption))  # noqa: S308
    return render_page(request, ReportPage(campaign, scope, made, figure))


@require_safe
@scoped_page
def report_file(request: HttpRequest, campaign: Campaign, scope: TopicScope) -> HttpResponse:
    content = report_pdf(report_of(campaign, scope))
    name = f"{campaign.slug}.report{'-judged-topics' if scope == 'judged' else ''}.pdf"
    note(campaign=campaign, kind="exported", file=name)
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="application/pdf", headers=disposition)


def report_of(campaign: Campaign, scope: TopicScope) -> Report:
    with consistent_reads():
        read = overview_of(campaign, scope)
        provenance = provenance_of(campaign=campaign, scope=scope, counts=read.counts)
        judges = {key[1] for key, counts in judged_by_each(campaign=campaign).items() if counts[0]}
        if read.measured is None:
            title, figure, caption = _by_rbp(read, provenance)
        else:
            title, figure, caption = _by_measure(read, read.measured)
    as_of = read.measured.as_of if read.measured else read.standings.as_of
    dated = _("Report of %(date)s · log entry %(number)s") % {
        "date": date_format(timezone.localtime(), pgettext("date", "j F Y")),
        "number": group_digits(as_of),
    }
    return Report(
        title=campaign.name,
        dated=dated,
        verdict=report_verdict(read),
        numbers=report_numbers(read),
        statements=[
            (_("Certainty"), certainty_text(read)),
            (_("Validity"), validity_text(read)),
        ],
        facts=_facts(read, provenance, len(judges)),
        figure_title=title,
        figure=figure,
        caption=caption,
    )


def _by_rbp(read: Overview, provenance: Provenance) -> tuple[str, Sheet | None, str]:
    figure = intervals_figure_of(
        campaign=read.campaign, provenance=provenance, standings=read.standings, top=BEST_ROWS
    )
    title = _("Where each run’s score lies")
    if not figure.rows:
        return title, None, ""
    return title, figure.draw(WIDTHS[1]), figure.caption_at(WIDTHS[1])


def _by_measure(read: Overview, measured: MeasuredStandings) -> tuple[str, Sheet | None, str]:
    title = _("Scores by %(measure)s") % {"measure": measured.name}
    rows = measured.rows[:BEST_ROWS]
    if not rows:
        return title, None, ""
    bounds = _("bounds, certain")
    interval = _("95%% interval on these topics, guaranteed by sampling") % {}
    score = score_label(measured.kind)
    names = MarkNames(_("Run"), score_heading(measured.kind), bounds, interval, score)
    over = ngettext(
        "%(rows)s of %(runs)s runs: %(measure)s, %(kind)s, mean over %(topics)s topic.",
        "%(rows)s of %(runs)s runs: %(measure)s, %(kind)s, mean over %(topics)s topics.",
        measured.topics,
    )
    caption = over % {
        "rows": group_digits(len(rows)),
        "runs": group_digits(len(measured.rows)),
        "measure": measured.name,
        "kind": kind_label(measured.shown_kind),
        "topics": group_digits(measured.topics),
    }
    return title, draw_measured(measured, rows, names), caption


def _facts(read: Overview, provenance: Provenance, judges: int) -> list[tuple[str, str]]:
    campaign = read.campaign
    runs = count_text("runs", read.standings.runs)
    if read.standings.distinct != read.standings.runs:
        runs = f"{runs}, {count_text('distinct-runs', read.standings.distinct)}"
    relevant = _("%(count)s of them relevant") % {"count": group_digits(read.done.relevant)}
    judged = ngettext("%(count)s assessor judged", "%(count)s assessors judged", judges)
    policy = next(label for name, label, _about in POLICIES if name == campaign.policy)
    return [
        (_("Selection method"), campaign.get_method_display()),
        (_("Measure"), ", ".join(campaign.measure_names)),
        (_("Topics"), provenance.topics),
        (_("Runs"), runs),
        (_("Judgments"), f"{count_text('judged-documents', read.done.judged)}, {relevant}"),
        *([(_("People"), judged % {"count": group_digits(judges)})] if judges else []),
        (_("Aggregation policy"), str(policy)),
    ]
