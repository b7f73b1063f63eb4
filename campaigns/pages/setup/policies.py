"""What each policy does, in the words of the pages."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from campaigns.models.campaign import Policy

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
