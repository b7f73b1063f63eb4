"""Duplicate documents in words, and captions of search results."""

from __future__ import annotations

from math import floor

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.collection.search import SearchPage
from campaigns.core.decimals import decimal
from campaigns.core.phrases import group_digits
from campaigns.duplicates.groups import DuplicateFigures
from campaigns.models import TextSignature
from campaigns.models.campaign import JudgmentCopies


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


def copies_sentence(setting: str, copies: int, chosen_by: str) -> str:
    """State how many copied judgments hold, and who chose to copy; `chosen_by` is empty if it was chosen with
    the campaign."""
    if setting == JudgmentCopies.OFF:
        return _("Judgments are not copied to duplicates.")
    if setting == JudgmentCopies.SAME:
        words = ngettext(
            "%(count)s judgment is copied to a document with the same text.",
            "%(count)s judgments are copied to documents with the same text.",
            copies,
        )
    else:
        words = ngettext(
            "%(count)s judgment is copied to a near-duplicate.",
            "%(count)s judgments are copied to near-duplicates.",
            copies,
        )
    copied = words % {"count": group_digits(copies)}
    return " ".join([copied, _("Chosen by %(name)s.") % {"name": chosen_by}]) if chosen_by else copied


def differing_sentence(groups: int) -> str:
    """State where judgments of duplicates differ, so that none is copied; empty if they differ nowhere."""
    if not groups:
        return ""
    words = ngettext(
        "In %(count)s group, judgments of one topic differ, so none of them is copied.",
        "In %(count)s groups, judgments of one topic differ, so none of them is copied.",
        groups,
    )
    return words % {"count": group_digits(groups)}


def similarity_words(signature: TextSignature) -> str:
    """Describe how a document compares with its representative."""
    if signature.same:
        return _("same text")
    # Rounded down: nothing below 1 is shown as 1.
    return _("similarity %(figure)s") % {"figure": decimal(floor(100 * (signature.similarity or 0)) / 100, 2)}


def search_caption(found: SearchPage, column: str = "") -> str:
    """`column`: by which the documents are sorted, if not by relevance."""
    if found.matching == 0:
        return _("Found by docno")
    if found.matching is None and column:
        return _(
            "More than 10,000 documents match; only 10,000 of them are sorted. Add a rarer word to sort all."
        )
    if found.matching is None:
        return _("More than 10,000 documents contain these words; add a rarer word to rank all of them.")
    if column:
        text = ngettext("%(shown)s document matches", "%(shown)s documents match", found.matching)
    else:
        text = ngettext(
            "%(shown)s document contains these words",
            "%(shown)s documents contain these words, the best match first",
            found.matching,
        )
    return text % {"shown": group_digits(found.matching)}
