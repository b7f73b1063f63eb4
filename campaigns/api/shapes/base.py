from __future__ import annotations

from typing import Any, ClassVar

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, PolymorphicProxySerializer
from rest_framework import serializers

# An answer about a request that is wrong everywhere must not be as long as the request.
MOST_NAMED, LONGEST_NAME = 20, 100


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


def listed(row: type[Shape]) -> type[Shape]:
    """The shape of a list of such rows."""
    body = {
        "results": row(many=True),
        "next": serializers.URLField(allow_null=True, help_text="where the list goes on; null: here it ends"),
        "example": {"results": [row.example], "next": None},
        "__doc__": "",
        "__module__": row.__module__,
    }
    return type(f"{row.__name__}List", (Shape,), body)


def one_or_several(name: str, one: Any, several: Any) -> PolymorphicProxySerializer:
    """Either of two shapes, told apart by whether a list was sent."""
    return PolymorphicProxySerializer(name, [one, several], resource_type_field_name=None, many=False)


def file(kind: object, example: str, said: str) -> OpenApiResponse:
    """An answer that is a file; `kind`: OpenApiTypes.STR or BINARY."""
    return OpenApiResponse(kind, description=said, examples=[OpenApiExample("File", value=example)])
