"""A campaign: its name and address, its settings, and its opening, pausing and closing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext, ngettext

from campaigns.collection.metadata import check_shown_fields
from campaigns.computing.samples import drop_outdated_samples
from campaigns.core import actors
from campaigns.core.errors import Refusal
from campaigns.core.jobs import reconfigure, request_recompute
from campaigns.core.methods import LARGEST, complete_options, contributing_flags, reads_documents
from campaigns.core.phrases import join_words
from campaigns.core.scale import check_grades, check_relevant_from
from campaigns.log import audit, events
from campaigns.log.archived import check_not_archived
from campaigns.models import Anchor, Campaign, Collection, LogHead, Membership
from campaigns.models.campaign import (
    ANCHOR_COUNTS,
    Method,
    Policy,
    ScoreFloats,
    Status,
    TopicChoice,
    three_grades,
)
from campaigns.models.judgment import LEAST_TRAINING
from campaigns.quality.flags import FLAG_SETTINGS
from campaigns.quality.training import missing_items
from campaigns.setup.concurrent_edits import JOINT_SETTINGS, own_changes

LONGEST_SLUG = 80
# Where the name has no letter that addresses know.
USUAL_SLUG = "campaign"
# Line ends would end a mail's subject; what turns the direction of writing makes one name look like another.
_NOT_SHOWN = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

# What may be set when a campaign is made and changed afterwards; slug and collection stay, and the seed
# stays from the first opening on.
CAMPAIGN_SETTINGS = (
    "name",
    "guidelines",
    "p",
    "score_precision",
    "method",
    "options",
    "scope",
    "batch",
    "anchors",
    "grades",
    "relevant_from",
    "unjudged_not_relevant",
    "min_judgments",
    "budget",
    "due_at",
    "topic_choice",
    "training_required",
    "development_required",
    "assessors_close",
    "search_judging",
    "shown_fields",
    "overlap_share",
    "overlap_assessors",
    "repeat_share",
    "note_on_disagreement",
    "policy",
    *FLAG_SETTINGS,
    "seed",
)
LARGEST_REPEAT_SHARE = 0.5
MOST_ASSESSORS = 20
LONGEST_SECONDS = 3600
# Years far from these are slips, and some of them are no date in every time zone.
FIRST_YEAR, LAST_YEAR = 2000, 2199
RESERVED_SLUGS = {"new"}
# Those on which the kernels' results depend.
CONFIGURATION_SETTINGS = {
    "p",
    "method",
    "options",
    "scope",
    "batch",
    "anchors",
    "grades",
    "relevant_from",
    "unjudged_not_relevant",
    "policy",
    "seed",
}

_STATUS_EVENTS = {Status.OPEN: "opened", Status.PAUSED: "paused", Status.CLOSED: "closed"}


def check_campaign_name(name: str) -> None:
    if _NOT_SHOWN.search(name):
        raise Refusal("bad_name", gettext("it contains characters that cannot be shown"), field="name")
    if not any(character.isalnum() for character in name):
        raise Refusal("bad_name", gettext("the name needs a letter or a digit"), field="name")


def slug_of(name: str) -> str:
    """Made of the name; of one in another script, a free one that is easily typed."""
    slug = slugify(name)[:LONGEST_SLUG].strip("-")
    return slug or _free_slug()


def _free_slug() -> str:
    taken = set(Campaign.objects.filter(slug__startswith=USUAL_SLUG).values_list("slug", flat=True))
    numbered = (f"{USUAL_SLUG}-{number}" for number in range(2, len(taken) + 3))
    return next(slug for slug in (USUAL_SLUG, *numbered) if slug not in taken)


def create(
    *, organiser: User, name: str, slug: str = "", collection: Collection | None = None, **settings: Any
) -> Campaign:
    """A draft with its organiser, an empty log and, unless one is given, a collection of its own."""
    check_campaign_name(name)
    slug = slug or slug_of(name)
    if slug in RESERVED_SLUGS:
        raise Refusal(
            "slug_taken",
            gettext("“%(slug)s” is an address of the site itself") % {"slug": slug},
            field="slug",
            status=409,
        )
    values = {"method": Method.C, "options": {}, "grades": three_grades(), "relevant_from": None, **settings}
    _check(values)
    values |= _to_the_minute(values)
    values["options"] = complete_options(values["method"], values["options"])
    check_relevant_from(values["relevant_from"], values["grades"])
    check_shown_fields(values.get("shown_fields", []), collection)
    try:
        with transaction.atomic():
            if collection is None:
                collection = Collection.objects.create(name=free_collection_name(name), owner=organiser)
            campaign = Campaign.objects.create(name=name, slug=slug, collection=collection, **values)
            LogHead.objects.create(campaign=campaign)
            Membership.objects.create(user=organiser, campaign=campaign, role=Membership.Role.ORGANISER)
            said = {"method": campaign.method, "p": campaign.p, "collection": collection.name}
            audit.note(campaign=campaign, kind="created", name=name, **said)
    except IntegrityError as error:
        detail = gettext("there is a campaign with the address “%(slug)s” already") % {"slug": slug}
        raise Refusal("slug_taken", detail, field="slug", status=409) from error
    return campaign


def free_collection_name(name: str) -> str:
    # Room for a number behind it.
    name = name[:180]
    taken = set(Collection.objects.filter(name__startswith=name).values_list("name", flat=True))
    candidates = (name if number == 1 else f"{name} ({number})" for number in range(1, len(taken) + 2))
    return next(candidate for candidate in candidates if candidate not in taken)


def change_settings(
    *, campaign: Campaign, seen: Mapping[str, Any] | None = None, **settings: Any
) -> Campaign:
    """Change settings at any time. Judgments stay; queues and intervals are computed again. Another method
    starts with its own options. `seen`: what the writer saw before; what they left as it was stays as it is
    now, and what another organiser changed since is not overwritten."""
    _check(settings)
    settings |= _to_the_minute(settings)
    with transaction.atomic():
        campaign.refresh_from_db(from_queryset=Campaign.objects.select_for_update(no_key=True))
        if set(JOINT_SETTINGS) & set(settings):
            settings |= _method(campaign, settings)
        if seen is not None:
            settings = own_changes(campaign=campaign, settings=settings, seen=seen)
        changed = {name: value for name, value in settings.items() if getattr(campaign, name) != value}
        _check_changed(campaign, changed)
        _store(campaign, changed)
    return campaign


def _check_changed(campaign: Campaign, changed: dict[str, Any]) -> None:
    """Whether what is to change goes with what stays, and with what has been judged."""
    if "grades" in changed:
        _keep_used_grades(campaign, changed["grades"])
    if {"grades", "relevant_from"} & set(changed):
        grades = changed.get("grades", campaign.grades)
        check_relevant_from(changed.get("relevant_from", campaign.relevant_from), grades)
    if "shown_fields" in changed:
        check_shown_fields(changed["shown_fields"], campaign.collection)
    if "anchors" in changed and campaign.anchors and Anchor.objects.filter(topic__campaign=campaign).exists():
        detail = gettext("the anchors are drawn, and stay as they are")
        raise Refusal("anchors_drawn", detail, field="anchors", status=409)
    if "seed" in changed and campaign.status != Status.DRAFT:
        raise Refusal(
            "seed_fixed", gettext("the seed stays once a campaign was open"), field="seed", status=409
        )
    if changed.get("training_required") and campaign.status != Status.DRAFT:
        _check_training(campaign)


def _store(campaign: Campaign, changed: dict[str, Any]) -> None:
    if not changed:
        return
    changes = {name: [getattr(campaign, name), value] for name, value in changed.items()}
    for name, value in changed.items():
        setattr(campaign, name, value)
    campaign.save(update_fields=list(changed))
    if CONFIGURATION_SETTINGS & set(changed):
        reconfigure(campaign)
    audit.note(campaign=campaign, kind="settings", changes=changes)
    message = {"by": actors.actor().name, "names": sorted(changed)}
    events.publish(campaign=campaign.id, events=[("settings", message)])


def _check_training(campaign: Campaign) -> None:
    lacks = missing_items(campaign)
    if lacks:
        detail = gettext(
            "training takes %(least_training)s items at least: %(lacks)s more must be made first"
        ) % {"least_training": LEAST_TRAINING, "lacks": lacks}
        raise Refusal("incomplete", detail, field="training_required", status=409)


def _method(campaign: Campaign, settings: dict[str, Any]) -> dict[str, Any]:
    method = settings.get("method", campaign.method)
    kept = campaign.options if method == campaign.method else {}
    runs = contributing_flags(campaign)
    options = complete_options(method, settings.get("options", kept), runs=runs)
    # An option that is newer than the campaign is no change while it stands at its default.
    if method == campaign.method and options == complete_options(method, kept, runs=runs):
        options = kept
    lacks = reads_documents(campaign, method)
    if lacks and campaign.status != Status.DRAFT:
        raise Refusal(
            "incomplete",
            gettext("the campaign lacks %(lacks)s") % {"lacks": lacks},
            field="method",
            status=409,
        )
    return {"method": method, "options": options}


def _check(settings: dict[str, Any]) -> None:
    unknown = set(settings) - set(CAMPAIGN_SETTINGS)
    if unknown:
        raise Refusal(
            "unknown_setting", gettext("no such setting: %(names)s") % {"names": ", ".join(sorted(unknown))}
        )
    if "name" in settings:
        check_campaign_name(settings["name"])
    if "p" in settings and not 0 < settings["p"] < 1:
        raise Refusal(
            "bad_p", gettext("p lies between 0 and 1, not at %(p)s") % {"p": f"{settings['p']:g}"}, field="p"
        )
    if "score_precision" in settings and settings["score_precision"] not in ScoreFloats.values:
        detail = gettext("scores are compared as floats of 64 or 32 bits, not %(bits)s")
        bits = {"bits": settings["score_precision"]}
        raise Refusal("bad_score_precision", detail % bits, field="score_precision")
    if "batch" in settings and settings["batch"] < 1:
        raise Refusal("bad_batch", gettext("a batch has at least one judgment"), field="batch")
    if "anchors" in settings and settings["anchors"] not in ANCHOR_COUNTS:
        there = ", ".join(map(str, ANCHOR_COUNTS))
        detail = gettext("there are %(there)s anchors, not %(anchors)s")
        raise Refusal(
            "bad_anchors", detail % {"there": there, "anchors": settings["anchors"]}, field="anchors"
        )
    if "grades" in settings:
        check_grades(settings["grades"])
    if "topic_choice" in settings and settings["topic_choice"] not in TopicChoice.values:
        wrong = gettext("%(topic_choice)s is no way to come to topics") % {
            "topic_choice": settings["topic_choice"]
        }
        raise Refusal("bad_topic_choice", wrong, field="topic_choice")
    if "policy" in settings and settings["policy"] not in Policy.values:
        detail = gettext("%(policy)s is no policy for grades") % {"policy": settings["policy"]}
        raise Refusal("bad_policy", detail, field="policy")
    _check_sharing(settings)
    _check_flags(settings)
    _check_due(settings)
    if "seed" in settings and not 0 <= settings["seed"] <= LARGEST:
        raise Refusal(
            "bad_seed",
            gettext("a seed is a whole number from 0 to %(largest)s") % {"largest": LARGEST},
            field="seed",
        )


def _check_due(settings: dict[str, Any]) -> None:
    due = settings.get("due_at")
    if due is not None and not FIRST_YEAR <= due.year <= LAST_YEAR:
        years = {"first": FIRST_YEAR, "last": LAST_YEAR}
        detail = gettext("a due date lies in the years %(first)s to %(last)s") % years
        raise Refusal("bad_due_at", detail, field="due_at")


def _to_the_minute(settings: dict[str, Any]) -> dict[str, Any]:
    """The due date as the form’s field shows it: saving the form must not count seconds as a change."""
    due = settings.get("due_at")
    return {"due_at": due.replace(second=0, microsecond=0)} if due is not None else {}


def _check_sharing(settings: dict[str, Any]) -> None:
    for name, most in (("overlap_share", 1.0), ("repeat_share", LARGEST_REPEAT_SHARE)):
        if name in settings and not 0 <= settings[name] <= most:
            detail = gettext("a share lies between 0 and %(most)s, not at %(share)s") % {
                "most": f"{most:g}",
                "share": f"{settings[name]:g}",
            }
            raise Refusal("bad_share", detail, field=name)
    people = settings.get("overlap_assessors", 2)
    if not 2 <= people <= MOST_ASSESSORS:
        detail = gettext("from 2 to %(most_assessors)s people can judge a document, not %(people)s") % {
            "most_assessors": MOST_ASSESSORS,
            "people": people,
        }
        raise Refusal("bad_overlap_assessors", detail, field="overlap_assessors")


def _check_flags(settings: dict[str, Any]) -> None:
    for name, most in (("judgments", LARGEST), ("seconds", LONGEST_SECONDS), ("grades", 1), ("unread", 1)):
        value = settings.get(f"flag_{name}", 0)
        if not 0 <= value <= most:
            detail = gettext("a threshold for flags lies between 0 and %(most)s, not at %(value)s") % {
                "most": f"{most:g}" if most < LARGEST else most,
                "value": f"{value:g}",
            }
            raise Refusal("bad_flag", detail, field=f"flag_{name}")


def _keep_used_grades(campaign: Campaign, grades: list[dict[str, Any]]) -> None:
    used = campaign.judgments.filter(grade__gte=0).exclude(grade__in=[row["grade"] for row in grades])
    given = used.order_by("grade").values_list("grade", flat=True).distinct()
    if given:
        named = ", ".join(map(str, given))
        raise Refusal(
            "grade_in_use",
            gettext("there are judgments of grade %(named)s") % {"named": named},
            field="grades",
            status=409,
        )
    named_in = (
        (campaign.training_items, gettext("training expects grade %(grade)s of %(docno)s")),
        (campaign.guideline_examples, gettext("the guidelines’ example %(docno)s has grade %(grade)s")),
    )
    for items, words in named_in:
        expected = items.exclude(grade__in=[row["grade"] for row in grades])
        for grade, docno in expected.values_list("grade", "document__docno")[:1]:
            detail = words % {"grade": grade, "docno": docno}
            raise Refusal("grade_in_use", detail, field="grades", status=409)


@dataclass(frozen=True)
class Lack:
    """What a campaign lacks before it can be judged, and the step of the set-up that mends it."""

    words: str
    step: str


def missing_to_open(campaign: Campaign) -> list[str]:
    """What a campaign still lacks before it can be judged, in words."""
    return [lack.words for lack in lacks_of(campaign)]


def lacks_of(campaign: Campaign) -> list[Lack]:
    lacks = []
    if not campaign.topics.exists():
        lacks.append(Lack(gettext("topics"), "topics"))
    if not campaign.runs.proposing().exists():
        lacks.append(Lack(gettext("a run that contributes to the pool"), "runs"))
    if campaign.training_required and (items := missing_items(campaign)):
        said = ngettext("one more training item", "%(count)s more training items", items)
        lacks.append(Lack(said % {"count": items}, "judging"))
    for method in sorted(methods_of(campaign)):
        if words := reads_documents(campaign, method):
            lacks.append(Lack(words, "measure"))
    return lacks


def methods_of(campaign: Campaign) -> set[str]:
    """Those that serve at least one topic, or would serve the next to come."""
    own = campaign.topics.exclude(method="").order_by().values_list("method", flat=True).distinct()
    return {campaign.method, *own}


def open_campaign(*, campaign: Campaign) -> None:
    lacks = missing_to_open(campaign)
    if lacks:
        raise Refusal(
            "incomplete",
            gettext("before it opens, the campaign needs %(lacks)s") % {"lacks": join_words(lacks)},
            status=409,
        )
    with transaction.atomic():
        draft = Campaign.objects.select_for_update(no_key=True).filter(id=campaign.id, status=Status.DRAFT)
        if draft.first() is not None:
            drop_outdated_samples(campaign=campaign)
        _move(campaign, Status.OPEN)


def pause(*, campaign: Campaign) -> None:
    if campaign.status != Status.OPEN:
        raise Refusal(
            "campaign_not_open",
            gettext("“%(name)s” is %(status)s, not open")
            % {"name": campaign.name, "status": campaign.get_status_display()},
            status=409,
        )
    _move(campaign, Status.PAUSED)


def close(*, campaign: Campaign) -> None:
    if campaign.status == Status.DRAFT:
        raise Refusal(
            "campaign_not_open", gettext("“%(name)s” was never open") % {"name": campaign.name}, status=409
        )
    _move(campaign, Status.CLOSED)


def _move(campaign: Campaign, status: Status) -> None:
    with transaction.atomic():
        # The log's lock: no judgment is half-way in while the status changes.
        LogHead.objects.filter(campaign=campaign).update(accepting=status == Status.OPEN)
        before, campaign.status = campaign.status, status
        # Another organiser may have archived it meanwhile.
        if not Campaign.objects.filter(id=campaign.id, archived_at=None).update(status=status):
            campaign.refresh_from_db(fields=["archived_at"])
            check_not_archived(campaign)
        if status != before:
            audit.note(campaign=campaign, kind=_STATUS_EVENTS[status], before=before)
        events.publish(campaign=campaign.id, events=[("status", {"campaign": status})])
        request_recompute(campaign.id)
