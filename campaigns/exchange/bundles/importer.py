"""Import a bundle: the identical campaign, or nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import numpy as np
from django.contrib.auth.models import User
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import Model
from numpy.typing import NDArray
from psycopg2 import sql
from psycopg2.extras import execute_values

from campaigns.collection.documents import copy_chunks, metadata_json
from campaigns.collection.rankings import DocnoOrder
from campaigns.collection.search_index import note_texts
from campaigns.configuration.methods import LARGEST, REMOVED_OPTIONS, complete_options, contributing_flags
from campaigns.configuration.own_judgments import check_own_judgments
from campaigns.configuration.scale import check_relevant_from
from campaigns.core.errors import Refusal
from campaigns.core.recompute_queue import request_recompute
from campaigns.exchange.bundles.reader import Bundle, NameResolver, read_settings
from campaigns.exchange.bundles.row_rules import (
    RowSurroundings,
    check_body,
    check_row,
    wrong_reference,
    wrong_revision,
)
from campaigns.exchange.bundles.signatures import own_key
from campaigns.exchange.bundles.tables import (
    PEOPLE_ENTRY,
    RUN_COUNTS,
    SETTINGS_ENTRY,
    TABLES,
    TEXTS_ENTRY,
    CountProgress,
    Table,
    columns_of,
    from_json,
    run_counts,
)
from campaigns.formats.documents.reading import read_contents
from campaigns.formats.errors import FormatError, LineError, Notices
from campaigns.formats.topics import DocumentRecord
from campaigns.log.audit import note
from campaigns.models import Campaign, Collection, Document, LogHead, Membership, Topic
from campaigns.models.campaign import Status
from campaigns.people.accounts import free_name, valid_name
from campaigns.setup.campaigns import RESERVED_SLUGS, free_collection_name, methods_of
from campaigns.setup.settings import CAMPAIGN_SETTINGS, check_settings
from campaigns.topic_order.releases import check_order

# Stored at once; rows of packed columns may be megabytes each.
READ_ROWS, READ_BYTES = 500, 4 << 20
# Documents without a text have no HTML either: a file can bring both.
_COPY = (
    "COPY campaigns_document (id, collection_id, docno, title, body, content_type, metadata, revision%s)"
    " FROM STDIN"
)


_COLUMNS = ("docno", "title", "body", "content_type", "metadata", "revision")


def insert(model: type[Model], rows: Sequence[dict[str, Any]]) -> None:
    """Every column as it is given: what Django would fill in by itself is part of the bundle."""
    if not rows:
        return
    columns = [column for column in model._meta.concrete_fields if column.attname in rows[0]]
    values = [[c.get_db_prep_save(row[c.attname], connection) for c in columns] for row in rows]
    # Names of the model, not of the file.
    names = sql.SQL(", ").join(sql.Identifier(column.column) for column in columns)
    statement = sql.SQL("INSERT INTO {} ({}) VALUES %s").format(sql.Identifier(model._meta.db_table), names)
    with connection.cursor() as cursor, connection.wrap_database_errors:
        execute_values(cursor.cursor, statement, values, page_size=READ_ROWS)


def store_bundle_documents(
    bundle: Bundle,
    collection: Collection,
    progress: CountProgress,
    notices: Notices | None = None,
) -> tuple[NDArray[np.int64], int]:
    """All documents, at the distances from each other at which they lay. Returns their numbers, and how far
    each document's id is from its number; the collection keeps that as its origin."""
    first, last = _ends(bundle)
    shift = _reserve(last - first + 1) - first if last else 0
    collection.origin = shift
    collection.save(update_fields=["origin"])
    numbers = np.empty(bundle.rows[TEXTS_ENTRY], dtype=np.int64)
    count = 0

    def rows() -> Iterator[tuple[str, ...]]:
        nonlocal count
        documents = _documents(bundle)
        for number, *words in _with_html(documents, notices) if bundle.texts else documents:
            numbers[count] = number
            count += 1
            yield str(number + shift), str(collection.id), *words

    with connection.cursor() as cursor:
        for chunk, size in copy_chunks(rows()):
            with connection.wrap_database_errors:
                cursor.copy_expert(_COPY % (", html" if bundle.texts else ""), chunk)
            progress(size)
    if last and bundle.texts:
        note_texts(collection=collection, first=first + shift, last=last + shift)
    return numbers[:count], shift


def _documents(bundle: Bundle) -> Iterator[tuple[Any, ...]]:
    carried = columns_of(Document)
    columns = {name: carried[name] for name in _COLUMNS}
    optional = {"metadata", "revision"} if bundle.texts else {"revision"}
    wanted = {"number", *columns} - optional if bundle.texts else {"number", "docno", "sha256"}
    before = 0
    for line, row in enumerate(bundle.lines(TEXTS_ENTRY), start=1):
        if set(row) - optional != wanted:
            bundle.refuse(TEXTS_ENTRY, f"a document has {', '.join(sorted(wanted))}", line=line)
        number = row["number"]
        if type(number) is not int or not before < number <= LARGEST:
            bundle.refuse(TEXTS_ENTRY, "numbers ascend from 1", line=line, field="number")
        before = number
        found = {}
        try:
            for name, column in columns.items():
                found[name] = from_json(column, row[name]) if name in row else column.get_default()
            name = "body"
            check_body(found["body"], found["content_type"])
        except ValueError as error:
            bundle.refuse(TEXTS_ENTRY, f"{name}: {error}", line=line, field=name)
        metadata, revision = metadata_json(found.pop("metadata")), str(found.pop("revision"))
        yield number, *found.values(), metadata, revision


def _with_html(documents: Iterable[tuple[Any, ...]], notices: Notices | None) -> Iterator[tuple[Any, ...]]:
    unread = deque[tuple[str, str]]()

    def records() -> Iterator[DocumentRecord]:
        for number, docno, title, body, content_type, *others in documents:
            unread.append((others[0], others[1]))
            yield DocumentRecord(docno, title, body, content_type, number)

    for read in read_contents(records(), notices=notices):
        yield (
            *(read.line, read.docno, read.title, read.body, read.content_type),
            *(*unread.popleft(), read.html or ""),
        )


def _ends(bundle: Bundle) -> tuple[int, int]:
    first = last = 0
    for number, *_ in _documents(bundle):
        first, last = first or number, number
    return first, last


def _reserve(many: int) -> int:
    """The first of so many ids in a row, which no other upload gets. Uploads wait for it a moment, since one
    that is under way may take any id."""
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE campaigns_document IN SHARE ROW EXCLUSIVE MODE")
        cursor.execute("SELECT nextval(pg_get_serial_sequence('campaigns_document', 'id'))")
        first = int(cursor.fetchone()[0])
        if first + many > LARGEST:
            raise Refusal("too_many_documents", "this database has no room for so many documents", status=409)
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence('campaigns_document', 'id'), %s)", [first + many - 1]
        )
    return first


# Tables whose rows are known to the outside by an id of their own.
UUID_TABLES = {
    table.name: table for table in TABLES if table.model._meta.pk.get_internal_type() == "UUIDField"
}


def import_bundle(
    *,
    bundle: Bundle,
    slug: str = "",
    organiser: User | None = None,
    trusted: bool = False,
    progress: CountProgress = lambda rows: None,
    notices: Notices | None = None,
) -> Campaign:
    """Make the campaign that the bundle holds, which `open_bundle` has checked; with anything wrong in it,
    nothing. `organiser` organises it besides those that it had. People keep their accounts if `trusted`, or
    if this very site signed the bundle; otherwise all get new ones, which admit no one: a file
    from elsewhere does not speak in a person's name."""
    trusted = (trusted or bundle.public_key == own_key()) and not bundle.pseudonyms
    try:
        with transaction.atomic():
            settings = read_settings(bundle)
            slug = _free_slug(bundle, settings["campaign"], slug)
            people = _people(bundle, "" if trusted else f"@{slug}")
            owner = organiser.id if organiser else _first_organiser(bundle, people)
            campaign = _campaign(bundle, settings, slug, owner)
            numbers, shift = store_bundle_documents(bundle, campaign.collection, progress, notices)
            known = NameResolver(people, numbers, shift, _fresh(bundle, slug))
            for table in TABLES:
                _store(bundle, table, campaign, known, progress)
                known.learn(table, campaign.id)
            dropped = _drop_options(campaign)
            _finish(bundle, campaign, organiser)
            note(
                campaign=campaign,
                kind="bundle imported",
                file=PurePath(bundle.name).name,
                signed_by=bundle.public_key,
                **({"dropped": dropped} if dropped else {}),
            )
            request_recompute(campaign.id)
    except (IntegrityError, DataError) as error:
        detail = f"what it holds contradicts itself: {str(error).splitlines()[0]}"
        raise FormatError(bundle.name, [LineError(None, detail)]) from error
    campaign.refresh_from_db()
    return campaign


def _free_slug(bundle: Bundle, settings: dict[str, Any], wished: str) -> str:
    column = Campaign._meta.get_field("slug")
    try:
        slug = str(from_json(column, wished or settings["slug"]))
    except ValueError as error:
        raise Refusal("bad_slug", str(error), field="slug") from None
    if slug in RESERVED_SLUGS or Campaign.objects.filter(slug=slug).exists():
        detail = f"the address “{slug}” is taken: give the copy another one"
        raise Refusal("slug_taken", detail, field="slug", status=409)
    return slug


def _people(bundle: Bundle, behind: str) -> dict[str, int]:
    """Accounts by the names in the bundle, made where there are none. A new one admits no one, so letters of
    several scripts do no harm; one that differs from another in case alone gets a number."""
    column = User._meta.get_field("username")
    names: dict[str, str] = {}
    for line, row in enumerate(bundle.lines(PEOPLE_ENTRY), start=1):
        try:
            name = from_json(column, row.get("name"))
            names[name] = from_json(column, f"{name}{behind}")
        except ValueError as error:
            bundle.refuse(PEOPLE_ENTRY, str(error), line=line, field="name")
    found = dict(User.objects.filter(username__in=names.values()).values_list("username", "id"))
    if behind and found:
        detail = f"there is an account “{next(iter(found))}” already: give the copy another address"
        raise Refusal("user_exists", detail, field="slug", status=409)
    for name in names.values():
        if name not in found:
            found[name] = User.objects.create_user(username=free_name(valid_name(name))).id
    return {name: found[account] for name, account in names.items()}


def _first_organiser(bundle: Bundle, people: dict[str, int]) -> int:
    members = bundle.lines("members.jsonl")
    names = [row.get("user") for row in members if row.get("role") == Membership.Role.ORGANISER]
    found = [people[name] for name in names if isinstance(name, str) and name in people]
    if not found:
        bundle.refuse("members.jsonl", "the campaign has no organiser")
    return found[0]


def _campaign(bundle: Bundle, settings: dict[str, dict[str, Any]], slug: str, owner: int) -> Campaign:
    # The copy of an archived campaign is there to be worked on.
    values = settings["campaign"] | {"slug": slug, "archived_at": None}
    _check_settings(bundle, values)
    its = settings["collection"]
    name = free_collection_name(its["name"])
    begun = dict.fromkeys(("origin", "indexed_until", "compared_until", "texts_until", "unread_until"), 0)
    here = {"name": name, "owner_id": owner, "column_choices": [], **begun}
    insert(Collection, [_whole(Collection, its | here)])
    collection = Collection.objects.get(name=name)
    insert(Campaign, [_whole(Campaign, values | {"collection_id": collection.id})])
    return Campaign.objects.select_related("collection").get(slug=slug)


def _whole(model: Any, values: dict[str, Any]) -> dict[str, Any]:
    columns = [column for column in model._meta.concrete_fields if not column.primary_key]
    return {c.attname: values.get(c.attname, c.get_default()) for c in columns}


def _check_settings(bundle: Bundle, values: dict[str, Any]) -> None:
    try:
        check_settings({name: values[name] for name in CAMPAIGN_SETTINGS if name in values})
        check_relevant_from(values.get("relevant_from"), values["grades"])
    except Refusal as refused:
        bundle.refuse(SETTINGS_ENTRY, f"campaign.{refused.field}: {refused.detail}", field=refused.field)
    _check_topic_order(bundle, values)


def _check_topic_order(bundle: Bundle, values: dict[str, Any]) -> None:
    order = {name: values[f"topic_{name}"] for name in ("method", "options") if f"topic_{name}" in values}
    try:
        check_order(**order, ahead=values.get("topics_ahead", 0))
    except Refusal as refused:
        field = "topics_ahead" if refused.field == "ahead" else f"topic_{refused.field}"
        bundle.refuse(SETTINGS_ENTRY, f"campaign.{field}: {refused.detail}", field=field)


def _fresh(bundle: Bundle, slug: str) -> UUID | None:
    """Acts keep their ids, unless one of them is in use here: beside the original, a copy's are its own."""
    for table in UUID_TABLES.values():
        ids = _ids(bundle, table)
        while some := list(islice(ids, READ_ROWS)):
            if table.model._default_manager.filter(pk__in=some).exists():
                return uuid5(NAMESPACE_URL, slug)
    return None


def _ids(bundle: Bundle, table: Table) -> Iterator[UUID]:
    for line, row in enumerate(bundle.lines(table.entry), start=1):
        try:
            yield from_json(table.model._meta.pk, row.get("id"))
        except ValueError as error:
            bundle.refuse(table.entry, f"id: {error}", line=line, field="id")


def _store(
    bundle: Bundle, table: Table, campaign: Campaign, known: NameResolver, progress: CountProgress
) -> None:
    done = 0
    for some in _batches(_rows(bundle, table, campaign, known)):
        try:
            with transaction.atomic():
                insert(table.model, some)
        except (IntegrityError, DataError):
            _refuse_row(bundle, table, some, done)
            raise
        done += len(some)
        progress(len(some))


def _refuse_row(bundle: Bundle, table: Table, rows: Sequence[dict[str, Any]], before: int) -> None:
    """Name the first of some rows, of which the database has refused one."""
    for line, row in enumerate(rows, start=before + 1):
        try:
            with transaction.atomic():
                insert(table.model, [row])
        except (IntegrityError, DataError) as error:
            reason = str(error).splitlines()[0]
            bundle.refuse(table.entry, f"it contradicts itself or a row before it: {reason}", line=line)


def _batches(rows: Iterator[tuple[dict[str, Any], int]]) -> Iterator[list[dict[str, Any]]]:
    some: list[dict[str, Any]] = []
    size = 0
    for row, more in rows:
        some.append(row)
        size += more
        if len(some) == READ_ROWS or size > READ_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


def _rows(
    bundle: Bundle, table: Table, campaign: Campaign, known: NameResolver
) -> Iterator[tuple[dict[str, Any], int]]:
    """Each row as its table has it, and its bytes in the file."""
    among = RowSurroundings(
        campaign,
        bundle.rows["judgments.jsonl"],
        known.revisions,
        dict(campaign.runs.values_list("id", "score_precision")),
        DocnoOrder(campaign.collection_id),
    )
    for line, (given, size) in enumerate(bundle.sized_lines(table.entry), start=1):
        try:
            row = known.row(table, given)
            if table.owner == "campaign":
                row["campaign_id"] = campaign.id
            check_row(table, row, line, among)
        except ValueError as error:
            bundle.refuse(table.entry, str(error), line=line)
        yield row, size


def _finish(bundle: Bundle, campaign: Campaign, organiser: User | None) -> None:
    if wrong := wrong_reference(campaign):
        table, line, column = wrong
        detail = f"{column}: it names no act of this assessor on the document in this campaign"
        if column == "copied_from":
            detail = f"{column}: it names no act of this assessor on another document of the topic"
        bundle.refuse(f"{table}.jsonl", detail, line=line, field=column)
    if revised := wrong_revision(campaign):
        table, column = revised
        detail = f"{column}: it names a text that the document never had"
        bundle.refuse(f"{table}.jsonl", detail, field=column)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    _check_run_counts(bundle, campaign)
    _check_methods(bundle, campaign)
    if campaign.exclusions.exists() and not campaign.exclusion_changes:
        bundle.refuse(SETTINGS_ENTRY, "campaign.exclusion_changes: 0, although assessors are excluded")
    LogHead.objects.create(
        campaign=campaign, length=campaign.judgments.count(), accepting=campaign.status == Status.OPEN
    )
    if organiser is not None:
        Membership.objects.update_or_create(
            user=organiser, campaign=campaign, defaults={"role": Membership.Role.ORGANISER}
        )


def _check_run_counts(bundle: Bundle, campaign: Campaign) -> None:
    """Each run has the lists that it had; bundles of older versions do not say how many."""
    found = run_counts(campaign)
    for line, row in enumerate(bundle.lines("runs.jsonl"), start=1):
        for name in RUN_COUNTS:
            count = found.get(row["tag"], {}).get(name, 0)
            if name in row and (type(row[name]) is not int or row[name] != count):
                detail = f"{name}: {row[name]!r:.60}, and rankings.jsonl has {count:,}"
                bundle.refuse("runs.jsonl", detail, line=line, field=name)


def _drop_options(campaign: Campaign) -> list[str]:
    """Options that methods no longer have, out of the campaign's and its topics'; their names."""
    dropped: set[str] = set()
    rows: list[Campaign | Topic] = [campaign, *campaign.topics.exclude(options={})]
    for row in rows:
        if found := set(REMOVED_OPTIONS) & set(row.options):
            row.options = {name: value for name, value in row.options.items() if name not in found}
            row.save(update_fields=["options"])
            dropped |= found
    return sorted(dropped)


def dropped_options(campaign: Campaign) -> list[str]:
    """Options that a bundle held but methods no longer have, of a campaign imported from it."""
    deed = campaign.deeds.filter(kind="bundle imported").order_by("id").last()
    return list(deed.detail.get("dropped", [])) if deed else []


def _check_methods(bundle: Bundle, campaign: Campaign) -> None:
    runs = contributing_flags(campaign)
    _check_method(bundle, SETTINGS_ENTRY, "campaign", campaign, runs)
    try:
        check_own_judgments(
            judgment_copies=campaign.judgment_copies,
            field="judgment_copies",
            methods=methods_of(campaign),
            anchors=campaign.anchors,
            overlap_share=campaign.overlap_share,
        )
    except Refusal as refused:
        bundle.refuse(SETTINGS_ENTRY, f"campaign.{refused.field}: {refused.detail}", field=refused.field)
    for topic in campaign.topics.filter(method="").exclude(options={})[:1]:
        bundle.refuse("topics.jsonl", f"topic {topic.number}.options: it has no method of its own")
    for topic in campaign.topics.exclude(method=""):
        _check_method(bundle, "topics.jsonl", f"topic {topic.number}", topic, runs)


def _check_method(bundle: Bundle, entry: str, name: str, row: Campaign | Topic, runs: Sequence[bool]) -> None:
    try:
        # Options that came with later versions are missing from older bundles.
        complete = complete_options(row.method, row.options, runs=runs)
    except Refusal as refused:
        bundle.refuse(entry, f"{name}.{refused.field}: {refused.detail}", field=refused.field)
    if complete != complete | row.options:
        bundle.refuse(entry, f"{name}.options: a value is of another type", field="options")
