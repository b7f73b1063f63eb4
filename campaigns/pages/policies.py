"""What each policy does, in the words of the pages."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from campaigns.models.campaign import Policy

POLICIES = [
    (Policy.ADJUDICATED, _("adjudicated"), _("What was decided in adjudication, else the latest grade.")),
    (Policy.LATEST, _("latest"), _("The grade given last, whoever gave it.")),
    (Policy.MAJORITY, _("majority"), _("The grade given most often; of several such, the one given last.")),
    (Policy.MEAN, _("mean"), _("The mean of all grades, rounded to the scale; half-way up.")),
]
