"""The next step in words: what to do, and why."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core.decimals import top
from campaigns.core.phrases import group_digits
from campaigns.overview.next_step import NextStep
from campaigns.pages.sentences.forecasts import FEW
from campaigns.pages.sentences.message import joined, message


def next_step_sentence(step: NextStep, pair_page: str) -> SafeString:
    """`pair_page`: its address, without the runs."""
    match step.kind:
        case "set_up":
            return message(_("This campaign is a draft: finish its set-up, then open it for judging."))
        case "resume":
            return message(_("The campaign is paused: nobody is served documents until it is open again."))
        case "invite" if step.invited:
            text = ngettext(
                "Nobody judges yet; %(invited)s invitation is open.",
                "Nobody judges yet; %(invited)s invitations are open.",
                step.invited,
            )
            return message(text, invited=group_digits(step.invited))
        case "invite":
            return message(_("Nobody judges yet: invite assessors, or judge yourself."))
        case "close" if step.decided:
            return message(_("No further judgment can change which run is best: close the campaign."))
        case "close":
            return message(_("The method has no more documents to serve: close the campaign."))
        case "publish":
            return message(_("The campaign is closed: download the qrels and the scores."))
        case "judge":
            return joined(_topic_to_judge(step), _pair_to_separate(step, pair_page))


def _topic_to_judge(step: NextStep) -> SafeString:
    if step.topic is None:
        return SafeString()
    text = _("Topic <strong>%(number)s %(title)s</strong> leaves most open (residual %(residual)s).")
    return message(text, number=step.topic.number, title=step.topic.title, residual=top(step.residual))


def _pair_to_separate(step: NextStep, page: str) -> SafeString:
    if step.pair is None or step.effort is None or step.effort.median is None:
        return SafeString()
    median = step.effort.median
    text = (
        ngettext(
            "At most %(count)s judgment should separate the next pair; nearest is %(pair)s.",
            "At most %(count)s judgments should separate the next pair; nearest is %(pair)s.",
            FEW,
        )
        if median <= FEW
        else ngettext(
            "About %(count)s judgment should separate the next pair; nearest is %(pair)s.",
            "About %(count)s judgments should separate the next pair; nearest is %(pair)s.",
            median,
        )
    )
    run, other = step.pair.run, step.pair.other
    link = format_html(
        '<a href="{}?one={}&amp;other={}">{} : {}</a>', page, run.id, other.id, run.run, other.run
    )
    return message(text, count=group_digits(max(median, FEW)), pair=link)
