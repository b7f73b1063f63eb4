"""What a change of settings does to a campaign that has been open, and what each aggregation policy does."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_lazy, ngettext

from campaigns.log.judgments import length_of
from campaigns.models import Campaign
from campaigns.models.campaign import Policy, Status

# The form's fields, any of which has the effect; "." stands for every option of a method.
SETTING_EFFECTS = [
    (
        "p",
        gettext_lazy(
            "Another p: every run is scored anew by it and every queue is made anew. The intervals jump, and "
            "figures from before cannot be compared with those after."
        ),
    ),
    (
        "method .",
        gettext_lazy("Another method: the queues are made anew. Samples that were drawn stay as they are."),
    ),
    ("scope batch", gettext_lazy("Scope and batch: the queues are made anew; scores do not change.")),
    (
        "scale grade label gain key",
        gettext_lazy(
            "Another scale: judgments keep their grade, and with other gains every run is scored anew. A "
            "grade that was given cannot be left out."
        ),
    ),
    (
        "relevant_from",
        gettext_lazy("Relevant from another grade: relevant documents are counted and queues made anew."),
    ),
    (
        "min_judgments",
        gettext_lazy("Another minimum: from it on, assessors can close a topic. Closed topics stay closed."),
    ),
    (
        "policy",
        gettext_lazy(
            "Whose grade counts: judgments stay; where people differ, grades change, and by them scores, "
            "queues and qrels."
        ),
    ),
    ("budget", gettext_lazy("Another budget: progress is measured by it. Nobody is kept from judging on.")),
    (
        "topic_choice",
        gettext_lazy(
            "How assessors come to topics: holds from their next document on. With assigned topics only, "
            "whoever is at work in another one cannot go on there."
        ),
    ),
    (
        "training_required",
        gettext_lazy("Training: who has not trained is asked to do so before their next document."),
    ),
    (
        "development_required",
        gettext_lazy("Topics written out: where words are missing, somebody writes them before judging on."),
    ),
    (
        "overlap_share overlap_assessors repeat_share",
        gettext_lazy("Agreement: holds from the next document on, and also for documents judged before."),
    ),
    (
        "guidelines",
        gettext_lazy("Guidelines: shown from now on. The history keeps the earlier ones, too."),
    ),
]

POLICIES = [
    (
        Policy.ADJUDICATED,
        gettext_lazy("adjudicated"),
        gettext_lazy("What was decided in adjudication, else the latest grade."),
    ),
    (Policy.LATEST, gettext_lazy("latest"), gettext_lazy("The grade given last, whoever gave it.")),
    (
        Policy.MAJORITY,
        gettext_lazy("majority"),
        gettext_lazy("The grade given most often; of several such, the one given last."),
    ),
    (
        Policy.MEAN,
        gettext_lazy("mean"),
        gettext_lazy("The mean of all grades, rounded to the scale; half-way up."),
    ),
]


def effects_of(campaign: Campaign | None) -> dict[str, Any]:
    """For the form; nothing in a draft, in which nothing has been judged by its settings yet."""
    if campaign is None or campaign.status == Status.DRAFT:
        return {"effects": []}
    count = length_of(campaign=campaign)
    words = ngettext(
        "The {count} judgment made so far stays.", "All {count} judgments made so far stay.", count
    )
    stay = words.format(count=f"{count:,}") if count else gettext("Nothing has been judged so far.")
    return {"effects": SETTING_EFFECTS, "stay": stay}
