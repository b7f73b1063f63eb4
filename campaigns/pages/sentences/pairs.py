"""A pair of runs in words: which is better, and how sure that is."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from campaigns.core import decimals
from campaigns.core.phrases import group_digits
from campaigns.measurement.measured_standings import MeasuredPair, Span, StatementKind
from campaigns.models import Campaign
from campaigns.pages.runs.pair_outlook import MeanDifference, PredictedOrder, UntilSeparated
from campaigns.pages.runs.run_statements import PairStatements
from campaigns.pages.sentences.forecasts import effort_interval, unpredicted_phrase, unpredicted_sentence
from campaigns.pages.sentences.measures import (
    difference_figure,
    early_sentence,
    these_topics,
    unmeasured_sentence,
)
from campaigns.pages.sentences.message import joined, message
from campaigns.predictions.prediction import MissingPrediction
from campaigns.results.pairs import PairDetails
from campaigns.templatetags.figures import hours


def decision_sentence(
    pair: PairDetails,
    better: str,
    until: UntilSeparated,
    why: MissingPrediction | None,
    unjudged_not_relevant: bool,
) -> SafeString:
    """State the certain order of the pair, or why there is none."""
    if pair.decided and unjudged_not_relevant:
        text = _(
            "Separated: <strong>%(better)s</strong> is better if unjudged documents of judged topics are "
            "not relevant."
        )
        return message(text, better=better)
    if pair.decided == "intervals":
        text = _(
            "Certainly separated: <strong>%(better)s</strong> is better, however the remaining documents are "
            "judged. Its base is above the other’s top."
        )
        return message(text, better=better)
    if pair.decided == "difference":
        text = _(
            "Certainly separated: <strong>%(better)s</strong> is better. The score ranges overlap, but "
            "documents that both runs rank cancel out."
        )
        return message(text, better=better)
    if why and why.reason == "empty":
        return message(_("Nothing is judged yet: either can be the better one."))
    early = _("It is too early for a probability.") if until.state == "early" else ""
    reason = unpredicted_sentence(why) if why else early
    return joined(_("Open: unjudged documents can still change the order."), reason)


def order_sentence(order: PredictedOrder | None) -> SafeString:
    """State the probable order of an open pair."""
    if not order or order.certain:
        return SafeString()
    text = _("%(run)s has the higher final score with a probability of <strong>%(percent)s%%</strong>.")
    return message(text, run=order.run, percent=order.percent)


def overall_sentence(order: PredictedOrder | None, topics: int) -> SafeString:
    """Beside what is said of judged topics: the order over all topics."""
    if not order:
        return SafeString()
    text = _(
        "Over all %(all)s topics <strong>%(run)s</strong> is better with a probability of "
        "<strong>%(percent)s%%</strong>."
    )
    if order.certain:
        text = _("Over all %(all)s topics <strong>%(run)s</strong> is certainly better.")
    return message(text, all=group_digits(topics), run=order.run, percent=order.percent)


def probability_figure(pair: PairDetails, order: PredictedOrder | None) -> str:
    if pair.decided or (order and order.certain):
        return _("certain")
    return decimals.with_percent(str(order.percent)) if order else "–"


def difference_note(mean: MeanDifference, why: MissingPrediction | None, until: UntilSeparated) -> SafeString:
    """The prediction interval of the difference, or why there is none; and the certain range."""
    predicted = ""
    if mean.band:
        text = _("95%% prediction interval %(low)s to %(high)s")
        predicted = message(text, **_ends(mean.band.low, mean.band.high, ("low", "high")))
    elif why:
        predicted = unpredicted_phrase(why)
    elif until.state == "early":
        predicted = _("too early to say")
    certain = _("certain range %(least)s to %(most)s") % _ends(mean.least, mean.most, ("least", "most"))
    return format_html("{}<br>{}", predicted, certain) if predicted else joined(certain)


def _ends(low: float, high: float, names: tuple[str, str]) -> dict[str, str]:
    """Rounded outwards, so that the range stays true."""
    ends = decimals.signed(decimals.rounded_down(low)), decimals.signed(decimals.rounded_up(high))
    return dict(zip(names, ends, strict=True))


def until_note(until: UntilSeparated, why: MissingPrediction | None) -> str:
    """About the judgments until the pair separates: how long they take, or why there is no forecast."""
    if until.state == "separated":
        return _("separated now")
    if why:
        return unpredicted_phrase(why)
    match until.state:
        case "early":
            return _("too early to say")
        case "judged":
            return _("forecast over all topics only")
        case "later":
            return _("forecast for the ten runs of the highest expected scores")
        case "open":
            effort = until.forecast
            time = hours(effort.hours) if effort else ""
            judging = _("%(time)s of judging") % {"time": time} if time else ""
            return joined(judging, effort_interval(effort), between=" · ")


def versus_label(versus: str) -> str:
    """Name the score of the other run that a test compares with."""
    return {"projected": _("projection"), "base": _("base")}.get(versus, _("top"))


def pair_measure_sentence(stated: PairStatements, campaign: Campaign) -> SafeString:
    """State which of two runs is better by the measure, how sure that is, and on which topics."""
    standings, pair = stated.standings, stated.pair
    if pair is None:
        return joined(unmeasured_sentence(standings.reason or "unscored", standings.name))
    names = {
        "run": pair.run.run,
        "measure": standings.name,
        "topics": these_topics(standings.topics),
        "difference": decimals.signed(pair.difference or 0.0),
        "percent": decimals.chance(pair.calibrated),
        "method": campaign.get_method_display(),
    }
    return message(_pair_text(pair, standings.kind), **names)


def _pair_text(pair: MeasuredPair, kind: StatementKind) -> str:
    match pair.state:
        case "certain":
            return _("<strong>%(run)s</strong> is certainly better by %(measure)s %(topics)s.")
        case "guaranteed" if pair.like_these is not None and pair.like_these.excludes_zero:
            return _(
                "<strong>%(run)s</strong> is better by %(measure)s %(topics)s and on topics like these, "
                "guaranteed by sampling."
            )
        case "guaranteed":
            return _("<strong>%(run)s</strong> is better by %(measure)s %(topics)s, guaranteed by sampling.")
        case _other if pair.interval is not None:
            return _("Open: the 95%% interval of the difference by %(measure)s %(topics)s contains 0.")
        case _other if pair.calibrated is not None:
            return _(
                "<strong>%(run)s</strong> is better by %(measure)s with a probability of <strong>%(percent)s"
                "</strong>, by a model, %(topics)s."
            )
        case _other if kind == "sampled":
            return _(
                "<strong>%(run)s</strong> is ahead by %(difference)s in %(measure)s %(topics)s, by a sample; "
                "the pair has no interval."
            )
        case _other:
            return _(
                "<strong>%(run)s</strong> is ahead by %(difference)s in %(measure)s so far, unjudged "
                "documents not relevant. %(method)s gives no probability for it."
            )


def certain_cell(stated: PairStatements) -> str:
    """State the certain bounds of the difference, or a proved order, or that there is neither."""
    if stated.pair is not None and stated.pair.proved:
        return _("%(run)s is better, however the remaining documents are judged") % {
            "run": stated.pair.run.run
        }
    if stated.pair is None or stated.pair.bounds is None:
        return _("does not exist for %(measure)s") % {"measure": stated.standings.name}
    return difference_figure(stated.pair.bounds)


def absent_cell(stated: PairStatements) -> str:
    return _("does not exist for %(measure)s") % {"measure": stated.standings.name}


def sampled_cell(stated: PairStatements, interval: Span | None) -> str:
    """State the 95% interval of the difference, or why there is none."""
    estimate = stated.standings.estimate
    if interval is None or stated.pair is None:
        if estimate is None or estimate.kind != "sampled":
            return _("no sample")
        return early_sentence(estimate) if estimate.early else _("no interval of pairs")
    difference = decimals.signed(stated.pair.difference or 0.0)
    return f"{difference} ({difference_figure(interval)})"


def expected_cell(stated: PairStatements) -> str:
    """State the model's probabilities, or its interval of the difference, or that there is neither."""
    pair = stated.pair
    if pair is not None and pair.calibrated is not None:
        text = _("P(better) %(calibrated)s calibrated, %(published)s as published")
        chances = decimals.chance(pair.calibrated), decimals.chance(pair.published)
        return text % dict(zip(("calibrated", "published"), chances, strict=True))
    if stated.predicted is not None:
        return difference_figure(stated.predicted)
    return _("does not exist for %(measure)s") % {"measure": stated.standings.name}
