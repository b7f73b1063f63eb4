"""Runs in words: their ranks, probabilities, and how they take part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core import decimals
from campaigns.core.phrases import group_digits
from campaigns.exchange.notice_words import translated_notice
from campaigns.models import Run
from campaigns.pages.sentences.forecasts import unpredicted_phrase
from campaigns.pages.sentences.message import joined, message
from campaigns.pages.sentences.verdict import verdict_sentence
from campaigns.participants.leaderboard import Leaderboard
from campaigns.predictions.prediction import NOISE, MissingPrediction
from campaigns.predictions.standings import MatrixPair, RunStanding, Standings, Verdict
from campaigns.results.score_ranges import RunScoreRange
from campaigns.templatetags.figures import ago


def rank_figure(standing: RunStanding | None) -> str:
    """The places that no separated pair rules out."""
    if not standing or standing.first is None or standing.last is None:
        return "–"
    return "–".join(map(group_digits, dict.fromkeys((standing.first, standing.last))))


def best_figure(standing: RunStanding | None) -> str:
    if standing and standing.leader:
        return _("among the leaders")
    return "–" if not standing or standing.best is None else decimals.chance(standing.best)


def expected_figure(standing: RunStanding | None) -> SafeString:
    if standing and standing.too_early:
        title, text = _("too early: the prediction interval is too wide"), _("too early")
        return format_html('<span title="{}">–<span class="visually-hidden"> {}</span></span>', title, text)
    return joined("–" if not standing or standing.expected is None else decimals.expected(standing.expected))


def run_sentence(tag: str, own: RunStanding | None, standings: Standings, unjudged: bool) -> SafeString:
    """State where the run stands. `own`: None for a withdrawn one; `unjudged`: unjudged documents count as
    not relevant."""
    verdict = standings.verdict
    if own is None:
        return message(_("<strong>%(run)s</strong> is withdrawn: it is compared with no other run."), run=tag)
    if verdict.kind == "leaders":
        return _among_leaders(tag, own.leader, verdict)
    if verdict.kind != "probable" or own.run in (verdict.run, verdict.twin):
        return verdict_sentence(verdict, unjudged)
    if own.best is None:
        return message(_("<strong>%(run)s</strong> is not predicted yet."), run=tag)
    if not own.may_be_best:
        return _not_best(tag, own, () if unjudged else standings.rows)
    text = _("<strong>%(run)s</strong> may still overtake <strong>%(leader)s</strong> (%(best)s).")
    if len(verdict.rivals) == 1:
        text = _(
            "<strong>%(run)s</strong> is the only run that may still overtake <strong>%(leader)s</strong> "
            "(%(best)s)."
        )
    return message(text, run=tag, leader=verdict.run, best=decimals.chance(own.best))


def _among_leaders(tag: str, leads: bool, verdict: Verdict) -> SafeString:
    if leads and verdict.leaders == 1:
        return verdict_sentence(verdict, False)
    text = ngettext(
        "<strong>%(run)s</strong> is not the run that leads.",
        "<strong>%(run)s</strong> is not among the %(leaders)s leaders: the best is likely one of them.",
        verdict.leaders,
    )
    if leads:
        text = _("<strong>%(run)s</strong> is among the %(leaders)s leaders: the best is likely one of them.")
    return message(text, run=tag, leaders=group_digits(verdict.leaders))


def _not_best(tag: str, own: RunStanding, rows: Sequence[RunStanding]) -> SafeString:
    """`rows`: among which bounds decide."""
    if ahead := sum(row.base > own.top + NOISE for row in rows):
        text = ngettext(
            "<strong>%(run)s</strong> is certainly not best: %(ahead)s run is better whatever is unjudged.",
            "<strong>%(run)s</strong> is certainly not best: %(ahead)s runs are better whatever is unjudged.",
            ahead,
        )
        return message(text, run=tag, ahead=group_digits(ahead))
    return message(_("<strong>%(run)s</strong> is probably not best: P(best) is below 1%%."), run=tag)


def score_note(standing: RunStanding | None, why: MissingPrediction | None) -> str:
    """The prediction interval of the expected score, or why there is none."""
    if standing and standing.too_early:
        return _("too early")
    if not standing or standing.low is None or standing.high is None:
        return unpredicted_phrase(why) if why else ""
    ends = {"low": decimals.base(standing.low), "high": decimals.top(standing.high)}
    return _("95%% prediction interval %(low)s–%(high)s") % ends


def rival_figure(pair: MatrixPair) -> str:
    """State how sure it is that the first run of the pair is the better one."""
    if pair.percent is None:
        return "–"
    if pair.state == "certain":
        return _("certain") if pair.percent > 50 else _("ruled out")
    return decimals.with_percent(pair.percent)


def rank_note(standing: RunStanding | None, among: int, withdrawn: bool) -> SafeString:
    """The rank `among` all distinct runs."""
    if withdrawn or not standing or standing.first is None:
        return message("–")
    total = _("of %(total)s") % {"total": group_digits(among)}
    counted = '{} <small data-counted="distinct-runs">{}</small>'
    return format_html(counted, rank_figure(standing), total)


def participation_sentence(run: Run, own: RunScoreRange) -> SafeString:
    if own.withdrawn:
        since = ago(run.withdrawn_at)
        text = _("Withdrawn %(since)s: in no queue, no picture and no comparison. It is kept, and scored on.")
        first = message(text, since=since)
    elif own.contributes:
        first = message(_("Contributing run: its documents are judged."))
    else:
        first = message(_("Non-contributing run: scored, but documents only it retrieved are not judged."))
    text = _("Late run: documents only it retrieved were not pooled, so its bounds are wider.")
    return joined(first, text if own.late else "")


def all_runs_label(standings: Standings, most_rows: int) -> str:
    """Label the link to further rows; of more than `most_rows`, only the first are shown."""
    if len(standings.rows) > most_rows:
        return _("Show the first %(n)s") % {"n": most_rows}
    if standings.runs == standings.distinct:
        return _("Show all %(n)s runs") % {"n": group_digits(standings.distinct)}
    return _("Show all %(n)s distinct runs") % {"n": group_digits(standings.distinct)}


def noticed_text(row: dict[str, Any]) -> SafeString:
    """Name an anomaly of an uploaded file; `row`: one of `Run.noticed`."""
    row = translated_notice(row)
    count = f" ({group_digits(row['count'])})" if row.get("count") else ""
    detail = f": {row['detail']}" if row.get("detail") else ""
    return format_html("<strong>{}</strong>{}{}", row["what"], count, detail)


def leaderboard_note(board: Leaderboard) -> str:
    """State what the scores are, and how sure."""
    ranks = _("A rank such as 1–6 leaves open what is not separated at 95%.")
    match board.estimate:
        case "predicted":
            return _(
                "A score is certain to lie in its score range. A rank such as 1–6 leaves open what is not "
                "separated at 95%."
            )
        case "sampled" if board.has_intervals:
            text = _("Scores are estimates from a random sample, with 95% intervals on these topics.")
            return f"{text} {ranks}"
        case "sampled":
            return _("Scores are estimates from a random sample; it is too early for intervals.")
        case "expected":
            text = _("Scores are expected by a model, if this collection is like those that it knows.")
            return f"{text} {ranks}"
        case _other if board.has_bounds:
            text = _("Scores so far: unjudged documents count as not relevant. The bounds are certain.")
            return f"{text} {ranks}"
        case _other if board.as_of:
            return _("Scores so far: unjudged documents count as not relevant. They have no interval.")
    return _("No run has a score yet.")
