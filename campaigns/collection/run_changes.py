"""A run's part in its campaign, which may change at any time: whether it proposes documents, whether it
was withdrawn, whose it is. Judgments stay; queues are computed again."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.configuration.methods import check_unnamed, weighs_teams
from campaigns.core.errors import Refusal
from campaigns.core.recompute_queue import reconfigure
from campaigns.log import audit, events
from campaigns.models import Campaign, Judgment, Run
from campaigns.models.campaign import Status
from campaigns.models.judgment import COPIED

LONGEST_GROUP = 200


def withdraw(*, run: Run) -> None:
    """Take the run out of queues, pictures and comparisons. It is kept, scored on, and can come back."""
    with transaction.atomic():
        held = _held(run)
        if held.withdrawn_at is not None:
            raise Refusal("withdrawn", gettext("%(tag)s is withdrawn already") % {"tag": run.tag}, status=409)
        if held.contributes_to_pool:
            _check_dispensable(held)
        _set(held, withdrawn_at=timezone.now())
        audit.note(campaign=held.campaign, kind="run withdrawn", run=held.tag)
        _tell(held)
    run.withdrawn_at = held.withdrawn_at


def reinstate(*, run: Run) -> None:
    with transaction.atomic():
        held = _held(run)
        if held.withdrawn_at is None:
            raise Refusal("not_withdrawn", gettext("%(tag)s is not withdrawn") % {"tag": run.tag}, status=409)
        _set(held, withdrawn_at=None)
        audit.note(campaign=held.campaign, kind="run brought back", run=held.tag)
        _tell(held)
    run.withdrawn_at = None


def set_contributes(*, run: Run, contributes: bool) -> None:
    """Set if the run's documents can be served. The run is scored in any case."""
    with transaction.atomic():
        held = _held(run)
        if held.contributes_to_pool == contributes:
            return
        if held.proposes:
            _check_dispensable(held)
        _set(held, contributes_to_pool=contributes)
        detail = {"run": held.tag, "contributes": contributes}
        audit.note(campaign=held.campaign, kind="run contributes", **detail)
    run.contributes_to_pool = contributes


def set_group(*, run: Run, group: str) -> None:
    group = group.strip()
    check_group(group)
    with transaction.atomic():
        held = _held(run)
        if held.group != group:
            detail = {"run": held.tag, "before": held.group, "group": group}
            audit.note(campaign=held.campaign, kind="run group", **detail)
            held.group = group
            held.save(update_fields=["group"])
            if weighs_teams(held.campaign):
                reconfigure(held.campaign)
            _tell(held)
    run.group = group


def check_group(group: str) -> None:
    if not group.isprintable() or len(group) > LONGEST_GROUP:
        detail = gettext("a group's name has at most %(longest_group)s printable characters") % {
            "longest_group": LONGEST_GROUP
        }
        raise Refusal("bad_group", detail, field="group")


def check_removable(run: Run) -> None:
    """Refuse to remove a run that helped to choose documents: the reason for choosing them would be lost."""
    if _first_served(run) is not None:
        detail = gettext(
            "documents were served for judging while %(tag)s was here, so it stays; withdraw it instead: "
            "it leaves queues and pictures, and can come back"
        ) % {"tag": run.tag}
        raise Refusal("run_has_judgments", detail, status=409)


def _first_served(run: Run) -> Judgment | None:
    served = Judgment.objects.filter(campaign_id=run.campaign_id, created__gte=run.created)
    return served.exclude(method__in=("", COPIED)).first()


def _held(run: Run) -> Run:
    """The row as it is now, in its turn: two changes cannot each take away what the other left."""
    Campaign.objects.select_for_update(no_key=True).get(id=run.campaign_id)
    return Run.objects.select_related("campaign").get(id=run.id)


def _set(run: Run, **values: object) -> None:
    for name, value in values.items():
        setattr(run, name, value)
    run.save(update_fields=list(values))
    reconfigure(run.campaign)


def _tell(run: Run) -> None:
    """Make pages that show all runs read them again."""
    events.publish(campaign=run.campaign_id, events=[("runs", {"run": run.tag})])


def _check_dispensable(run: Run) -> None:
    """Before it stops proposing documents."""
    campaign = run.campaign
    check_unnamed(campaign=campaign, run=run)
    others = campaign.runs.proposing().exclude(id=run.id)
    if campaign.status != Status.DRAFT and not others.exists():
        detail = gettext("%(tag)s is the last contributing run: without it nothing could be served") % {
            "tag": run.tag
        }
        raise Refusal("last_run", detail, status=409)
