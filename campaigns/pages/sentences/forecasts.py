"""Forecasts and predictions in words, and why there are none."""

from __future__ import annotations

from django.template.defaultfilters import floatformat
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core.phrases import group_digits
from campaigns.pages.sentences.message import joined, message
from campaigns.predictions.prediction import MissingPrediction, ScorePrediction
from campaigns.predictions.standings import Standings
from campaigns.stopping.advice import RemainingEffort, StoppingAdvice
from campaigns.templatetags.figures import duration, hours

# Medians up to this one are shown as at most this many.
FEW = 5


def unpredicted_sentence(why: MissingPrediction) -> SafeString:
    judged = group_digits(why.judged)
    match why.reason:
        case "computing":
            text = _("The prediction for the present runs, judgments and settings is being computed.")
        case "all_relevant" if why.relevant == why.judged:
            text = ngettext(
                "The only judgment is relevant: nothing can be predicted.",
                "All %(judged)s judgments are relevant: nothing can be predicted.",
                why.judged,
            )
        case "all_relevant":
            text = _("%(relevant)s of %(judged)s judgments are relevant: nothing can be predicted.")
        case "none_relevant":
            text = ngettext(
                "The only judgment is not relevant: nothing can be predicted.",
                "None of the %(judged)s judgments is relevant: nothing can be predicted.",
                why.judged,
            )
        case "few_runs":
            text = _("Fewer than two runs take part: there is nothing to compare.")
        case "unranked":
            text = _("No run ranks a judged document: nothing can be predicted.")
        case "too_large":
            text = _("The campaign is too large for a prediction.")
        case "inactive":
            text = _("Nothing is predicted for a draft or an archived campaign.")
        case "empty":
            text = _("Nothing is judged yet.")
    return message(text, judged=judged, relevant=group_digits(why.relevant))


def sample_sentence(prediction: ScorePrediction | None) -> SafeString:
    """State of which topics a prediction was made; empty if of all."""
    if prediction is None or prediction.sampled >= prediction.topics:
        return SafeString()
    text = _("Predicted from a random sample of %(sampled)s of %(topics)s topics.")
    return message(text, sampled=group_digits(prediction.sampled), topics=group_digits(prediction.topics))


def unpredicted_phrase(why: MissingPrediction) -> str:
    phrases = {"computing": _("being computed"), "empty": _("nothing is judged yet")}
    return phrases.get(why.reason, _("nothing can be predicted"))


def effort_figure(forecast: RemainingEffort | None) -> str:
    """The median number of judgments still to come."""
    if not forecast:
        return "–"
    if forecast.median is None:
        return f"> {group_digits(forecast.horizon)}"
    return f"≤ {FEW}" if forecast.median <= FEW else f"≈ {group_digits(forecast.median)}"


def effort_interval(forecast: RemainingEffort | None) -> str:
    """The interval that holds 80% of the simulated futures; empty if the median says all."""
    if not forecast or forecast.low is None or forecast.low == forecast.high:
        return ""
    if forecast.high is None:
        return _("9 in 10: %(low)s or more") % {"low": group_digits(forecast.low)}
    ends = {"low": group_digits(forecast.low), "high": group_digits(forecast.high)}
    return _("4 in 5: %(low)s–%(high)s") % ends


def next_pair_note(standings: Standings, every: Standings, advice: StoppingAdvice | None) -> SafeString:
    """About the judgments until the next pair separates: how long they take, or why there is no forecast.
    `every`: the standings over all topics, to which the forecast belongs."""
    verdict = every.verdict
    if advice and advice.next_pair:
        return joined(_judging_time(advice), effort_interval(advice.next_pair), between=" · ")
    if verdict.kind == "certain":
        return message(_("nothing is left to decide at the top"))
    if advice and advice.left_out:
        return joined(advice.left_out_words)
    if advice and advice.no_forecast == "unjudged_not_relevant":
        return message(_("no forecast while unjudged documents count as not relevant"))
    if verdict.why:
        return joined(unpredicted_phrase(verdict.why))
    if every.early:
        return message(_("too early to say"))
    if verdict.kind == "alone":
        return message(_("there is no other run"))
    if every.pairs and not every.open:
        return message(_("every pair is separated"))
    return message(_("cannot say yet"))


def _judging_time(advice: StoppingAdvice) -> str:
    """State the time until the next pair separates, and the time for one judgment behind it."""
    if advice.next_pair is None or advice.next_pair.hours is None:
        return ""
    time, each = hours(advice.next_pair.hours), duration(advice.seconds_each)
    text = _("%(time)s at %(each)s each") % {"time": time, "each": each}
    if advice.counted_seconds == advice.seconds_each:
        return text
    return text + _(", counted as at least %(least)s s") % {"least": floatformat(advice.counted_seconds, 0)}


def reach_interval(low: int, high: int | None) -> str:
    """From the lowest to the highest of the simulated numbers; without a highest, to more than the budget."""
    ends = {"low": group_digits(low), "high": "" if high is None else group_digits(high)}
    return (_("%(low)s to more") if high is None else _("%(low)s to %(high)s")) % ends
