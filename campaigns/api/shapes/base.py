"""Fields and shapes that the others are made of, and the shape of a refusal.

A field takes values of its own kind only: a number is not its name, and 1 is not a yes. Words, in an address
or a form, are spelt in one way.
"""

from __future__ import annotations

import math
import re
from typing import Any, ClassVar, Self
from uuid import UUID

from django.core.validators import validate_slug
from django.utils.translation import gettext, gettext_lazy
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.fields import empty

from campaigns.core.errors import with_nearest

_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)

# An answer about a request that is wrong everywhere must not be as long as the request.
MOST_NAMED, LONGEST_NAME = 20, 100
# Of a list's page.
USUAL_ROWS, MOST_ROWS = 100, 1000
LARGEST_LIMIT = 10**9

# What every program should be ready for, by status: what it means, and an example.
MEANINGS: dict[int, tuple[str, str, str, str]] = {
    400: ("Invalid request", "invalid", "invalid request; see “errors”", "topic"),
    401: (
        "No valid session or token",
        "not_authenticated",
        "Authentication credentials were not provided.",
        "",
    ),
    403: (
        "Not allowed for this role or token",
        "organisers_only",
        "only the campaign's organisers may do this",
        "",
    ),
    404: ("Not found, or no access", "not_found", "not found, or you don't have access", ""),
    405: ("Method not allowed", "method_not_allowed", 'Method "PUT" not allowed.', ""),
    409: ("Not possible in the current state", "campaign_not_open", "“News 2026” is closed", ""),
    410: ("Used, revoked or expired", "invitation_used", "this invitation has been used", ""),
    411: (
        "Body without a length",
        "length_required",
        "give the length of the body (Content-Length); chunked bodies are not read",
        "",
    ),
    413: ("Too large", "too_large", "at most 5,242,880 bytes are read at once, files not counted", ""),
    415: (
        "Unsupported media type",
        "unsupported_media_type",
        'Unsupported media type "text/plain"',
        "",
    ),
    429: (
        "Too many requests; Retry-After gives the seconds to wait",
        "throttled",
        "Request was throttled.",
        "",
    ),
}


def _in_words(field: serializers.Field[Any, Any, Any, Any]) -> bool:
    return bool(field.context.get("in_words"))


class Described:
    """Lets a field be declared by its description and an example value, before its other options.

    The example of a shape is made of those of its fields.
    """

    def __init__(self, help_text: str | None = None, example: Any = empty, **options: Any) -> None:
        super().__init__(help_text=help_text, **options)  # type: ignore[call-arg]  # a field is behind it
        self.example = example

    @classmethod
    def or_null(cls, help_text: str | None = None, example: Any = empty, **options: Any) -> Self:
        return cls(help_text, example, allow_null=True, **options)


class Text(Described, serializers.CharField):
    default_error_messages: ClassVar = {"invalid": gettext_lazy("This must be text.")}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Slug(Text):
    """A name in addresses."""

    def __init__(self, help_text: str | None = None, example: Any = empty, **options: Any) -> None:
        super().__init__(help_text, example, trim_whitespace=False, **options)
        self.validators.append(validate_slug)


class WholeNumber(Described, serializers.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        if _in_words(self):
            fits = isinstance(data, str) and bool(_WHOLE.fullmatch(data))
        else:
            fits = type(data) is int or (type(data) is float and data.is_integer())
        if not fits:
            self.fail("invalid")
        return int(data)


class Number(Described, serializers.FloatField):
    def to_internal_value(self, data: Any) -> float:
        if _in_words(self):
            fits = isinstance(data, str) and bool(_NUMBER.fullmatch(data))
        else:
            fits = type(data) in (int, float) and abs(data) < 1e300 and math.isfinite(data)
        if not fits:
            self.fail("invalid")
        return float(data)


class Flag(Described, serializers.BooleanField):
    default_error_messages: ClassVar = {"invalid": gettext_lazy("Give true or false.")}

    def to_internal_value(self, data: Any) -> bool:
        if _in_words(self) and data in ("true", "false"):
            return bool(data == "true")
        if type(data) is not bool:
            self.fail("invalid")
        return data


class Choice(Described, serializers.ChoiceField):
    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid_choice", input=str(data)[:40])
        return super().to_internal_value(data)


class WholeChoice(Described, serializers.ChoiceField):
    def to_internal_value(self, data: Any) -> Any:
        if type(data) is not int:
            self.fail("invalid_choice", input=str(data)[:40])
        return super().to_internal_value(data)


class Time(Described, serializers.DateTimeField):
    """A moment, as ISO 8601 writes it."""


class Address(Described, serializers.URLField):
    """A URL."""


class List(Described, serializers.ListField):
    """A list of values of one kind, its `child`."""


class Figures(Described, serializers.DictField):
    """Values by names that depend on the case."""


class BoundedList(List):
    """A list; one that is too long is refused before each of its rows is looked at."""

    def to_internal_value(self, data: Any) -> list[Any]:
        if isinstance(data, list) and self.max_length is not None and len(data) > self.max_length:
            raise serializers.ValidationError(
                gettext("At most %(most)s, not %(many)s.") % {"most": self.max_length, "many": len(data)}
            )
        return list(super().to_internal_value(data))


class Options(Figures):
    """Options of a method, by their names; the method checks them itself."""

    most = 50

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, dict) and len(data) > self.most:
            raise serializers.ValidationError(gettext("No method has so many options."))
        return dict(super().to_internal_value(data))


@extend_schema_field(OpenApiTypes.BINARY)
class Upload(Described, serializers.FileField):
    """One file of a form."""


class Id(Described, serializers.UUIDField):
    """A UUID as everybody writes it."""

    def to_internal_value(self, data: Any) -> UUID:
        if not (isinstance(data, str) and _UUID.fullmatch(data)):
            self.fail("invalid", value=str(data)[:40])
        return UUID(data)


def name(help_text: str | None = None, example: Any = empty, **options: Any) -> Text:
    """A topic's number, a docno, or the like. It may begin or end with what other scripts use as a space."""
    return Text(help_text, example, max_length=512, trim_whitespace=False, **options)


class Shape(serializers.Serializer[Any]):
    """Shape of a response. `example` is one, shown with every response of the shape; if a class gives none,
    it is made of the examples of its fields. A shape in a shape may have another `example` there."""

    example: Any = None

    def __init__(self, *args: Any, example: Any = empty, **options: Any) -> None:
        super().__init__(*args, **options)
        if example is not empty:
            self.example = example

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "example" not in vars(cls):
            examples = {name: _example_in(field) for name, field in cls._declared_fields.items()}
            cls.example = {name: one for name, one in examples.items() if one is not empty} or None

    @classmethod
    def of(cls, row: Any, **values: Any) -> dict[str, Any]:
        """The JSON of a row: the attributes that have the names of fields, and `values` for all others."""
        return {name: values[name] if name in values else getattr(row, name) for name in cls._declared_fields}


def _example_in(field: Any) -> Any:
    """The example of a field of a shape; `empty` if it has none."""
    if isinstance(field, serializers.ListSerializer):
        row: Any = field.child
        return vars(row).get("example", empty if row.example is None else [row.example])
    if isinstance(field, Shape) and field.example is None:
        return vars(field).get("example", empty)
    return getattr(field, "example", empty)


class RequestShape(Shape):
    """Shape of a request: refuses unknown fields, so that a misspelt name does not pass in silence."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = sorted(set(data) - set(self.fields))[:MOST_NAMED]
            if unknown:
                said = gettext("there is no such field")
                raise serializers.ValidationError(
                    {
                        name[:LONGEST_NAME]: [with_nearest(said, name[:LONGEST_NAME], self.fields)]
                        for name in unknown
                    }
                )
        return super().to_internal_value(data)


class SeparateItems(serializers.ListSerializer[Any]):
    """Several of a shape, read one by one: what does not fit is refused by itself, and not the whole."""

    def __init__(self, *, child: RequestShape, most: int) -> None:
        super().__init__(child=child)
        self.most = most


class Query(RequestShape):
    """The parameters of an address. A ListField may be given several times, all others once."""


def limit_field(usual: int, most: int) -> WholeNumber:
    said = f"number of items per page, at most {most:,} (default: {usual})"
    return WholeNumber(required=False, default=usual, min_value=1, max_value=LARGEST_LIMIT, help_text=said)


class PageQuery(Query):
    limit = limit_field(USUAL_ROWS, MOST_ROWS)
    cursor = Text(
        required=False,
        max_length=1000,
        help_text="start of the page, taken unchanged from `next` or `previous` (default: the first page)",
    )


class PageLinks(Shape):
    """A page of a list, with links to its neighbours."""

    next = Address.or_null("address of the next page; null on the last", None)
    previous = Address.or_null("address of the previous page; null on the first", None)


def list_shape(row: type[Shape]) -> type[Shape]:
    """The shape of a list of such rows."""
    of = (row.__doc__ or "").strip().partition(". ")[0].rstrip(".")
    body = {
        "results": row(many=True, help_text="items of this page"),
        "__doc__": f"A page of a list. Each item: {of[:1].lower()}{of[1:]}.",
        "__module__": row.__module__,
    }
    return type(f"{row.__name__}List", (PageLinks,), body)


def one_or_several(name: str, one: Any, several: Any) -> PolymorphicProxySerializer:
    """Either of two shapes, by whether a list was sent."""
    return PolymorphicProxySerializer(name, [one, several], resource_type_field_name=None, many=False)


def file(kind: object, example: str, said: str) -> OpenApiResponse:
    """An answer that is a file; `kind`: OpenApiTypes.STR or BINARY."""
    return OpenApiResponse(kind, description=said, examples=[OpenApiExample("File", value=example)])


class ProblemRow(Shape):
    """One error of a request, in one field or one line of a file."""

    line = serializers.IntegerField(
        allow_null=True,
        help_text="line of the uploaded file, counted from 1; null if the error concerns no line",
    )
    field = serializers.CharField(
        help_text="name of the field or parameter; empty if the error concerns the whole request"
    )
    detail = serializers.CharField(help_text="description of the error, in the requested language")
    more = serializers.IntegerField(
        required=False,
        help_text="number of errors of the file in this field that are not listed; absent if all are",
    )


class Problem(Shape):
    """An error. `code` is for programs and never changes; `detail` is for people."""

    code = serializers.CharField(help_text="stable code of the error, such as `invalid` or `not_found`")
    detail = serializers.CharField(help_text="description of the error, in the language of `Accept-Language`")
    errors = ProblemRow(many=True, help_text="the errors, by field or line; empty if there is nothing to add")  # type: ignore[assignment]  # fields leave the class


def example_of(status: int) -> dict[str, object]:
    _, code, detail, field = MEANINGS[status]
    rows = [{"line": None, "field": field, "detail": "This field is required."}] if field else []
    return {"code": code, "detail": detail, "errors": rows}
