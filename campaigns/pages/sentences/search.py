"""Captions of search results."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.collection.search import SearchPage
from campaigns.core.phrases import group_digits


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
