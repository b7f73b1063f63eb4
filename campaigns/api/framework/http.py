"""Requests and responses of the API: JSON bodies, one form for each address, `OPTIONS` without a body.

JSON is read so that nothing in it is lost, doubtful, or more than the site can hold.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from django.utils.translation import gettext, gettext_lazy
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.metadata import BaseMetadata
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

if TYPE_CHECKING:
    from rest_framework.views import APIView


DEEPEST_JSON = 32
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class TooLarge(APIException):
    status_code = 413
    default_code = "too_large"


class LengthRequired(APIException):
    status_code = 411
    default_code = "length_required"
    default_detail = gettext_lazy("give the length of the body (Content-Length); chunked bodies are not read")


class BoundedJSONParser(JSONParser):
    """JSON is held in memory whole, so its size has a limit, which Django sees to, and so has its depth."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        raw = stream.read()
        try:
            # JSON is UTF-8, whatever else the request says of itself.
            body = json.loads(
                raw.decode("utf-8"),
                object_pairs_hook=_without_twins,
                parse_constant=_no_number,
                parse_float=_finite,
            )
        except RecursionError as error:
            raise ParseError(gettext("the JSON is nested too deeply")) from error
        except ValueError as error:
            raise ParseError(gettext("this is not JSON: %(why)s") % {"why": error}) from error
        # Unreadable characters come only in escapes, and deep nesting has many brackets.
        if b"\\u" in raw or raw.count(b"[") + raw.count(b"{") > DEEPEST_JSON:
            _check(body)
        return body


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse two values of one name: it is unknown which one is meant."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            shown = name[:100].encode("utf-8", "replace").decode()
            raise ParseError(gettext("“%(name)s” appears twice") % {"name": shown})
        found[name] = value
    return found


def _no_number(word: str) -> NoReturn:
    raise ParseError(gettext("%(word)s is not a number in JSON") % {"word": word})


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ParseError(gettext("%(number)s is too large a number") % {"number": digits[:40]})
    return number


def _check(body: Any) -> None:
    """Refuse a NUL or half a character, which no database stores, and what is too deep for its readers."""
    waiting = [(body, "", 0)]
    while waiting:
        value, path, depth = waiting.pop()
        if depth > DEEPEST_JSON:
            raise ParseError(gettext("the JSON is nested too deeply"))
        if isinstance(value, dict):
            waiting += [(inner, f"{path}.{name}".strip("."), depth + 1) for name, inner in value.items()]
            waiting += [(name, path, depth) for name in value]
        elif isinstance(value, list):
            waiting += [(inner, path, depth + 1) for inner in value]
        elif isinstance(value, str) and _NO_TEXT.search(value):
            field = path[:100].encode("utf-8", "replace").decode()
            raise ValidationError({field: [gettext("This contains an unreadable character.")]})


class FixedFormatNegotiation(DefaultContentNegotiation):
    """Every address has one response format, which its description names, whatever `Accept` says. A client
    may request qrels as text/plain or an image as image/*, which no renderer of the framework offers."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first: Any = next(iter(renderers))
        return first, first.media_type


class MethodMetadata(BaseMetadata):
    """OPTIONS lists the methods, in `Allow`. All else is in the description; docstrings are for those who
    read the code."""

    def determine_metadata(self, request: Request, view: APIView) -> None:
        return None
