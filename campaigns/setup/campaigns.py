"""A campaign: its name and address, its settings, and its opening, pausing and closing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext, ngettext

from campaigns.collection.metadata import check_shown_fields
from campaigns.collection.topics import begin_samples
from campaigns.computing.samples import drop_outdated_samples
from campaigns.configuration.measures import canonical_measures
from campaigns.configuration.methods import complete_options, contributing_flags, reads_documents
from campaigns.configuration.own_judgments import check_own_judgments
from campaigns.configuration.scale import check_relevant_from
from campaigns.core import actors
from campaigns.core.errors import Refusal
from campaigns.core.phrases import join_words
from campaigns.core.recompute_queue import reconfigure, request_recompute
from campaigns.duplicates.judgment_copies import propagate
from campaigns.log import audit, events
from campaigns.log.archived import check_not_archived
from campaigns.models import Anchor, Campaign, Collection, LogHead, Membership, Sample
from campaigns.models.campaign import (
    RANDOM_METHODS,
    JudgmentCopies,
    Method,
    Status,
    three_grades,
)
from campaigns.models.judgment import LEAST_TRAINING
from campaigns.quality.training import missing_items
from campaigns.setup.concurrent_edits import JOINT_SETTINGS, own_changes
from campaigns.setup.settings import SCORING_SETTINGS, SERVING_SETTINGS, check_settings

LONGEST_SLUG = 80
# Where the name has no letter that addresses know.
USUAL_SLUG = "campaign"
RESERVED_SLUGS = {"new"}
# Those that decide which judgments are copied: whether any are, and which grade a document has.
COPYING_SETTINGS = {"judgment_copies", "policy", "grades"}
_STATUS_EVENTS = {Status.OPEN: "opened", Status.PAUSED: "paused", Status.CLOSED: "closed"}


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
    check_settings({"name": name})
    slug = slug or slug_of(name)
    if slug in RESERVED_SLUGS:
        raise Refusal(
            "slug_taken",
            gettext("“%(slug)s” is an address of the site itself") % {"slug": slug},
            field="slug",
            status=409,
        )
    values = {"method": Method.C, "options": {}, "grades": three_grades(), "relevant_from": None, **settings}
    check_settings(values)
    values |= _as_stored(values)
    values["options"] = complete_options(values["method"], values["options"])
    _check_anchors(values["method"], values.get("anchors", 0))
    check_own_judgments(
        judgment_copies=values.get("judgment_copies", JudgmentCopies.OFF),
        field="judgment_copies",
        methods=[values["method"]],
        anchors=values.get("anchors", 0),
        overlap_share=values.get("overlap_share", 0.0),
    )
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
    check_settings(settings)
    settings |= _as_stored(settings)
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
    """Check the changes against the settings that stay, and against the judgments."""
    if "grades" in changed:
        _keep_used_grades(campaign, changed["grades"])
    if {"grades", "relevant_from"} & set(changed):
        grades = changed.get("grades", campaign.grades)
        check_relevant_from(changed.get("relevant_from", campaign.relevant_from), grades)
    if "shown_fields" in changed:
        check_shown_fields(changed["shown_fields"], campaign.collection)
    if {"anchors", "method"} & set(changed):
        drawn = campaign.anchors and Anchor.objects.filter(topic__campaign=campaign).exists()
        if drawn and "anchors" in changed:
            detail = gettext("the anchors are drawn, and stay as they are")
            raise Refusal("anchors_drawn", detail, field="anchors", status=409)
        if not drawn:
            field = "anchors" if "anchors" in changed else "method"
            method, anchors = (changed.get(one, getattr(campaign, one)) for one in ("method", "anchors"))
            _check_anchors(method, anchors, field)
    _check_copies(campaign, changed)
    if "seed" in changed and campaign.status != Status.DRAFT:
        raise Refusal(
            "seed_fixed", gettext("the seed stays once a campaign was open"), field="seed", status=409
        )
    if changed.get("training_required") and campaign.status != Status.DRAFT:
        _check_training(campaign)


# In the order in which a change of several is refused.
_COPY_SETTINGS = ("judgment_copies", "method", "anchors", "overlap_share")


def _check_copies(campaign: Campaign, changed: Mapping[str, Any]) -> None:
    field = next((name for name in _COPY_SETTINGS if name in changed), "")
    if not field:
        return
    after = {name: changed.get(name, getattr(campaign, name)) for name in _COPY_SETTINGS}
    check_own_judgments(
        judgment_copies=after["judgment_copies"],
        field=field,
        methods={after["method"], *_own_methods(campaign)},
        anchors=after["anchors"],
        overlap_share=after["overlap_share"],
        sampled=Sample.objects.filter(topic__campaign=campaign).exists(),
    )


def _check_anchors(method: str, anchors: int, field: str = "anchors") -> None:
    if anchors and method in RANDOM_METHODS:
        detail = gettext("%(method)s serves a random sample, which anchors would disturb: choose 0 anchors")
        raise Refusal("bad_anchors", detail % {"method": Method(method).label}, field=field)


def _store(campaign: Campaign, changed: dict[str, Any]) -> None:
    if not changed:
        return
    if changed.get("method") == Method.SAMPLE:
        begin_samples(campaign=campaign, topics=campaign.topics.filter(method=""))
    changes = {name: [getattr(campaign, name), value] for name, value in changed.items()}
    for name, value in changed.items():
        setattr(campaign, name, value)
    campaign.save(update_fields=list(changed))
    if (SCORING_SETTINGS | SERVING_SETTINGS) & set(changed):
        reconfigure(campaign)
    if COPYING_SETTINGS & set(changed):
        propagate(campaign=campaign.id)
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


def _as_stored(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as the form shows them, so that saving it changes nothing: the due date without seconds,
    measures by their usual names."""
    stored: dict[str, Any] = {}
    if (due := settings.get("due_at")) is not None:
        stored["due_at"] = due.replace(second=0, microsecond=0)
    if "measures" in settings:
        stored["measures"] = canonical_measures(settings["measures"])
    return stored


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
class OpeningObstacle:
    """Obstacle to opening a campaign, and the step of the set-up that removes it."""

    words: str
    step: str


def missing_to_open(campaign: Campaign) -> list[str]:
    """Obstacles to opening a campaign, in words."""
    return [lack.words for lack in lacks_of(campaign)]


def lacks_of(campaign: Campaign) -> list[OpeningObstacle]:
    lacks = []
    if not campaign.topics.exists():
        lacks.append(OpeningObstacle(gettext("topics"), "topics"))
    if not campaign.runs.proposing().exists():
        lacks.append(OpeningObstacle(gettext("a run that contributes to the pool"), "runs"))
    if campaign.training_required and (items := missing_items(campaign)):
        said = ngettext("one more training item", "%(count)s more training items", items)
        lacks.append(OpeningObstacle(said % {"count": items}, "judging"))
    for method in sorted(methods_of(campaign)):
        if words := reads_documents(campaign, method):
            lacks.append(OpeningObstacle(words, "measure"))
    return lacks


def methods_of(campaign: Campaign) -> set[str]:
    """Methods that serve at least one topic, or would serve the next to come."""
    return {campaign.method, *_own_methods(campaign)}


def _own_methods(campaign: Campaign) -> set[str]:
    return set(campaign.topics.exclude(method="").order_by().values_list("method", flat=True).distinct())


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
