"""Every error of the API has one shape: {"code", "detail", "errors": [{"line", "field", "detail"}]}."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from campaigns.formats.errors import FormatError
from campaigns.services.errors import Refused

Problem = dict[str, Any]


def problem(code: str, detail: str, errors: list[Problem] | None = None) -> Problem:
    return {"code": code, "detail": detail, "errors": errors or []}


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    if isinstance(error, Refused):
        errors = [{"line": None, "field": error.field, "detail": error.detail}] if error.field else []
        response = Response(problem(error.code, error.detail, errors), status=error.status)
    elif isinstance(error, FormatError):
        response = Response(_format_problem(error), status=400)
    else:
        known = exception_handler(error, context)
        if known is None:
            return None
        known.data = _framework_problem(error)
        response = known
    response.content_type = "application/problem+json"
    return response


def _format_problem(error: FormatError) -> Problem:
    errors = [{"line": e.line, "field": e.field, "detail": e.detail} for e in error.errors]
    counted = "one error" if error.total == 1 else f"{error.total:,} errors"
    shown = f", the first {len(errors)} of them listed" if error.total > len(errors) else ""
    return problem("bad_file", f"{error.file}: {counted}{shown}; nothing was stored", errors)


def _framework_problem(error: Exception) -> Problem:
    if isinstance(error, Http404):
        return problem("not_found", "there is nothing here that you may see")
    if isinstance(error, ValidationError):
        return problem("invalid", "the request is not as it should be", _fields(error.detail))
    if isinstance(error, APIException):
        return problem(str(error.get_codes()), str(error.detail))
    return problem("not_allowed", "you may not do this")


def _fields(detail: Any, field: str = "") -> list[Problem]:
    """DRF nests messages by field; ours is one flat list."""
    if isinstance(detail, dict):
        return [row for name, inner in detail.items() for row in _fields(inner, f"{field}.{name}".strip("."))]
    if isinstance(detail, list):
        return [row for inner in detail for row in _fields(inner, field)]
    return [{"line": None, "field": field, "detail": str(detail)}]
