"""Fields that take a value of their own kind only: a number is not its name, nor is 1 a yes. What comes as
words, in an address or a form, is spelt in one way."""

from __future__ import annotations

import math
import re
from typing import Any, ClassVar
from uuid import UUID

from django.core.validators import validate_slug
from django.utils.translation import gettext, gettext_lazy
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)


def _in_words(field: serializers.Field[Any, Any, Any, Any]) -> bool:
    return bool(field.context.get("in_words"))


class Text(serializers.CharField):
    default_error_messages: ClassVar = {"invalid": gettext_lazy("This must be text.")}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Slug(Text):
    """A name in addresses."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)
        self.validators.append(validate_slug)


class Whole(serializers.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        if _in_words(self):
            fits = isinstance(data, str) and bool(_WHOLE.fullmatch(data))
        else:
            fits = type(data) is int or (type(data) is float and data.is_integer())
        if not fits:
            self.fail("invalid")
        return int(data)


class Number(serializers.FloatField):
    def to_internal_value(self, data: Any) -> float:
        if _in_words(self):
            fits = isinstance(data, str) and bool(_NUMBER.fullmatch(data))
        else:
            fits = type(data) in (int, float) and abs(data) < 1e300 and math.isfinite(data)
        if not fits:
            self.fail("invalid")
        return float(data)


class Flag(serializers.BooleanField):
    default_error_messages: ClassVar = {"invalid": gettext_lazy("Say true or false.")}

    def to_internal_value(self, data: Any) -> bool:
        if _in_words(self) and data in ("true", "false"):
            return bool(data == "true")
        if type(data) is not bool:
            self.fail("invalid")
        return data


class Choice(serializers.ChoiceField):
    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid_choice", input=str(data)[:40])
        return super().to_internal_value(data)


class Many(serializers.ListField):
    """A list; one that is too long is refused before each of its rows is looked at."""

    def to_internal_value(self, data: Any) -> list[Any]:
        if isinstance(data, list) and self.max_length is not None and len(data) > self.max_length:
            raise serializers.ValidationError(
                gettext("At most %(most)s, not %(many)s.") % {"most": self.max_length, "many": len(data)}
            )
        return list(super().to_internal_value(data))


class Options(serializers.DictField):
    """Of a method, by their names, which it checks itself."""

    most = 50

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, dict) and len(data) > self.most:
            raise serializers.ValidationError(gettext("No method has so many options."))
        return dict(super().to_internal_value(data))


@extend_schema_field(OpenApiTypes.BINARY)
class Upload(serializers.FileField):
    """One file of a form."""


class Id(serializers.UUIDField):
    """A UUID as everybody writes it."""

    def to_internal_value(self, data: Any) -> UUID:
        if not (isinstance(data, str) and _UUID.fullmatch(data)):
            self.fail("invalid", value=str(data)[:40])
        return UUID(data)


def name(**options: Any) -> Text:
    """A topic's number, a docno, or the like. It may begin or end with what other scripts use as a space."""
    return Text(max_length=512, trim_whitespace=False, **options)
