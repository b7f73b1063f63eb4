"""Metadata of a collection's documents: which fields there are, and which of them assessors see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.formats.documents.metadata import LONGEST_FIELD_NAME
from campaigns.models import Campaign, Collection, Document

# Names that a collection keeps, in the order in which they first came.
MOST_NAMES = 100
MOST_SHOWN = 8


def note_fields(*, collection: Collection, names: Iterable[str]) -> None:
    """Add the names of an import's fields, so that no choice of fields needs a scan of the documents. The
    caller holds the collection."""
    collection.refresh_from_db(fields=["metadata_fields"])
    known = list(dict.fromkeys([*collection.metadata_fields, *names]))[:MOST_NAMES]
    if known != collection.metadata_fields:
        collection.metadata_fields = known
        collection.save(update_fields=["metadata_fields"])


def field_rows(metadata: Mapping[str, str], names: Sequence[str]) -> list[dict[str, str]]:
    """The document's fields of these names, in their order; those that it lacks are passed over."""
    return [{"name": name, "value": metadata[name]} for name in names if name in metadata]


def all_field_rows(document: Document) -> list[dict[str, str]]:
    """Every field, in the collection's order."""
    return field_rows(
        document.metadata, list(dict.fromkeys([*document.collection.metadata_fields, *document.metadata]))
    )


def offered_fields(campaign: Campaign) -> list[str]:
    """The fields among which an organiser chooses: those that are chosen, then the collection's others."""
    return list(dict.fromkeys([*campaign.shown_fields, *campaign.collection.metadata_fields]))


def check_shown_fields(names: Any, collection: Collection | None) -> None:
    """Refuse what is not a list of up to eight different fields of the collection."""
    known = collection.metadata_fields if collection else []
    detail = ""
    if len(names) > MOST_SHOWN:
        values = {"most": MOST_SHOWN, "many": len(names)}
        detail = gettext("at most %(most)s fields are shown, not %(many)s") % values
    elif len(set(names)) < len(names):
        detail = gettext("a field is shown only once")
    elif unknown := [name for name in names if name not in known]:
        detail = gettext("the documents have no field “%(name)s”") % {"name": unknown[0][:LONGEST_FIELD_NAME]}
    if detail:
        raise Refusal("bad_shown_fields", detail, field="shown_fields")
