"""The topics page, and the choice of the method of topics."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext

from campaigns.collection.topics import set_method
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Topic
from campaigns.pages.access import organiser_page
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.setup.methods import (
    OfferedMethod,
    OptionField,
    field_name,
    fields_of,
    label_of,
    offered_methods,
    read_options,
    run_tags,
)
from campaigns.pages.tables import address
from campaigns.pages.topics.actions import remember_undo, undo_of_method, undo_to_offer
from campaigns.pages.topics.table import TopicTable, offered_states, topic_table
from campaigns.people.workload import Workload, workload_of
from campaigns.templatetags.contexts import PageContext, render_page


class MethodForm(PageContext):
    """Form that chooses a method for topics. `options`: of the methods that have any; `wrong_option`: the
    field that was refused."""

    groups: list[tuple[str, list[OfferedMethod]]]
    method: str
    options: list[tuple[OfferedMethod, list[OptionField]]]
    campaign_method: str
    refused: Refusal | None
    wrong_option: str


class TopicsPage(PageContext, template="campaigns/topics/topics.html"):
    part: TopicTable
    form: MethodForm
    states: dict[str, str | Promise]
    people: list[Workload]
    undo: dict[str, str] | None


def _choose_for_some(request: HttpRequest, campaign: Campaign) -> str:
    chosen = list(campaign.topics.filter(number__in=request.POST.getlist("topic")))
    before = undo_of_method(chosen)
    choose_method(request, campaign, chosen)
    remember_undo(request, campaign, served_text(chosen, request.POST.get("method", "")), before)
    return ""


def _table(request: HttpRequest, campaign: Campaign) -> str:
    return address(request, request.path)


@page_with_acts(organiser_page, act=_choose_for_some, back=_table)
def topics(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    """?words= and ?state= filter, ?sort= and ?page= as campaigns/pages/tables.py has it."""
    part = topic_table(request, campaign, reverse("campaigns:topics", args=[campaign.slug]))
    # The live part alone, for the page that asks again every few seconds, and during typing. A refused form
    # needs the whole page.
    if request.method != "POST" and request.headers.get("HX-Request"):
        return _never_as_a_page(render_page(request, part))
    people = [person for person in workload_of(campaign=campaign) if not person.deactivated]
    form, states = method_form(request, campaign, answer, "", {}), offered_states(campaign)
    undo = undo_to_offer(request, campaign)
    return render_page(request, TopicsPage(part, form, states, people, undo))


def _never_as_a_page(part: HttpResponse) -> HttpResponse:
    """Its address is the page's, too: a browser that goes back must not show the part alone."""
    patch_cache_control(part, no_store=True)
    return part


def choose_method(request: HttpRequest, campaign: Campaign, chosen: list[Topic]) -> None:
    """Have the topics served as the form says."""
    method = request.POST.get("method", "")
    if not chosen:
        raise Refusal("no_topic", gettext("choose at least one topic"), field="topic")
    set_method(campaign=campaign, topics=chosen, method=method, options=read_options(request.POST, method))


def served_text(chosen: list[Topic], method: str) -> str:
    served = gettext("by %(method)s") % {"method": label_of(method)} if method else gettext("as the campaign")
    said = ngettext(
        "Topic %(number)s is served %(served)s. Judgments are kept; the queue is computed again.",
        "%(count)s topics are served %(served)s. Judgments are kept; the queues are computed again.",
        len(chosen),
    )
    return said % {"number": chosen[0].number, "count": len(chosen), "served": served}


def method_form(
    request: HttpRequest, campaign: Campaign, answer: Answer, method: str, stored: dict[str, Any]
) -> MethodForm:
    typed = request.POST if request.method == "POST" else None
    runs = run_tags(campaign)
    groups = offered_methods()
    kept = {campaign.method: campaign.options, method: stored}
    options = [
        (one, fields_of(one.name, kept.get(one.name, {}), typed, runs)) for _, of in groups for one in of
    ]
    chosen = method if typed is None else typed.get("method", "")
    wrong = field_name(chosen, answer.refused) if answer.refused else ""
    some = [(one, fields) for one, fields in options if fields]
    return MethodForm(groups, chosen, some, label_of(campaign.method), answer.refused, wrong)
