"""States as chips, and labels of states."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from campaigns.core.phrases import group_digits
from campaigns.models import Delivery, LabJob, Webhook
from campaigns.models.participants import SubmissionState
from campaigns.pages.sentences.message import soft
from campaigns.setup.steps import Step, StepState
from campaigns.templatetags.figures import ago, moment


def chip(text: str, look: str = "") -> SafeString:
    """`look`: good, warn, bad or accent."""
    return format_html('<span class="chip{}">{}</span>', f" {look}" if look else "", text)


def job_chip(state: str) -> SafeString:
    """Show the state of a job of the Lab."""
    labels = {
        LabJob.State.WAITING: (pgettext("job", "waiting"), ""),
        LabJob.State.RUNNING: (pgettext("job", "running"), ""),
        LabJob.State.PAUSED: (pgettext("job", "paused"), "warn"),
        LabJob.State.CANCELLED: (pgettext("job", "cancelled"), ""),
        LabJob.State.FAILED: (pgettext("job", "failed"), "bad"),
        LabJob.State.DONE: (pgettext("job", "done"), "good"),
    }
    return chip(*labels[LabJob.State(state)])


def webhook_chip(webhook: Webhook) -> SafeString:
    if webhook.gone:
        return chip(_("off: the receiver wants no more events"), "bad")
    if webhook.unreachable:
        return chip(_("off: nothing arrived for days"), "bad")
    if not webhook.active:
        return chip(pgettext("webhook", "off"))
    if webhook.failing_since:
        return chip(_("failing, first %(since)s") % {"since": ago(webhook.failing_since)}, "bad")
    return chip(pgettext("webhook", "on"), "good")


def delivery_label(delivery: Delivery) -> str:
    if delivery.next_try and delivery.error:
        return _("tried again later")
    return pgettext("delivery", "waits") if waits_for_webhook(delivery) else delivery.get_state_display()


def waits_for_webhook(delivery: Delivery) -> bool:
    """Return True if it is sent once the webhook is switched on. Pings are sent at once."""
    return bool(delivery.next_try) and not delivery.webhook.active and delivery.kind != "ping"


def submission_chip(state: SubmissionState) -> SafeString:
    if state == "contributing":
        return chip(pgettext("run", "contributing"), "good")
    return chip(_("non-contributing") if state == "non-contributing" else pgettext("run", "handed in"))


def handing_in_chip(is_open: bool, has_deadline: bool) -> SafeString:
    if is_open:
        return chip(pgettext("handing in", "open"), "good")
    return chip(_("deadline passed") if has_deadline else _("not open yet"))


def step_label(step: Step) -> str:
    """Name the state of a step of the set-up."""
    match step.state:
        case StepState.DONE:
            return _("done")
        case StepState.TO_DO:
            return _("to do")
        case StepState.PROBLEM:
            return _("a problem")
        case _proposed if step.name in ("collection", "people"):
            return _("optional")
        case _proposed:
            return _("ready") if step.name == "open" else _("default")


def open_topic_mark(*, closed: bool, suggested: bool, complete: bool, judged: int) -> SafeString:
    """In the list of topics that have most left to find."""
    if closed:
        return chip(_("closed"))
    if suggested:
        return chip(_("suggested next"), "accent")
    if not judged:
        return chip(_("not begun"), "accent")
    if complete:
        return chip(_("minimum reached"), "good")
    return soft(_("%(n)s judged") % {"n": group_digits(judged)})


def next_try_text(delivery: Delivery) -> str:
    """State when a delivery is tried again."""
    if waits_for_webhook(delivery):
        return _("once the webhook is switched on")
    return moment(delivery.next_try) if delivery.attempts and delivery.next_try else _("at once")
