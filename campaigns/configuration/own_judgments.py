"""Settings that need each judgment to be an assessor's own, and so bar copies of judgments."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.models.campaign import RANDOM_METHODS, JudgmentCopies, Method


def check_own_judgments(
    *,
    judgment_copies: str,
    field: str,
    methods: Iterable[str] = (),
    anchors: int = 0,
    overlap_share: float = 0.0,
    sampled: bool = False,
) -> None:
    """Refuse copies of judgments beside what needs own judgments. `methods`: those of the campaign and its
    topics; `sampled`: a sample was drawn earlier; `field`: the one that is being changed."""
    if judgment_copies == JudgmentCopies.OFF:
        return
    reason = ""
    if random := sorted(set(methods) & set(RANDOM_METHODS)):
        reason = gettext("the method “%(method)s” (method)") % {"method": Method(random[0]).label}
    elif anchors:
        reason = gettext("anchors (anchors)")
    elif overlap_share:
        reason = gettext("overlap (overlap_share)")
    elif sampled:
        reason = gettext("a sample that was drawn (method)")
    if reason:
        detail = gettext(
            "%(reason)s needs judgments by assessors only, and judgments are copied to near-duplicates "
            "(judgment_copies): choose one of the two"
        )
        raise Refusal("copies_disturb", detail % {"reason": reason}, field=field)
