"""Judgments in words, and why a document comes when it does."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core.phrases import group_digits, reason_text
from campaigns.models import Judgment
from campaigns.pages.sentences.message import joined, message, soft
from campaigns.people.workload import Work
from campaigns.results.document_judgments import DocumentInTopic
from campaigns.results.queues import DocumentExplanation
from campaigns.results.topic_rows import JudgingProgress
from campaigns.templatetags.counts import count
from campaigns.templatetags.figures import significant


def judgment_text(act: Judgment, label: str) -> SafeString:
    """Grade and label, or what else the assessor did."""
    if act.undo:
        return message(_("undone"))
    if act.grade is None:
        return format_html("{} ({})", _("could not judge"), reason_text(act.reason))
    return format_html("<strong>{}</strong> {}", act.grade, label)


def weight_sentence(why: DocumentExplanation, method: str) -> SafeString:
    """The weight by which a document comes where it does in its queue; `method`: the label of the method."""
    if why.method == "anchor":
        text = _(
            "An anchor: drawn at random over all topics, more likely the higher the runs rank it. It comes "
            "before what the method chooses. The method itself gives it the weight "
            "<strong>%(weight)s</strong>"
        )
    else:
        text = _("%(method)s gives it the weight <strong>%(weight)s</strong>")
    sentence = message(text, method=method, weight=significant(why.weight))
    if why.inclusion is not None:
        drawn = _("it was drawn into the sample with probability %(probability)s")
        sentence = format_html("{}; {}", sentence, drawn % {"probability": significant(why.inclusion)})
    if why.as_of:
        as_of = _("as of log entry %(as_of)s") % {"as_of": group_digits(why.as_of)}
        sentence = joined(sentence, soft(f"({as_of})"))
    return format_html("{}.", sentence)


def judged_figure(work: Work, person: str) -> SafeString:
    """Count a person's judgments, and those without a grade or repeated."""
    figure = format_html(
        '<span data-counted="judgments" data-of="{}">{}</span>', person, group_digits(work.judged)
    )
    if work.refused:
        text = ngettext(
            "%(shown)s of them without a grade", "%(shown)s of them without a grade", work.refused
        )
        figure += soft(f", {text}" % {"shown": group_digits(work.refused)})
    if work.repeats:
        figure += soft(format_html("; {}", count("repeats", work.repeats, person)))
    return figure


def standing_judgment(topic: DocumentInTopic) -> SafeString:
    """The grade that holds of a document in a topic, or its place in the queue."""
    if topic.grade is not None:
        mark = format_html('<span class="grade-mark" data-grade="{0}">{0}</span>', topic.grade)
        return format_html("{} {}", mark, topic.label)
    text = _("not judged")
    if topic.position:
        text = _("not judged; number %(position)s in the queue") % {"position": group_digits(topic.position)}
    return soft(text)


def progress_label(done: JudgingProgress) -> str:
    """Names the count of judgments by what it is compared with."""
    if done.of_budget:
        return _("Judged of the budget")
    return _("Judged of the topics’ minimums") if done.goal else _("Judged documents")
