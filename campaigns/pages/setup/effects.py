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
            "Changing p rescores every run and rebuilds every queue. Bounds will jump; "
            "earlier figures are not comparable."
        ),
    ),
    (
        "method .",
        gettext_lazy("Changing the method rebuilds every queue. Samples already drawn stay unchanged."),
    ),
    (
        "score_precision",
        gettext_lazy("Score precision: applies to runs uploaded from now on. The others keep their order."),
    ),
    (
        "anchors",
        gettext_lazy(
            "Anchors: drawn within seconds, once, and judged before other documents of their topics."
        ),
    ),
    ("scope batch", gettext_lazy("Changing scope or batch rebuilds every queue. Scores do not change.")),
    (
        "scale grade label gain key",
        gettext_lazy(
            "Changing the scale: judgments keep their grades, and other gains rescore every "
            "run. A grade already given cannot be removed."
        ),
    ),
    (
        "relevant_from",
        gettext_lazy(
            "Changing the lowest relevant grade counts relevant documents again and rebuilds every queue."
        ),
    ),
    (
        "unjudged_not_relevant",
        gettext_lazy(
            "Unjudged documents: scores, score ranges and predictions are computed again. Judgments, qrels "
            "and queues stay as they are."
        ),
    ),
    (
        "min_judgments",
        gettext_lazy(
            "New minimum: assessors can be done with a topic after this many judgments. Topics they "
            "are done with stay so."
        ),
    ),
    (
        "policy",
        gettext_lazy(
            "Changing the aggregation policy keeps all judgments. Where assessors disagree, "
            "grades change, and with them scores, queues and qrels."
        ),
    ),
    (
        "budget",
        gettext_lazy("New budget: progress is measured against it. It does not stop anyone from judging."),
    ),
    (
        "due_at",
        gettext_lazy(
            "New due date: assessors see it at once, and reminders go by it. It does not stop anyone from "
            "judging."
        ),
    ),
    (
        "topic_choice",
        gettext_lazy(
            "The new way to get topics applies from each assessor’s next document. With "
            "assigned topics only, assessors cannot continue in other topics."
        ),
    ),
    (
        "training_required",
        gettext_lazy("Training: who has not trained is asked to do so before their next document."),
    ),
    (
        "development_required",
        gettext_lazy(
            "Topic development: where a description or narrative is missing, an assessor "
            "writes it before judging on."
        ),
    ),
    (
        "assessors_close",
        gettext_lazy("Closing: whether assessors may close a topic for all changes at once."),
    ),
    (
        "search_judging",
        gettext_lazy("Search: applies at once. Documents judged after a search keep their judgments."),
    ),
    (
        "shown_fields",
        gettext_lazy("Fields under the title: from the next document that is fetched."),
    ),
    (
        "overlap_share overlap_assessors repeat_share",
        gettext_lazy("Agreement: applies from the next document on, and also for documents judged before."),
    ),
    (
        "note_on_disagreement",
        gettext_lazy("Note on disagreement: asked for from the next judgment on."),
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
        gettext_lazy("The adjudicated grade, otherwise the latest one."),
    ),
    (Policy.LATEST, gettext_lazy("latest"), gettext_lazy("The latest grade by any assessor.")),
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
        "The {count} log entry made so far stays.", "All {count} log entries made so far stay.", count
    )
    stay = words.format(count=f"{count:,}") if count else gettext("Nothing has been judged so far.")
    return {"effects": SETTING_EFFECTS, "stay": stay}
