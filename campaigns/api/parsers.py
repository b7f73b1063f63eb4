from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request


class TooLarge(APIException):
    status_code = 413
    default_code = "too_large"
    default_detail = "the body is larger than this site reads at once"


class BoundedJSONParser(JSONParser):
    """JSON is held in memory whole, so its size has a limit, and so has its depth."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        length = str(parser_context["request"].META.get("CONTENT_LENGTH", "")) if parser_context else ""
        if not length.isdigit() or int(length) > limit:
            raise TooLarge(f"send at most {limit:,} bytes of JSON, and say how many")
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("the JSON is nested too deeply") from error


def flag_of(request: Request, name: str, *, default: bool) -> bool:
    """true or false as the address says it."""
    value = request.query_params.get(name, str(default).lower())
    if value not in ("true", "false"):
        raise ValidationError({name: [f"say true or false, not {value}"]})
    return value == "true"
