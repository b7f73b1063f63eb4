"""A setting of a campaign: its kind of value, its words, and all that depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import NOT_PROVIDED
from django.utils.functional import Promise

from campaigns.models import Campaign
from campaigns.setup.setting_checks import Check

Words = str | Promise


@dataclass(frozen=True)
class Flag:
    """Yes or no."""


@dataclass(frozen=True)
class Whole:
    """A whole number from `least` to `most`, or none if `nullable`."""

    least: int
    most: int
    nullable: bool = False


@dataclass(frozen=True)
class Number:
    """A number from `least` to `most`; forms offer the range `typed`, if it is narrower."""

    least: float
    most: float
    typed: tuple[float, float] | None = None


@dataclass(frozen=True)
class Choice:
    """One of several values, each with its label; `about`: value, label and words of each, for a form that
    explains them side by side."""

    choices: list[tuple[Any, Any]]
    about: Sequence[tuple[Any, Words, Words]] = ()


@dataclass(frozen=True)
class Text:
    """Text of at most `longest` characters; a multi-line text may be empty."""

    longest: int
    multiline: bool = False


@dataclass(frozen=True)
class Moment:
    """A date and time, or none."""


@dataclass(frozen=True)
class FieldNames:
    """At most `most` names of the collection's fields, in order."""

    longest: int
    most: int


@dataclass(frozen=True)
class GradeScale:
    """The grades with their labels, gains and keys."""


@dataclass(frozen=True)
class MethodOptions:
    """Options of the selection method, by name."""


Kind = Flag | Whole | Number | Choice | Text | Moment | FieldNames | GradeScale | MethodOptions


@dataclass(frozen=True)
class Setting:
    """One setting of a campaign.

    label : its name in forms and the history
    description : its meaning, a noun phrase, in the API's schema and the docs
    remark : a further clause there, for those who set it
    default_words : its default there, if the value does not say it
    check : refuses a value that no campaign can have
    organisers_only : hidden from assessors
    copied : taken over by a copy of the campaign
    scores, queues : whether a change computes scores or queues again
    form : the part of the set-up pages that holds it, "" if none does
    required : its field of the form may not be left empty; if another one is, the value stays
    title, hint, help : words beside its field (the label if no title), and the place in the docs
    link : a page that belongs to it, and the words of the link
    effect : consequence of a change, once the campaign is open
    effect_of : the form's fields that have this effect
    since : the release that brought it
    """

    name: str
    kind: Kind
    label: Words
    description: str
    remark: str = ""
    default_words: str = ""
    check: Check | None = None
    organisers_only: bool = False
    copied: bool = True
    scores: bool = False
    queues: bool = False
    form: str = ""
    required: bool = False
    title: Words = ""
    hint: Words = ""
    help: str = ""
    link: tuple[str, Words] | None = None
    effect: Words = ""
    effect_of: str = ""
    since: str = "0.1.0"

    @property
    def default(self) -> Any:
        """The default of the column."""
        column = Campaign._meta.get_field(self.name)
        value = getattr(column, "default", None)
        if value is NOT_PROVIDED:
            return None
        return value() if callable(value) else value

    @property
    def is_flag(self) -> bool:
        return isinstance(self.kind, Flag)

    @property
    def nullable(self) -> bool:
        """True if the campaign may have none: an empty field means so."""
        return isinstance(self.kind, Moment | Text) or (isinstance(self.kind, Whole) and self.kind.nullable)
