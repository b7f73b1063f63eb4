"""Flags in words: one sentence each, of what was seen, with figures and interval."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from campaigns.configuration.scale import grade_labels
from campaigns.core.decimals import decimal, p_value, signed
from campaigns.core.phrases import group_digits
from campaigns.models import Campaign, QualityFlag

Kind = QualityFlag.Kind


def flag_sentence(flag: QualityFlag) -> str:
    """In the reader's language."""
    match flag.kind:
        case Kind.TIME:
            words = gettext(
                "Median time of %(documents)s judgments: %(value)s s (95%% interval %(low)s to %(high)s s)."
            )
            return words % _shown(flag.figures, 2)
        case Kind.AGREEMENT | Kind.SELF_AGREEMENT:
            return _agreement(flag.kind, flag.figures)
        case Kind.GRADES:
            return _grades(flag.campaign, flag.figures)
        case _:
            return _reading(flag.figures)


def _reading(figures: dict[str, Any]) -> str:
    shares = {name: decimal(100 * figures[name], 0) for name in ("value", "low", "high")}
    words = gettext(
        "Of %(documents)s documents longer than two screens, %(unread)s were judged before their middle had "
        "come into sight: %(value)s%% (95%% interval %(low)s to %(high)s%%)."
    )
    return words % {**_counts(figures), **shares}


def _agreement(kind: str, figures: dict[str, Any]) -> str:
    shown = _shown(figures, 2)
    with_others = kind == Kind.AGREEMENT
    if "fall" in figures:
        shown |= {name: decimal(figures["fall"][name], 2) for name in ("early", "late")}
        shown |= {f"fall_{name}": signed(figures["fall"][name], 2) for name in ("low", "high")}
        others = gettext(
            "Kappa with the others fell from %(early)s to %(late)s between the halves of %(documents)s "
            "documents (interval of the change %(fall_low)s to %(fall_high)s)."
        )
        own = gettext(
            "Kappa with their own earlier grades fell from %(early)s to %(late)s between the halves of "
            "%(documents)s documents (interval of the change %(fall_low)s to %(fall_high)s)."
        )
    else:
        others = gettext(
            "Kappa with the others on %(documents)s documents: %(value)s (95%% interval %(low)s to %(high)s)."
        )
        own = gettext(
            "Kappa with their own earlier grades on %(documents)s documents shown again: %(value)s "
            "(95%% interval %(low)s to %(high)s)."
        )
    return (others if with_others else own) % shown


def _grades(campaign: Campaign, figures: dict[str, Any]) -> str:
    label = grade_labels(campaign.grades).get(figures["grade"], "")
    points = {name: signed(100 * figures[name], 0) for name in ("value", "low", "high")}
    shares = {name: decimal(100 * figures[name], 0) for name in ("own", "others")}
    if "topics" in figures:
        words = gettext(
            "Grade “%(label)s”: %(own)s%% of their %(documents)s judgments at the beginning of their topics, "
            "%(others)s%% at the beginning of others’ topics; difference %(value)s points (95%% interval "
            "%(low)s to %(high)s; p %(p)s)."
        )
        return words % {**_counts(figures), **points, **shares, "label": label, "p": _p(figures["p"])}
    words = gettext(
        "Grade “%(label)s”: %(own)s%% of their %(documents)s judgments, %(others)s%% of the others’ at the "
        "same depth of the same topics; difference %(value)s points (95%% interval %(low)s to %(high)s; "
        "p %(p)s)."
    )
    return words % {**_counts(figures), **points, **shares, "label": label, "p": _p(figures["p"])}


def _p(value: float) -> str:
    shown = p_value(value)
    return shown if shown.startswith("<") else f"= {shown}"


def _counts(figures: dict[str, Any]) -> dict[str, str]:
    return {name: group_digits(figures[name]) for name in ("documents", "unread") if name in figures}


def _shown(figures: dict[str, Any], digits: int) -> dict[str, str]:
    return {
        **_counts(figures),
        **{name: decimal(figures[name], digits) for name in ("value", "low", "high")},
    }
