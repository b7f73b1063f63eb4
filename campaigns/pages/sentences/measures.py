"""Scores by the campaign's measures in words: which run is best, by which statement, and on which topics."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from campaigns.core import decimals
from campaigns.core.phrases import group_digits, join_words
from campaigns.measurement.measured_scores import Estimate
from campaigns.measurement.measured_standings import (
    MeasuredPair,
    MeasuredStandings,
    MeasuredVerdict,
    PairState,
    Span,
    StatementKind,
)
from campaigns.models import Campaign
from campaigns.models.campaign import RANDOM_METHODS
from campaigns.pages.sentences.message import joined, message

# An interval is written with ± if both its ends are this near to being equally far from the estimate.
EVEN = 5e-4


def kind_label(kind: StatementKind) -> str:
    """Name the kind of a score."""
    match kind:
        case "sampled":
            return _("guaranteed by sampling")
        case "estimated":
            return _("estimated by a sample, without an interval")
        case "expected":
            return _("expected by a model")
        case "usual":
            return _("unjudged not relevant")


def score_label(kind: StatementKind) -> str:
    match kind:
        case "sampled" | "estimated":
            return _("estimate")
        case "expected":
            return _("expected score")
        case "usual":
            return _("score, unjudged not relevant")


def score_heading(kind: StatementKind) -> str:
    match kind:
        case "sampled" | "estimated":
            return _("Estimate")
        case "expected":
            return _("Expected")
        case "usual":
            return _("Score")


def unmeasured_sentence(reason: str, measure: str) -> str:
    """Explain why there are no scores by the measure."""
    match reason:
        case "computing":
            return _("The scores by %(measure)s are being computed.") % {"measure": measure}
        case "too_large":
            return _("The campaign is too large to score by %(measure)s.") % {"measure": measure}
        case "empty":
            return _("Nothing is judged yet: every run can still be best.")
        case _other:
            return _("No run has a score by %(measure)s yet.") % {"measure": measure}


def early_sentence(estimate: Estimate) -> str:
    """State what the sample has too little of for an interval, how much there is, and how much is needed."""
    numbers = {
        "found": decimals.decimal(estimate.early_count, 1, trim=True),
        "needed": decimals.decimal(estimate.early_needed, 1, trim=True),
    }
    match estimate.early:
        case "topics":
            return _("Too early for an interval: %(found)s of %(needed)s topics.") % numbers
        case "judgments":
            return _("Too early for an interval: %(found)s of %(needed)s judgments a topic.") % numbers
        case "relevant":
            return _("Too early for an interval: %(found)s of %(needed)s relevant documents.") % numbers
        case "depth":
            return _("No interval: the measure weighs documents that the sample hardly ever draws.")
        case "ideal":
            return _(
                "No interval: the ideal order depends on relevant documents that the sample does not show."
            )
        case _other:
            return _("Too early for an interval.")


def measured_sentence(standings: MeasuredStandings, campaign: Campaign) -> SafeString:
    """State which run is best by the measure, how sure that is, and on which topics."""
    verdict = standings.verdict
    if verdict.row is None:
        return joined(unmeasured_sentence(standings.reason, standings.name), _early(standings))
    match verdict.kind:
        case "alone":
            text = _("There is no other run to compare <strong>%(run)s</strong> with.")
        case "certain":
            text = _certain_text(campaign)
        case "sampled":
            return _sampled_sentence(standings)
        case "expected":
            text = _expected_text(verdict)
        case _other:
            return joined(message(_usual_text(verdict), **_names(standings)), _unsure(campaign))
    return message(text, **_names(standings))


def _names(standings: MeasuredStandings) -> dict[str, str]:
    row, least = standings.verdict.row, standings.verdict.least
    return {
        "run": row.run if row else "",
        "measure": standings.name,
        "score": estimate_figure(row.score, row.interval) if row else "",
        "topics": these_topics(standings.topics),
        "percent": decimals.chance(least),
    }


def _early(standings: MeasuredStandings) -> str:
    return early_sentence(standings.estimate) if standings.estimate and standings.estimate.early else ""


def _certain_text(campaign: Campaign) -> str:
    if campaign.unjudged_not_relevant:
        return _(
            "<strong>%(run)s</strong> is best by %(measure)s if unjudged documents of judged topics are not "
            "relevant."
        )
    return _(
        "<strong>%(run)s</strong> is certainly best by %(measure)s %(topics)s: no unjudged document can "
        "change that."
    )


def _sampled_sentence(standings: MeasuredStandings) -> SafeString:
    verdict, names = standings.verdict, _names(standings)
    if verdict.tied:
        text = _(
            "<strong>%(run)s</strong> and other runs share the highest score by %(measure)s: %(score)s "
            "%(topics)s, by a sample."
        )
        return message(text, **names)
    if verdict.row is None or verdict.row.interval is None:
        text = _(
            "<strong>%(run)s</strong> scores highest by %(measure)s so far: %(score)s %(topics)s, by a "
            "sample."
        )
        return joined(message(text, **names), _early(standings))
    text = _(
        "<strong>%(run)s</strong> scores highest by %(measure)s: %(score)s %(topics)s, guaranteed by "
        "sampling."
    )
    return joined(message(text, **names), _better_than(verdict))


def _better_than(verdict: MeasuredVerdict) -> SafeString:
    """Count the runs than which the first one is better by its sample, if pairs have intervals."""
    if verdict.better is None:
        return SafeString()
    numbers = {
        "better": group_digits(verdict.better),
        "others": group_digits(verdict.others),
        "like": group_digits(verdict.better_like_these or 0),
    }
    if verdict.better_like_these is None:
        return message(_("It is better than %(better)s of %(others)s other runs."), **numbers)
    text = _("It is better than %(better)s of %(others)s other runs; on topics like these, than %(like)s.")
    return message(text, **numbers)


def _expected_text(verdict: MeasuredVerdict) -> str:
    if verdict.least is None or verdict.tied:
        return _(
            "<strong>%(run)s</strong> has the highest expected score by %(measure)s: %(score)s, by a model, "
            "%(topics)s."
        )
    if not verdict.is_probable:
        return _(
            "It is open which run is best by %(measure)s: <strong>%(run)s</strong> has the highest expected "
            "score, but is only %(percent)s sure against its closest rival, by a model, %(topics)s."
        )
    return _(
        "<strong>%(run)s</strong> is probably best by %(measure)s: at least %(percent)s sure against every "
        "other run, by a model, %(topics)s."
    )


def _usual_text(verdict: MeasuredVerdict) -> str:
    if verdict.tied:
        return _(
            "By %(measure)s, <strong>%(run)s</strong> and other runs share the lead so far (%(score)s, "
            "unjudged documents count as not relevant)."
        )
    return _(
        "By %(measure)s, <strong>%(run)s</strong> leads so far (%(score)s, unjudged documents count as not "
        "relevant)."
    )


def _unsure(campaign: Campaign) -> str:
    text = _("%(method)s gives no probability for it.")
    return text % {"method": campaign.get_method_display()}


def these_topics(count: int) -> str:
    text = ngettext("on this topic", "on these %(shown)s topics", count)
    return text % {"shown": group_digits(count)}


def estimate_figure(score: float | None, interval: Span | None) -> str:
    """0.412 ± 0.031, or 0.412 (0.390–0.450) where the ends are not equally far."""
    if score is None or interval is None:
        return decimals.score(score)
    above, below = interval.high - score, score - interval.low
    if abs(above - below) < EVEN:
        return f"{decimals.score(score)} ± {decimals.top(max(above, below))}"
    return f"{decimals.score(score)} ({span_figure(interval)})"


def span_figure(span: Span | None) -> str:
    """The ends of scores, rounded outwards."""
    return "–" if span is None else f"{decimals.base(span.low)}–{decimals.top(span.high)}"


def difference_figure(span: Span | None) -> str:
    """The ends of differences, rounded outwards."""
    if span is None:
        return "–"
    ends = decimals.rounded_down(span.low), decimals.rounded_up(span.high)
    return _("%(low)s to %(high)s") % dict(zip(("low", "high"), map(decimals.signed, ends), strict=True))


def lacks_sentence(standings: MeasuredStandings, campaign: Campaign) -> SafeString:
    """State which kinds of statements there are not, and why; and what limits the others."""
    names = {"measure": standings.name, "method": campaign.get_method_display()}
    parts = []
    if standings.scores is not None and not standings.has_bounds:
        parts.append(_("%(measure)s has no certain bounds.") % names)
    estimate = standings.estimate
    if estimate is None:
        parts.append(_no_estimate(campaign) % names)
    elif estimate.kind == "expected":
        parts.append(_("No intervals: the model states expected scores of these topics."))
    elif not standings.has_intervals:
        parts.append(early_sentence(estimate) if estimate.early else _no_interval() % names)
    elif not standings.has_like_these:
        parts.append(_("No interval for topics like these: the sample speaks about these topics."))
    if estimate is not None and estimate.approximate and standings.has_intervals:
        parts.append(_("The intervals are approximate."))
    if estimate is not None and estimate.left_out:
        text = ngettext(
            "Left out, with too few judgments: topic %(topics)s.",
            "Left out, with too few judgments: topics %(topics)s.",
            len(estimate.left_out),
        )
        parts.append(text % {"topics": join_words(estimate.left_out[:5])})
    return joined(*parts)


def _no_estimate(campaign: Campaign) -> str:
    if campaign.method in RANDOM_METHODS:
        return _("No interval: the sample of this method does not estimate %(measure)s.")
    return _("No interval: %(method)s draws no sample.")


def _no_interval() -> str:
    return _("No interval: the sample estimates %(measure)s without one.")


def pairs_note(standings: MeasuredStandings) -> str:
    """Name the statement that the pairs' colours make."""
    match standings.pair_kind:
        case "sampled" | "estimated":
            return _("Separated: the 95% interval of the difference on these topics excludes 0.")
        case "expected":
            return _("The number: how sure the calibrated model is that the column’s run scores higher.")
        case "usual":
            return _("Separated: the certain bounds of both runs do not overlap.")


def no_pairs_sentence(standings: MeasuredStandings, campaign: Campaign) -> SafeString:
    """Explain why nothing is stated about pairs."""
    names = {"measure": standings.name, "method": campaign.get_method_display()}
    if standings.reason:
        return joined(unmeasured_sentence(standings.reason, standings.name))
    if len(standings.rows) < 2:
        return message(_("Pairs need two runs."))
    if standings.estimate and standings.estimate.early:
        return message(early_sentence(standings.estimate))
    if standings.kind == "sampled":
        return message(_("The sample states intervals by %(measure)s of runs, and none of pairs."), **names)
    return message(_("%(method)s gives no probability for the order of two runs by %(measure)s."), **names)


def pair_title(pair: MeasuredPair) -> str:
    """Both runs, and every statement about them."""
    parts = [f"{pair.run.run} : {pair.other.run}"]
    if pair.interval is not None:
        parts.append(_("these topics %(ends)s") % {"ends": difference_figure(pair.interval)})
    if pair.like_these is not None:
        parts.append(_("topics like these %(ends)s") % {"ends": difference_figure(pair.like_these)})
    if pair.calibrated is not None:
        parts.append(_("calibrated %(chance)s") % {"chance": decimals.chance(pair.calibrated)})
    if pair.published is not None:
        parts.append(_("as published %(chance)s") % {"chance": decimals.chance(pair.published)})
    return " – ".join([parts[0], ", ".join(parts[1:])] if parts[1:] else parts)


def pair_state_label(state: PairState) -> str:
    match state:
        case "certain":
            return _("certain")
        case "guaranteed":
            return _("guaranteed by sampling")
        case "likely":
            return _("≥ 95%, by a model")
        case "leaning":
            return _("80–94%, by a model")
        case "open":
            return pgettext("pair", "open")


def measured_runs_label(standings: MeasuredStandings, most_rows: int) -> str:
    """Label the link to further rows; of more than `most_rows`, only the first are shown."""
    if len(standings.rows) > most_rows:
        return _("Show the first %(n)s") % {"n": most_rows}
    return _("Show all %(n)s runs") % {"n": group_digits(len(standings.rows))}


def separated_note(pairs: list[MeasuredPair]) -> SafeString:
    """Count the pairs by the statement that separates them."""
    counts = {
        state: sum(pair.state == state for pair in pairs) for state in ("certain", "guaranteed", "likely")
    }
    texts = {
        "certain": _("%(n)s certain"),
        "guaranteed": _("%(n)s guaranteed by sampling"),
        "likely": _("%(n)s at ≥ 95%%, by a model"),
    }
    found = [message(texts[state], n=count) for state, count in counts.items() if count]
    rest = len(pairs) - sum(counts.values())
    return joined(*found, message(_("%(n)s open"), n=rest) if pairs else "", between=" · ")


def like_these_figure(standings: MeasuredStandings) -> SafeString:
    """Than how many runs the first is better on topics like these."""
    verdict = standings.verdict
    if verdict.better_like_these is None:
        return message("–")
    among = _("of %(goal)s") % {"goal": group_digits(verdict.others)}
    return format_html("{} <small>{}</small>", group_digits(verdict.better_like_these), among)


def like_these_note(standings: MeasuredStandings) -> str:
    if standings.verdict.better_like_these is not None:
        return _("guaranteed by sampling, for topics like these")
    if standings.kind == "expected":
        return _("the model speaks about these topics only")
    return _("no statement about topics like these")
