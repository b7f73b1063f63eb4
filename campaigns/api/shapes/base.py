from __future__ import annotations

from typing import Any, ClassVar

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, PolymorphicProxySerializer
from rest_framework import serializers

from campaigns.api.shapes.fields import Text, Whole

# An answer about a request that is wrong everywhere must not be as long as the request.
MOST_NAMED, LONGEST_NAME = 20, 100
# Of a list's page.
USUAL_ROWS, MOST_ROWS = 100, 1000
LARGEST_LIMIT = 10**9


class Shape(serializers.Serializer[Any]):
    """What an answer looks like. `example` is one, shown with everything that answers so."""

    example: ClassVar[Any] = None


class Strict(Shape):
    """What is read: refuses fields it does not know, for a misspelt name must not pass in silence."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = sorted(set(data) - set(self.fields))[:MOST_NAMED]
            if unknown:
                said = gettext("There is no such field.")
                raise serializers.ValidationError({name[:LONGEST_NAME]: [said] for name in unknown})
        return super().to_internal_value(data)


class EachAlone(serializers.ListSerializer[Any]):
    """Several of a shape, read one by one: what does not fit is refused by itself, and not the whole."""

    def __init__(self, *, child: Strict, most: int) -> None:
        super().__init__(child=child)
        self.most = most


class Query(Strict):
    """The parameters of an address. A ListField may be given several times, all others once."""


def limit_field(usual: int, most: int) -> Whole:
    said = f"rows of a page; {most:,} at most come, whatever is asked for"
    return Whole(required=False, default=usual, min_value=1, max_value=LARGEST_LIMIT, help_text=said)


class PageQuery(Query):
    limit = limit_field(USUAL_ROWS, MOST_ROWS)
    cursor = Text(
        required=False,
        max_length=1000,
        help_text="where the page begins: as `next` and `previous` have it",
    )


class PageLinks(Shape):
    """What every page of a list has beside its `results`."""

    next = serializers.URLField(allow_null=True, help_text="where the list goes on; null: here it ends")
    previous = serializers.URLField(allow_null=True, help_text="the page before; null: this is the first")


NO_LINKS = {"next": None, "previous": None}


def listed(row: type[Shape]) -> type[Shape]:
    """The shape of a list of such rows."""
    body = {
        "results": row(many=True),
        "example": {"results": [row.example], **NO_LINKS},
        "__doc__": "",
        "__module__": row.__module__,
    }
    return type(f"{row.__name__}List", (PageLinks,), body)


def one_or_several(name: str, one: Any, several: Any) -> PolymorphicProxySerializer:
    """Either of two shapes, told apart by whether a list was sent."""
    return PolymorphicProxySerializer(name, [one, several], resource_type_field_name=None, many=False)


def file(kind: object, example: str, said: str) -> OpenApiResponse:
    """An answer that is a file; `kind`: OpenApiTypes.STR or BINARY."""
    return OpenApiResponse(kind, description=said, examples=[OpenApiExample("File", value=example)])
