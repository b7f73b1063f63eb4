"""Columns of a file by their roles: chosen for one file, and remembered for the next like it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from campaigns.formats.recognition.content import Kind, Recognition
from campaigns.formats.recognition.roles import (
    ROLES,
    ColumnChoice,
    fits,
    folded_title,
    what_is_missing,
)
from campaigns.models import Campaign, Collection

MOST_CHOICES = 50


def choice_of(
    *,
    collection: Collection,
    kind: str,
    chosen: Mapping[str, str] | None = None,
    text_field: str | None = None,
    in_archive: bool = False,
) -> ColumnChoice:
    """The choice for a file of a kind, with those that were made for earlier ones. In an archive, a choice is
    for all files that have its columns. `text_field`: the path of the text of documents, empty for the first
    known name; None for the one that was chosen last."""
    earlier = [row for row in collection.column_choices if row["kind"] == kind]
    known = [row for row in earlier if row["columns"]]
    if chosen and in_archive:
        its = {role: name for role, name in chosen.items() if role in ROLES[kind]}
        choice = ColumnChoice({}, [{"columns": [], "roles": its}, *known] if its else known)
    else:
        choice = ColumnChoice(chosen, known)
    if kind == "documents" and not choice.path:
        paths = (row["roles"]["text"] for row in earlier if not row["columns"])
        choice.path = next(paths, "") if text_field is None else text_field.strip()
    return choice


def kind_by_columns(
    *,
    collection: Collection,
    found: Recognition,
    names: Sequence[str],
    chosen: Mapping[str, str] | None = None,
) -> Kind:
    """The kind of a table whose names of columns do not say it: as a file with the same columns was read
    before, or the one kind that has all the roles of a choice."""
    if found.kind is not Kind.UNKNOWN or not names:
        return found.kind
    for row in collection.column_choices:
        if set(row["columns"]) == set(names):
            return Kind(row["kind"])
    fitting = [
        kind
        for kind, roles in ROLES.items()
        if chosen
        and set(chosen) <= {*roles}
        and fits(chosen, names)
        and not what_is_missing(kind, str(found.layout), names, chosen)
    ]
    return Kind(fitting[0]) if fitting else found.kind


def numbers_by_title(campaign: Campaign) -> dict[str, list[str]]:
    """Numbers of the campaign's topics by what names them: a folded number, or else a folded title. Numbers
    may differ in case alone."""
    by_title: dict[str, list[str]] = {}
    by_number: dict[str, list[str]] = {}
    for number, title in campaign.topics.order_by("id").values_list("number", "title"):
        by_title.setdefault(folded_title(title), []).append(number)
        by_number.setdefault(folded_title(number), []).append(number)
    return by_title | by_number


def remember_choice(*, collection: Collection, kind: str, choice: ColumnChoice) -> None:
    """Store the choice for the next file of these columns, once this one is stored. Where the collection is
    held, as by an import of documents, nothing waits for it, and this choice is made again."""
    rows: list[dict[str, Any]] = []
    if choice.used and choice.names:
        rows.append({"kind": kind, "columns": sorted(choice.names), "roles": choice.used})
    elif kind == "documents" and choice.path:
        rows.append({"kind": kind, "columns": [], "roles": {"text": choice.path}})
    replaced = [row["columns"] for row in rows]
    if kind == "documents" and not choice.path:
        replaced.append([])
    if not replaced:
        return
    with transaction.atomic():
        # Who holds a campaign, as an archive may, would wait for it in a circle.
        free = Collection.objects.select_for_update(no_key=True, skip_locked=True)
        stored = free.filter(id=collection.id).first()
        if stored is None:
            return
        earlier = stored.column_choices
        others = [row for row in earlier if row["kind"] != kind or row["columns"] not in replaced]
        collection.column_choices = [*rows, *others][:MOST_CHOICES]
        if collection.column_choices != earlier:
            collection.save(update_fields=["column_choices"])
