"""A new campaign with the settings of another one."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from campaigns.collection import assignments
from campaigns.collection.topics import set_method, store_topics
from campaigns.configuration.methods import RUN_OPTIONS
from campaigns.formats.topic_texts.fields import TopicRecord, fields_of_rows
from campaigns.log import audit
from campaigns.models import Campaign, Topic
from campaigns.models.campaign import RANDOM_METHODS
from campaigns.people.members import add_member
from campaigns.setup.campaigns import create
from campaigns.setup.examples import copy_examples
from campaigns.setup.settings import SETTINGS
from campaigns.topic_order.method_input import options_of
from campaigns.topic_order.releases import set_order


def copy_settings(
    *,
    campaign: Campaign,
    organiser: User,
    name: str,
    slug: str = "",
    people: bool = False,
    topics: bool = False,
) -> Campaign:
    """Make a draft on the same documents with the same settings, guidelines, grades, method and topic order.
    `people`: with the same roles; `topics`: with the same topics and their methods; both: with assignments.
    Examples of the guidelines come along, those of one topic only with it. Never copied: the due date,
    runs, judgments, training, teams, invitations, webhooks. Options that name a run are left out."""
    settings = {one.name: getattr(campaign, one.name) for one in SETTINGS if one.copied}
    settings["options"] = _without_runs(campaign.options)
    if campaign.method in RANDOM_METHODS:
        # The method was chosen after the anchors were drawn.
        settings["anchors"] = 0
    with transaction.atomic():
        copy = create(organiser=organiser, name=name, slug=slug, collection=campaign.collection, **settings)
        if topics:
            _copy_topics(campaign, copy, organiser)
        set_order(
            campaign=copy,
            method=campaign.topic_method,
            options=options_of(campaign),
            ahead=campaign.topics_ahead,
            first=campaign.topics_first if topics else [],
        )
        if people:
            _copy_people(campaign, copy)
        if people and topics:
            _copy_assignments(campaign, copy, organiser)
        examples_left = copy_examples(source=campaign, copy=copy)
        audit.note(campaign=copy, kind="settings copied", source=campaign.name, examples_left=examples_left)
    return copy


def _without_runs(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in RUN_OPTIONS}


def _copy_topics(campaign: Campaign, copy: Campaign, organiser: User) -> None:
    rows = list(campaign.topics.order_by("position"))
    if not rows:
        return
    records = [
        TopicRecord(
            one.number,
            one.title,
            one.description,
            one.narrative,
            further_fields=fields_of_rows(one.further_fields),
        )
        for one in rows
    ]
    store_topics(campaign=copy, user=organiser, records=records)
    served: defaultdict[str, list[Topic]] = defaultdict(list)
    for one in rows:
        served[repr((one.method, one.options))].append(one)
    for some in served.values():
        if some[0].method:
            chosen = copy.topics.filter(number__in=[one.number for one in some])
            options = _without_runs(some[0].options)
            set_method(campaign=copy, topics=list(chosen), method=some[0].method, options=options)


def _copy_people(campaign: Campaign, copy: Campaign) -> None:
    others = campaign.memberships.filter(user__is_active=True)
    others = others.exclude(user__in=copy.memberships.values("user")).order_by("id")
    for username, role in others.values_list("user__username", "role"):
        add_member(campaign=copy, username=username, role=role)


def _copy_assignments(campaign: Campaign, copy: Campaign, organiser: User) -> None:
    members = set(copy.memberships.values_list("user__username", flat=True))
    numbers = dict(campaign.topics.values_list("id", "number"))
    given: defaultdict[str, list[str]] = defaultdict(list)
    for topic, names in assignments.assignees_by_topic(campaign=campaign).items():
        for name in names:
            given[name].append(numbers[topic])
    for name in sorted(members & set(given)):
        chosen = list(copy.topics.filter(number__in=given[name]))
        assignments.assign(campaign=copy, topics=chosen, username=name, organiser=organiser)
