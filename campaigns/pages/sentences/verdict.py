"""The verdict of the overview: which run is best, and how sure that is."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core.decimals import chance
from campaigns.core.phrases import group_digits
from campaigns.pages.sentences.forecasts import unpredicted_phrase, unpredicted_sentence
from campaigns.pages.sentences.message import joined, message
from campaigns.predictions.standings import Standings, Verdict


def verdict_sentence(verdict: Verdict, unjudged_not_relevant: bool) -> SafeString:
    run = verdict.run
    match verdict.kind:
        case "unpredicted" if verdict.why and verdict.why.reason != "empty":
            return unpredicted_sentence(verdict.why)
        case "unpredicted":
            return message(_("Nothing is judged yet: every run can still be best."))
        case "alone":
            return message(_("There is no other run to compare <strong>%(run)s</strong> with."), run=run)
        case "early":
            return message(_("Too early to say which run is best: there are too few judgments."))
        case "certain" if unjudged_not_relevant:
            text = _(
                "<strong>%(run)s</strong> is best if unjudged documents of judged topics are not relevant."
            )
            return message(text, run=run)
        case "certain":
            text = _("<strong>%(run)s</strong> is certainly best: no unjudged document can change that.")
            return message(text, run=run)
        case "leaders":
            text = ngettext(
                "<strong>%(run)s</strong> leads: it is likely the best run.",
                "No run stands out: %(shown)s runs are among the leaders; the best is likely one of them.",
                verdict.leaders,
            )
            return message(text, run=run, shown=group_digits(verdict.leaders))
        case "probable":
            return joined(_likeliest(verdict), _rivals(verdict))


def short_verdict(verdict: Verdict, unjudged_not_relevant: bool) -> SafeString:
    """The verdict without the rivals of the likeliest run."""
    if verdict.kind == "probable":
        return _likeliest(verdict)
    return verdict_sentence(verdict, unjudged_not_relevant)


def _likeliest(verdict: Verdict) -> SafeString:
    is_open = verdict.best is not None and verdict.best < 0.5
    if is_open and verdict.twin:
        text = _(
            "It is open which run is best: <strong>%(run)s</strong> or its twin <strong>%(twin)s</strong> is "
            "the likeliest (<strong>%(best)s</strong>)."
        )
    elif is_open:
        text = _(
            "It is open which run is best: <strong>%(run)s</strong> is the likeliest "
            "(<strong>%(best)s</strong>)."
        )
    elif verdict.twin:
        text = _(
            "<strong>%(run)s</strong> or its twin <strong>%(twin)s</strong> is probably best "
            "(<strong>%(best)s</strong>)."
        )
    else:
        text = _("<strong>%(run)s</strong> is probably best (<strong>%(best)s</strong>).")
    return message(text, run=verdict.run, twin=verdict.twin, best=chance(verdict.best))


def _rivals(verdict: Verdict) -> SafeString:
    if not verdict.rivals:
        return SafeString()
    (run, best), *others = verdict.rivals
    if not others:
        text = _("The only other run with P(best) ≥ 1%% is <strong>%(run)s</strong> (%(best)s).")
        return message(text, run=run, best=chance(best))
    if len(others) == 1:
        text = _(
            "The only other runs with P(best) ≥ 1%% are <strong>%(run)s</strong> (%(best)s) and "
            "<strong>%(other)s</strong> (%(chance)s)."
        )
        return message(text, run=run, best=chance(best), other=others[0][0], chance=chance(others[0][1]))
    text = _("%(n)s other runs have P(best) ≥ 1%%; the likeliest is <strong>%(run)s</strong> (%(best)s).")
    return message(text, n=group_digits(len(verdict.rivals)), run=run, best=chance(best))


def leader_label(verdict: Verdict) -> str:
    """Names the figure beside the verdict."""
    if verdict.twin:
        return _("P(best) of the leader and its twin")
    return _("Runs among the leaders") if verdict.kind == "leaders" else _("P(best) of the leader")


def leader_figure(standings: Standings) -> str:
    verdict = standings.verdict
    match verdict.kind:
        case "certain":
            return _("certain")
        case "probable":
            return chance(verdict.best)
        case "leaders":
            among = _("of %(goal)s") % {"goal": group_digits(len(standings.rows))}
            return format_html("{} <small>{}</small>", group_digits(verdict.leaders), among)
        case _:
            return "–"


def leader_note(standings: Standings) -> SafeString:
    verdict = standings.verdict
    match verdict.kind:
        case "leaders":
            return message(_("the best is likely one of them"))
        case "probable":
            text = ngettext(
                "%(runs)s of %(all)s runs has P(best) ≥ 1%%",
                "%(runs)s of %(all)s runs have P(best) ≥ 1%%",
                standings.may_be_best,
            )
            all_runs = group_digits(len(standings.rows))
            return message(text, runs=group_digits(standings.may_be_best), all=all_runs)
        case "early":
            return message(_("too early for a probability"))
        case _:
            return joined(unpredicted_phrase(verdict.why) if verdict.why else "")


def pairs_figure(standings: Standings) -> SafeString:
    """Count the separated pairs; while it is early, those that certainly are."""
    if not standings.pairs:
        return message("–")
    among = _("of %(pairs)s") % {"pairs": len(standings.pairs)}
    separated = standings.certain if standings.early else standings.separated
    return format_html("{} <small>{}</small>", separated, among)
