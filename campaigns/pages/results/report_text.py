"""The report of a campaign in words: the overview's verdict and numbers, how sure they are, and for whom."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core import decimals
from campaigns.core.phrases import group_digits
from campaigns.figures.report_sheet import ReportNumber
from campaigns.measurement.measured_standings import MeasuredStandings
from campaigns.overview.parts import Overview
from campaigns.pages.sentences.forecasts import (
    effort_figure,
    effort_interval,
    next_pair_note,
    sample_sentence,
)
from campaigns.pages.sentences.judgments import progress_label
from campaigns.pages.sentences.measures import (
    kind_label,
    lacks_sentence,
    like_these_figure,
    like_these_note,
    measured_sentence,
    no_pairs_sentence,
    separated_note,
    these_topics,
    unmeasured_sentence,
)
from campaigns.pages.sentences.message import joined, message
from campaigns.pages.sentences.verdict import (
    leader_figure,
    leader_label,
    leader_note,
    pairs_figure,
    verdict_sentence,
)
from campaigns.predictions.prediction import HELD, HELD_WORST
from campaigns.templatetags.counts import count_text


def report_verdict(read: Overview) -> SafeString:
    """State the verdict of the overview, over the topics of its scope and over all."""
    if read.measured is not None:
        return measured_sentence(read.measured, read.campaign)
    assumed = read.campaign.unjudged_not_relevant
    parts = [verdict_sentence(read.every.verdict, assumed)]
    if read.scope == "judged" and read.standings.judged:
        judged = ngettext(
            "On the %(judged)s judged topic:", "On the %(judged)s judged topics:", read.counts.judged
        )
        over_all = message(_("Over all %(all)s:"), all=group_digits(read.counts.all))
        own = verdict_sentence(read.standings.verdict, assumed)
        parts = [message(judged, judged=group_digits(read.counts.judged)), own, over_all, *parts]
    if read.standings.verdict.kind != "certain":
        parts.append(sample_sentence(read.standings.prediction))
    return joined(*parts)


def report_numbers(read: Overview) -> list[ReportNumber]:
    """The large numbers of the overview."""
    own = _by_rbp(read) if read.measured is None else _by_measure(read, read.measured)
    return [*own, _progress(read)]


def _by_rbp(read: Overview) -> Iterator[ReportNumber]:
    shown, pairs = read.standings, read.standings.pairs
    yield ReportNumber(leader_label(shown.verdict), leader_figure(shown), leader_note(shown))
    counts = {"certain": shown.certain, "likely": shown.likely, "open": shown.open}
    split = message(_("%(certain)s certain · %(likely)s at ≥ 95%% · %(open)s open"), **counts)
    yield ReportNumber(_pairs_label(len(read.matrix)), pairs_figure(shown), split if pairs else "")
    advice = read.advice
    notes: list[str] = [next_pair_note(shown, read.every, advice)]
    forecast = advice.next_pair if advice else None
    if advice and advice.one_best:
        until = joined(_("until a run has P(best) ≥ 95%%:") % {}, effort_figure(advice.one_best))
        interval = effort_interval(advice.one_best)
        notes.append(format_html("{} ({})", until, interval) if interval else until)
    if advice and (forecast or advice.one_best):
        if advice.forecast_as_of is not None and advice.forecast_as_of != shown.as_of:
            notes.append(message(_("as of log entry %(number)s"), number=group_digits(advice.forecast_as_of)))
        notes.append(_("over all topics") if read.scope == "judged" else "")
    label = _("To separate the next pair")
    unit = format_html(" <small>{}</small>", _("judgments")) if forecast else SafeString()
    value = joined(effort_figure(forecast), unit, between="")
    yield ReportNumber(label, value, joined(*notes, between=SafeString("<br>")))


def _by_measure(read: Overview, measured: MeasuredStandings) -> Iterator[ReportNumber]:
    row, topics = measured.verdict.row, these_topics(measured.topics)
    highest = _("Highest %(measure)s") % {"measure": measured.name}
    if row is not None:
        score, note = decimals.score(row.score), f"{kind_label(measured.shown_kind)}, {topics}"
    else:
        score, note = "–", unmeasured_sentence(measured.reason, measured.name)
    yield ReportNumber(highest, message("%(score)s", score=score), joined(note))
    pairs = read.measured_pairs
    if pairs:
        among = _("of %(goal)s") % {"goal": len(pairs)}
        figure = format_html("{} <small>{}</small>", read.separated, among)
        split = joined(separated_note(pairs), topics, between=", ")
    else:
        figure, split = message("–"), no_pairs_sentence(measured, read.campaign)
    yield ReportNumber(_pairs_label(len(read.triangle)), figure, split)
    label = _("Runs that the first one beats on topics like these")
    yield ReportNumber(label, like_these_figure(measured), joined(like_these_note(measured)))


def _pairs_label(runs: int) -> str:
    return _("Pairs of the top %(k)s separated") % {"k": runs} if runs else _("Pairs separated")


def _progress(read: Overview) -> ReportNumber:
    done, counts = read.done, read.counts
    figure = message("%(done)s", done=group_digits(done.done if done.goal else done.judged))
    if done.goal:
        among = _("of %(goal)s") % {"goal": group_digits(done.goal)}
        figure = format_html("{} <small>{}</small>", figure, among)
    begun = ngettext("%(judged)s of %(all)s topic begun", "%(judged)s of %(all)s topics begun", counts.all)
    copied = ngettext("%(shown)s of them copied", "%(shown)s of them copied", read.copies)
    minimum = message(_("%(minimum)s with the minimum"), minimum=group_digits(counts.minimum))
    notes = [
        count_text("judged-documents", done.judged) if done.goal else "",
        message(copied, shown=group_digits(read.copies)) if read.copies else "",
        message(begun, judged=group_digits(counts.judged), all=group_digits(counts.all)),
        minimum if read.campaign.min_judgments else "",
        message(_("%(closed)s closed"), closed=group_digits(counts.closed)),
    ]
    return ReportNumber(progress_label(done), figure, joined(*notes, between=" · "))


def certainty_text(read: Overview) -> str:
    """Name the kind of each statement: what is certain, what a model expects, what a sample guarantees."""
    if read.measured is not None:
        kind = kind_label(read.measured.shown_kind)
        scores = _("Scores by %(measure)s: %(kind)s.") % {"measure": read.measured.name, "kind": kind}
        return joined(scores, lacks_sentence(read.measured, read.campaign))
    ranges = _("Score ranges are certain: no unjudged document can move a score out of its range.")
    if read.campaign.unjudged_not_relevant:
        ranges = _("Score ranges assume that unjudged documents of judged topics are not relevant.")
    if read.standings.prediction is None:
        return joined(ranges, _("Nothing else is predicted."))
    if read.standings.early:
        return joined(ranges, _("It is too early for probabilities."))
    model = _(
        "Expected scores, intervals and P(best) come from a model of ten collections. In tests on collections"
        " left out, 95%% intervals held for %(held)s in 100 runs, in the worst for %(worst)s."
    )
    return joined(ranges, model % {"held": HELD, "worst": HELD_WORST})


def validity_text(read: Overview) -> str:
    """Name the topics that the statements are about."""
    if read.measured is not None:
        about = ngettext(
            "Statements are about the %(shown)s topic scored.",
            "Statements are about the %(shown)s topics scored.",
            read.measured.topics,
        )
        like_these = like_these_figure(read.measured)
        if read.measured.verdict.better_like_these is not None:
            more = message(_("On topics like these, the first run is better than %(n)s runs."), n=like_these)
        else:
            more = message(_("They state nothing about topics like these."))
        return joined(message(about, shown=group_digits(read.measured.topics)), more)
    counts = {"all": group_digits(read.counts.all), "judged": group_digits(read.counts.judged)}
    if read.scope == "judged":
        about = ngettext(
            "Figures are means over the %(judged)s judged topic of %(all)s.",
            "Figures are means over the %(judged)s judged topics of %(all)s.",
            read.counts.judged,
        )
    else:
        about = ngettext(
            "Figures are means over the campaign’s only topic.",
            "Figures are means over these %(all)s topics, %(judged)s of them judged.",
            read.counts.all,
        )
    return joined(message(about, **counts), _("They state nothing about other topics."))
