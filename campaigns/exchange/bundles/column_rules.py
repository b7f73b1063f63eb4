"""Rules for the columns of a bundle, by the checks of the functions that write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db.models import Field, Model
from django.utils import timezone

from campaigns.collection.access import check_language, check_url_template
from campaigns.collection.metadata import MOST_NAMES, MOST_SHOWN, check_shown_fields
from campaigns.collection.run_changes import check_group
from campaigns.core.errors import Refusal
from campaigns.formats.content_types import is_content_type
from campaigns.formats.documents.metadata import LONGEST_FIELD_NAME, is_metadata
from campaigns.formats.errors import (
    DOCUMENT_BYTES,
    TEXT_BYTES,
    TOPICS_BYTES,
    check_name,
    what_is_wrong_with_name,
)
from campaigns.formats.topic_texts.fields import are_fields
from campaigns.log.annotations import check_note, check_stored_passages
from campaigns.models import (
    Anchor,
    Annotation,
    Campaign,
    Collection,
    Deed,
    Document,
    DocumentRevision,
    Exclusion,
    GuidelineExample,
    Judgment,
    Membership,
    Postponement,
    QrelsImport,
    Ranking,
    Repeat,
    Run,
    Sample,
    Topic,
    TopicAssignment,
    TopicDraw,
    TopicRevision,
    TrainingAnswer,
    TrainingItem,
)
from campaigns.models.campaign import Method
from campaigns.models.judgment import ANCHOR, COPIED, PROBE, REASONS, SEARCHED
from campaigns.quality import training
from campaigns.setup import examples
from campaigns.setup.setting_checks import FIRST_YEAR, LAST_YEAR, check_campaign_name
from campaigns.setup.settings import CAMPAIGN_SETTINGS
from campaigns.setup.steps import STEPS
from campaigns.topic_order.releases import MOST_FIRST

if TYPE_CHECKING:
    AnyField = Field[Any, Any]
else:
    AnyField = Field

# Raises ValueError or Refusal for a value, of the column's type, that no write path stores.
Rule = Callable[[Any], object]

_CONTROL = re.compile("[\0-\x1f\x7f]")
_SHA256 = re.compile("[0-9a-f]{64}|")
LONGEST_FILE, MOST_NOTICES, LONGEST_NOTICE = 4096, 1000, 10_000


def _as_typed(value: Any) -> None:
    """The type says all, or the row is checked as a whole."""


def _text(most: int, value: str) -> None:
    if len(value) > most:
        raise ValueError(f"is longer than {most:,} characters")


def _line(most: int, value: str) -> None:
    _text(most, value)
    if found := _CONTROL.search(value):
        raise ValueError(f"holds the control character {found[0]!r}")


def _stated(most: int, value: str) -> None:
    _text(most, value)
    if not value.strip():
        raise ValueError("is empty")


def _between(least: float, most: float, value: float) -> None:
    if not least <= value <= most:
        raise ValueError(f"{value:g} lies outside {least:g} to {most:g}")


def _chance(value: float) -> None:
    if not 0 < value <= 1:
        raise ValueError(f"{value:g}: a probability is above 0 and at most 1")


def _one_of(known: tuple[str, ...], value: str) -> None:
    if value not in known:
        raise ValueError(f"{value[:40]!r} is none of: {', '.join(filter(None, known))}")


def _names(most: int, value: list[Any]) -> None:
    if len(value) > most or not all(
        isinstance(one, str) and 0 < len(one) <= LONGEST_FIELD_NAME for one in value
    ):
        raise ValueError(f"a list of at most {most} names")
    if len(set(value)) < len(value):
        raise ValueError("a name is there twice")


def _made_here(value: Any) -> None:
    raise ValueError("safe HTML is made where it is shown")


def _shown_fields(value: list[Any]) -> None:
    # The documents that had them may have been removed.
    _names(MOST_SHOWN, value)
    check_shown_fields(value, Collection(metadata_fields=value))


def _steps(value: list[Any]) -> None:
    if not all(step in STEPS for step in value):
        raise ValueError(f"steps of the set-up are {', '.join(STEPS)}")


def _topic_numbers(value: list[Any]) -> None:
    # A topic that has gone since may stand there.
    if len(value) > MOST_FIRST:
        raise ValueError(f"more than {MOST_FIRST:,} topics")
    for number in value:
        if not isinstance(number, str) or what_is_wrong_with_name("topic", number):
            raise ValueError(f"{number!r:.60} is no topic's number")


def _topic_or_none(value: str) -> None:
    if value:
        check_name("topic", value)


def _address(value: str) -> None:
    check_url_template(value)
    if value != value.strip():
        raise ValueError("blanks around an address")


def _content_type(value: str) -> None:
    if not is_content_type(value):
        raise ValueError(f"{value[:60]!r} is not like text/plain")


def _metadata(value: Any) -> None:
    if not is_metadata(value):
        raise ValueError("short texts by their names")


def _topic_fields(value: Any) -> None:
    if not are_fields(value):
        raise ValueError("a list of objects with a “name” and a “value”")


def _release_reason(value: dict[str, Any]) -> None:
    for name, said in value.items():
        wanted = str if name in ("how", "method") else int | float | None
        if not isinstance(said, wanted) or isinstance(said, bool) or len(str(said)) > 100:
            raise ValueError(f"{name[:40]!r} has another value: {str(said)[:40]!r}")


def _notices(value: list[Any]) -> None:
    if len(value) > MOST_NOTICES or not all(map(_is_notice, value)):
        raise ValueError("each notice has a “what”, a “count” and a “detail”")


def _act_detail(value: dict[str, Any]) -> None:
    """Pages search by these, as `campaigns.log.audit.note` names them."""
    for name in ("topic", "person", "file"):
        if not isinstance(value.get(name, ""), str):
            raise ValueError(f"{name} is no text")
    topics = value.get("topics", [])
    if not isinstance(topics, list | int) or (
        isinstance(topics, list) and not all(isinstance(one, str) for one in topics)
    ):
        raise ValueError("topics: a list of their numbers")


def _is_notice(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and set(row) == {"what", "count", "detail"}
        and type(row["count"]) is int
        and all(
            isinstance(row[name], str) and len(row[name]) <= LONGEST_NOTICE for name in ("what", "detail")
        )
    )


def _sha256(value: str) -> None:
    if not _SHA256.fullmatch(value):
        raise ValueError("64 hexadecimal digits, or nothing")


_FROM_1 = partial(_between, 1, 2**31 - 1)
_METHODS = ("", *Method.values, SEARCHED, ANCHOR, PROBE)
_METHOD = partial(_one_of, _METHODS)
_REASON = partial(_one_of, ("", *REASONS))
_TOPIC_TEXT: Mapping[str, Rule] = {
    **dict.fromkeys(("title", "description", "narrative"), partial(_text, TOPICS_BYTES)),
    "further_fields": _topic_fields,
}

_DOCUMENT_TEXT: dict[str, Rule] = {
    "title": partial(_text, TEXT_BYTES),
    # As base64.
    "body": partial(_text, DOCUMENT_BYTES * 4 // 3 + 4),
    "content_type": _content_type,
    "metadata": _metadata,
}

# Of every column but those whose type leaves no room: foreign keys, dates, choices, yes or no, UUID. What a
# row or a campaign says as a whole is checked by the importer.
RULES: Mapping[type[Model], Mapping[str, Rule]] = {
    Campaign: {
        **dict.fromkeys(CAMPAIGN_SETTINGS, _as_typed),
        **dict.fromkeys(("slug", "topic_method", "topic_options", "topics_ahead"), _as_typed),
        **dict.fromkeys(("configuration", "exclusion_changes"), _as_typed),
        "name": partial(check_campaign_name, "name"),
        "shown_fields": _shown_fields,
        "settled": _steps,
        "topics_first": _topic_numbers,
    },
    Collection: {
        "name": partial(check_campaign_name, "name"),
        "url_template": _address,
        "language": check_language,
        "metadata_fields": partial(_names, MOST_NAMES),
        **dict.fromkeys(
            ("origin", "indexed_until", "compared_until", "texts_until", "unread_until"), _as_typed
        ),
        "column_choices": _as_typed,
    },
    Document: {
        "docno": partial(check_name, "docno"),
        **_DOCUMENT_TEXT,
        "revision": _FROM_1,
    },
    DocumentRevision: {
        "revision": _FROM_1,
        **_DOCUMENT_TEXT,
        "html": _made_here,
        "sha256": _sha256,
    },
    Membership: {"setup_step": partial(_one_of, ("", *STEPS))},
    Topic: {
        "number": partial(check_name, "topic"),
        **_TOPIC_TEXT,
        "position": _as_typed,
        "revision": _FROM_1,
        "options": _as_typed,
        "sampled_from": _as_typed,
        "release_reason": _release_reason,
    },
    TopicRevision: {"revision": _FROM_1, **_TOPIC_TEXT},
    TopicAssignment: {},
    TopicDraw: {"number": _FROM_1, "topics": _topic_numbers, "taken": _topic_or_none},
    Run: {
        "tag": partial(check_name, "tag"),
        "group": check_group,
        "file_name": partial(_line, 255),
        "sha256": _sha256,
        "noticed": _notices,
    },
    Ranking: dict.fromkeys(("documents", "scores"), _as_typed),
    Sample: dict.fromkeys(("documents", "inclusion", "buckets", "masses", "size", "seed"), _as_typed),
    Anchor: dict.fromkeys(("place", "seed", "as_of"), _as_typed),
    TrainingItem: {
        "position": _as_typed,
        "grade": _as_typed,
        "reason": partial(_stated, training.LONGEST_REASON),
        "document_revision": _FROM_1,
    },
    TrainingAnswer: {"attempt": _FROM_1, "grade": _as_typed, "milliseconds": _as_typed},
    GuidelineExample: {
        "position": _as_typed,
        "grade": _as_typed,
        "reason": partial(_stated, examples.LONGEST_REASON),
        "document_revision": _FROM_1,
    },
    Judgment: {
        "sequence": _FROM_1,
        "grade": _as_typed,
        "reason": _REASON,
        "milliseconds": _as_typed,
        "seen": partial(_between, 0, 100),
        "method": partial(_one_of, (*_METHODS, COPIED)),
        "queue_age": _as_typed,
        "weight_given_up": partial(_between, 0, 1),
        "inclusion_probability": _chance,
        "topic_revision": _FROM_1,
        "document_revision": _FROM_1,
    },
    Repeat: {
        "grade": _as_typed,
        "reason": _REASON,
        "milliseconds": _as_typed,
        "document_revision": _FROM_1,
    },
    Annotation: {
        "note": check_note,
        "passages": check_stored_passages,
        "document_revision": _FROM_1,
    },
    Postponement: {
        "method": _METHOD,
        "queue_age": _as_typed,
        "weight_given_up": partial(_between, 0, 1),
        "inclusion_probability": _chance,
    },
    QrelsImport: {"first": _FROM_1, "last": _FROM_1, "file": partial(_line, LONGEST_FILE)},
    Exclusion: {},
    Deed: {
        "actor_name": partial(_line, 150),
        "kind": partial(_stated, 40),
        "detail": _act_detail,
        "after": _as_typed,
    },
}


def needs_rule(column: AnyField) -> bool:
    kind = column.get_internal_type()
    return not (
        column.is_relation or column.choices or kind in ("BooleanField", "DateTimeField", "UUIDField")
    )


def has_stored_rule(column: AnyField) -> bool:
    """True if a rule checks more of a stored value than the database does."""
    rule = RULES[column.model].get(column.name)
    kind = column.get_internal_type()
    return kind != "BinaryField" and rule is not None and (rule is not _as_typed or kind == "JSONField")


def check_value(column: AnyField, value: Any) -> None:
    """ValueError unless the column's write path may have stored the value, which has the column's type."""
    if isinstance(value, datetime):
        _check_moment(value)
    elif needs_rule(column) and column.model in RULES:
        try:
            RULES[column.model][column.name](value)
        except Refusal as refused:
            raise ValueError(refused.detail) from None


def _check_moment(value: datetime) -> None:
    if timezone.is_naive(value):
        raise ValueError(f"{value} lacks a time zone")
    if not FIRST_YEAR <= value.year <= LAST_YEAR:
        raise ValueError(f"{value} lies outside the years {FIRST_YEAR} to {LAST_YEAR}")
