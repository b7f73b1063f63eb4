"""The steps of the set-up: the state of each, what it has so far, and the one an organiser was at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_noop, ngettext, pgettext

from campaigns.configuration.methods import reads_documents
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.models import Campaign, Membership, Ranking
from campaigns.models.campaign import Status
from campaigns.models.judgment import LEAST_TRAINING
from campaigns.people.invitations import open_invitations

# In the order in which they are shown; any of them can be done at any time.
STEPS = ("collection", "topics", "runs", "measure", "grades", "judging", "people", "open")
# Those that hold a proposal, or may be left out: looking them over is all they need.
SETTLED_BY_LOOKING = {"collection", "measure", "grades", "judging", "people"}


_TITLES = {
    "collection": gettext_noop("Documents"),
    "topics": gettext_noop("Topics"),
    "runs": gettext_noop("Runs"),
    "measure": gettext_noop("Measure and method"),
    "grades": gettext_noop("Grades"),
    "judging": gettext_noop("Amount and rules of judging"),
    "people": gettext_noop("People"),
}


def title_of(step: str) -> str:
    return pgettext("campaign", "Open") if step == "open" else gettext(_TITLES[step])


class StepState(StrEnum):
    DONE = "done"
    TO_DO = "todo"
    # Has a default, or may be left out: done once an organiser has looked it over.
    PROPOSED = "proposed"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Step:
    """`words`: what the step has so far, or what is wrong with it."""

    name: str
    state: StepState
    words: str

    @property
    def title(self) -> str:
        return title_of(self.name)

    @property
    def next_title(self) -> str:
        return title_of(next_step(self.name))


@dataclass(frozen=True)
class SetupCounts:
    documents: int
    topics: int
    # Topics for which no run has a list.
    unranked: int
    runs: int
    proposing: int
    assessors: int
    invited: int
    training: int


def settle(*, campaign: Campaign, step: str) -> None:
    """Note that an organiser has looked the step over."""
    _refuse_unknown(step)
    if step not in SETTLED_BY_LOOKING:
        return
    with transaction.atomic():
        locked = Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        if step not in locked.settled:
            locked.settled = [*locked.settled, step]
            locked.save(update_fields=["settled"])
    campaign.settled = locked.settled


def remember(*, campaign: Campaign, user: User, step: str) -> None:
    """Store this organiser's step, so that the set-up opens there the next time."""
    _refuse_unknown(step)
    Membership.objects.filter(campaign=campaign, user=user).update(setup_step=step)


def _refuse_unknown(step: str) -> None:
    if step not in STEPS:
        raise Refusal("unknown_step", gettext("there is no step “%(step)s”") % {"step": step}, status=404)


def next_step(step: str) -> str:
    """The step that comes next; the last one comes after itself."""
    return STEPS[min(STEPS.index(step) + 1, len(STEPS) - 1)]


def current_step(*, campaign: Campaign, user: User, steps: list[Step]) -> str:
    """The step to begin with: where the organiser was, else the first that is not done."""
    if campaign.status != Status.DRAFT:
        return "open"
    last_step = (
        Membership.objects.filter(campaign=campaign, user=user).values_list("setup_step", flat=True).first()
    )
    if last_step in STEPS:
        return str(last_step)
    return next(step.name for step in steps if step.state is not StepState.DONE)


def is_ready(steps: list[Step]) -> bool:
    """True if a draft could be opened while steps are left to look over."""
    *others, last = steps
    return last.state is StepState.PROPOSED and any(step.state is not StepState.DONE for step in others)


def steps_of(*, campaign: Campaign) -> list[Step]:
    counts = counts_of(campaign)
    states = [(name, *_STATE_AND_WORDS[name](campaign, counts)) for name in STEPS[:-1]]
    steps = [Step(name, _state(campaign, name, state), words) for name, state, words in states]
    return [*steps, Step("open", *_open(campaign, counts, steps))]


def counts_of(campaign: Campaign) -> SetupCounts:
    # By their ids: a join would walk over the runs of all campaigns, once for each topic.
    ranking = list(campaign.runs.taking_part().values_list("id", flat=True))
    has_list = Exists(Ranking.objects.filter(topic=OuterRef("pk"), run__in=ranking))
    topics = campaign.topics.order_by().aggregate(
        all=Count("pk"),
        unranked=Count("pk", filter=~has_list),
    )
    runs = campaign.runs.taking_part().aggregate(
        all=Count("pk"), proposing=Count("pk", filter=Q(contributes_to_pool=True))
    )
    return SetupCounts(
        documents=campaign.collection.documents.count(),
        topics=topics["all"],
        unranked=topics["unranked"],
        runs=runs["all"],
        proposing=runs["proposing"],
        assessors=campaign.memberships.filter(role=Membership.Role.ASSESSOR).count(),
        invited=open_invitations(campaign=campaign).filter(role=Membership.Role.ASSESSOR).count(),
        training=campaign.training_items.count(),
    )


StateAndWords = tuple[StepState, str]


def _state(campaign: Campaign, name: str, state: StepState) -> StepState:
    """State of a step: a proposal is done once an organiser has looked it over, or the campaign was opened
    with it."""
    settled = name in campaign.settled or campaign.status != Status.DRAFT
    return StepState.DONE if state is StepState.PROPOSED and settled else state


def _collection(campaign: Campaign, counts: SetupCounts) -> StateAndWords:
    count = {"count": group_digits(counts.documents)}
    if campaign.collection.complete:
        words = ngettext("%(count)s document", "%(count)s documents", counts.documents)
        return StepState.DONE, words % count
    if counts.documents:
        words = ngettext("%(count)s docno, no text", "%(count)s docnos, no texts", counts.documents)
        return StepState.PROPOSED, words % count
    return StepState.PROPOSED, gettext("none yet; can be left out")


def _topics(campaign: Campaign, counts: SetupCounts) -> StateAndWords:
    if not counts.topics:
        return StepState.TO_DO, gettext("none yet")
    words = ngettext("%(count)s topic", "%(count)s topics", counts.topics)
    return StepState.DONE, words % {"count": group_digits(counts.topics)}


def _runs(campaign: Campaign, counts: SetupCounts) -> StateAndWords:
    if not counts.runs:
        return StepState.TO_DO, gettext("none yet")
    if not counts.proposing:
        return StepState.PROBLEM, gettext("no contributing run: nothing will be judged")
    runs = ngettext("%(count)s run", "%(count)s runs", counts.runs) % {"count": group_digits(counts.runs)}
    if counts.unranked:
        words = ngettext(
            "%(runs)s; one topic is in none of them, so nothing can be judged there",
            "%(runs)s; %(count)s topics are in none of them, so nothing can be judged there",
            counts.unranked,
        )
        return StepState.PROBLEM, words % {"runs": runs, "count": group_digits(counts.unranked)}
    if counts.runs == 1:
        return StepState.DONE, gettext("one run; a comparison takes two")
    return StepState.DONE, runs


def _measure(campaign: Campaign, counts: SetupCounts) -> StateAndWords:
    chosen = f"{campaign.measure}, {campaign.get_method_display()}"
    if (counts.topics or counts.documents) and (lacks := reads_documents(campaign, campaign.method)):
        return StepState.PROBLEM, gettext("%(chosen)s; missing: %(lacks)s") % {
            "chosen": chosen,
            "lacks": lacks,
        }
    return StepState.PROPOSED, chosen


def _grades(campaign: Campaign, counts: SetupCounts) -> StateAndWords:
    return StepState.PROPOSED, " · ".join(f"{row['grade']} {row['label']}" for row in campaign.grades)


def _judging(campaign: Campaign, counts: SetupCounts) -> StateAndWords:
    missing = LEAST_TRAINING - counts.training
    if campaign.training_required and missing > 0:
        words = ngettext(
            "training is required, and lacks one item",
            "training is required, and lacks %(count)s items",
            missing,
        )
        return StepState.PROBLEM, words % {"count": missing}
    least = gettext("at least %(count)s judgments per topic") % {
        "count": group_digits(campaign.min_judgments)
    }
    budget = gettext("no budget limit")
    if campaign.budget is not None:
        budget = gettext("%(count)s in all") % {"count": group_digits(campaign.budget)}
    due = f" · {_due(campaign.due_at)}" if campaign.due_at is not None else ""
    return StepState.PROPOSED, f"{least} · {budget}{due}"


def _due(at: datetime) -> str:
    day = date_format(timezone.localtime(at), pgettext("date", "j F"))
    return gettext("due %(day)s") % {"day": day}


def _people(campaign: Campaign, counts: SetupCounts) -> StateAndWords:
    if not counts.assessors and not counts.invited:
        return StepState.PROPOSED, gettext("no assessor yet; organisers can judge, too")
    assessors = ngettext("%(count)s assessor", "%(count)s assessors", counts.assessors)
    invited = ngettext("%(count)s invited", "%(count)s invited", counts.invited)
    counted = [(assessors, counts.assessors), (invited, counts.invited)]
    return StepState.DONE, ", ".join(
        words % {"count": group_digits(count)} for words, count in counted if count
    )


def _open(campaign: Campaign, counts: SetupCounts, steps: list[Step]) -> StateAndWords:
    if campaign.status != Status.DRAFT:
        return StepState.DONE, campaign.get_status_display()
    blocking = {step.name for step in steps if step.state is StepState.PROBLEM} & {"measure", "judging"}
    if blocking or not counts.topics or not counts.proposing:
        return StepState.TO_DO, gettext("something is missing")
    return StepState.PROPOSED, gettext("everything is there")


_STATE_AND_WORDS: dict[str, Callable[[Campaign, SetupCounts], StateAndWords]] = {
    "collection": _collection,
    "topics": _topics,
    "runs": _runs,
    "measure": _measure,
    "grades": _grades,
    "judging": _judging,
    "people": _people,
}
