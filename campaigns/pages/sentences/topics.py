"""Topics in words: the verdict on one, its place among all, its assessors; and the anchors in them."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core.decimals import top
from campaigns.core.phrases import group_digits
from campaigns.models.campaign import TopicChoice
from campaigns.pages.sentences.message import joined, message
from campaigns.predictions.topic_outlook import TopicOutlook
from campaigns.results.anchors import AnchorProgress


def topic_sentence(outlook: TopicOutlook, remaining: int | None) -> SafeString:
    """`remaining`: documents left in the queue."""
    if outlook.residual is None:
        return message(_("This topic is not computed yet: every score is still possible in it."))
    return joined(_openness(outlook), _effect(outlook, remaining))


def _openness(outlook: TopicOutlook) -> SafeString:
    topics = group_digits(outlook.topics)
    if outlook.topics == 1:
        return message(_("This is the only topic."))
    if outlook.more_open:
        text = ngettext(
            "Of all %(topics)s topics, <strong>%(more)s</strong> leaves more open than this one.",
            "Of all %(topics)s topics, <strong>%(more)s</strong> leave more open than this one.",
            outlook.more_open,
        )
        return message(text, topics=topics, more=group_digits(outlook.more_open))
    if outlook.as_open:
        return message(_("Of all %(topics)s topics, none leaves more open than this one."), topics=topics)
    return message(_("Of all %(topics)s topics, this one leaves <strong>most</strong> open."), topics=topics)


def _effect(outlook: TopicOutlook, remaining: int | None) -> SafeString:
    if remaining == 0:
        return message(_("Nothing is left to judge in it."))
    if outlook.pairs is None:
        return SafeString()
    top_runs = group_digits(outlook.runs)
    if not outlook.pairs:
        return message(_("Judging it alone will hardly change the order of the top %(runs)s."), runs=top_runs)
    text = ngettext(
        "Judging it can still change the order of <strong>%(pairs)s pair</strong> of the top %(runs)s.",
        "Judging it can still change the order of <strong>%(pairs)s pairs</strong> of the top %(runs)s.",
        len(outlook.pairs),
    )
    return message(text, pairs=group_digits(len(outlook.pairs)), runs=top_runs)


def openness_note(outlook: TopicOutlook) -> str:
    """Place of the topic, the most open first, and the median."""
    if outlook.residual is None or outlook.topics == 1:
        return ""
    words = {
        "place": group_digits(outlook.more_open + 1),
        "topics": group_digits(outlook.topics),
        "median": top(outlook.median),
    }
    return _("place %(place)s of %(topics)s · median %(median)s") % words


def topic_people(assigned: Sequence[str], choice: str) -> str:
    """Name the assessors who may judge the topic."""
    if assigned:
        return ", ".join(assigned)
    return _("any assessor") if choice == TopicChoice.FREE else _("nobody yet")


def judged_by_note(assessors: Sequence[str], judged: int) -> str:
    """Name the assessors who judged in the topic."""
    if assessors:
        return _("judged so far by %(names)s") % {"names": ", ".join(assessors)}
    return _("no assessor judged here yet") if judged else _("nothing is judged yet")


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
