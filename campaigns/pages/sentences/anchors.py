"""Sentences about a campaign's anchors."""

from __future__ import annotations

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core.phrases import group_digits
from campaigns.pages.sentences.message import joined, message
from campaigns.results.anchors import AnchorProgress


def anchors_sentence(anchors: AnchorProgress) -> SafeString:
    """Say how far the anchors of a campaign that has or is to have some are drawn and judged."""
    drawn = group_digits(anchors.drawn)
    if anchors.done and anchors.everywhere:
        text = ngettext(
            "Anchored by %(shown)s judgment drawn at random over all topics.",
            "Anchored by %(shown)s judgments drawn at random over all topics.",
            anchors.drawn,
        )
        return message(text, shown=drawn)
    if anchors.done:
        text = ngettext(
            "Anchored by %(shown)s judgment drawn at random over the open topics without a sample.",
            "Anchored by %(shown)s judgments drawn at random over the open topics without a sample.",
            anchors.drawn,
        )
        return message(text, shown=drawn)
    if anchors.drawn:
        judged = group_digits(anchors.judged)
        return joined(
            message(_("%(judged)s of %(drawn)s anchors judged."), judged=judged, drawn=drawn),
            _closed(anchors),
        )
    text = _("%(count)s anchors are drawn once the campaign is open and its queues are computed.")
    return message(text, count=group_digits(anchors.count))


def _closed(anchors: AnchorProgress) -> SafeString:
    text = ngettext(
        "%(shown)s is in a closed topic and stays open.",
        "%(shown)s are in closed topics and stay open.",
        anchors.closed,
    )
    return message(text, shown=group_digits(anchors.closed)) if anchors.closed else SafeString()
