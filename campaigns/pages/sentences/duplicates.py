"""Duplicates in words."""

from __future__ import annotations

from math import floor

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core.decimals import decimal
from campaigns.core.phrases import group_digits
from campaigns.duplicates.groups import DuplicateFigures
from campaigns.models import TextSignature


def duplicates_sentence(figures: DuplicateFigures) -> str:
    """State how many documents duplicate others."""
    if not figures.compared:
        return _("The worker is still comparing texts.")
    if not figures.documents:
        return _("No document duplicates another.")
    documents = ngettext(
        "%(count)s document duplicates another", "%(count)s documents duplicate others", figures.documents
    )
    groups = ngettext("in %(count)s group.", "in %(count)s groups.", figures.groups)
    return (
        f"{documents % {'count': group_digits(figures.documents)}} "
        f"{groups % {'count': group_digits(figures.groups)}}"
    )


def similarity_words(signature: TextSignature) -> str:
    """Describe how a document compares with its representative."""
    if signature.same:
        return _("same text")
    # Rounded down: nothing below 1 is shown as 1.
    return _("similarity %(figure)s") % {"figure": decimal(floor(100 * (signature.similarity or 0)) / 100, 2)}
