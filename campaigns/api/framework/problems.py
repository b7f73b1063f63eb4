"""Every error of the API has one shape: {"code", "detail", "errors": [{"line", "field", "detail"}]}.

Codes and fields are for programs: docs/error-codes.md lists the codes. Details are for people, in the
language they ask for (Accept-Language, or what they chose on the pages, which show them), else English.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext, ngettext
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import exception_handler

from campaigns.api.framework.http import TooLarge
from campaigns.collection.document_revisions import JudgedTexts
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.core.problems import ProblemBody, problem
from campaigns.formats.errors import FormatError


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    if isinstance(error, Refusal):
        status, found = problem_of(error)
        response = Response(found, status=status)
    elif isinstance(error, FormatError):
        response = Response(_format_problem(error), status=400)
    else:
        known = exception_handler(_for_framework(error), context)
        if known is None:
            return None
        known.data = _framework_problem(_for_framework(error))
        response = known
    response.content_type = "application/problem+json"
    return response


def problem_of(error: Refusal | ValidationError) -> tuple[int, ProblemBody]:
    """The status and the problem of one wish of several."""
    if isinstance(error, Refusal):
        errors = [{"line": None, "field": error.field, "detail": error.detail}] if error.field else []
        return error.status, problem(error.code, error.detail, errors)
    return error.status_code, _framework_problem(error)


def _for_framework(error: Exception) -> Exception:
    """Django itself refuses a body that it cannot read, and does not tell the REST framework so."""
    if isinstance(error, RequestDataTooBig):
        most = group_digits(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        detail = gettext("at most %(most)s bytes are read at once, files not counted") % {"most": most}
        return TooLarge(detail)
    if isinstance(error, SuspiciousOperation | MultiPartParserError | UnreadablePostError):
        return ParseError(str(error))
    return error


def _format_problem(error: FormatError) -> ProblemBody:
    errors: list[ProblemBody] = []
    rest = dict(error.rest)
    for one in error.errors:
        errors.append({"line": one.line, "field": one.field, "detail": one.detail})
        if more := rest.pop(one.field, 0):
            errors[-1]["more"] = more
    if isinstance(error, JudgedTexts):
        return problem("judged_documents", error.detail, errors)
    values = {"file": error.file, "count": group_digits(error.total), "shown": len(errors)}
    if error.total > len(errors):
        said = gettext("%(file)s: %(count)s errors, the first %(shown)s of them listed; nothing was stored")
    else:
        said = ngettext(
            "%(file)s: one error; nothing was stored",
            "%(file)s: %(count)s errors; nothing was stored",
            error.total,
        )
    return problem("bad_file", said % values, errors)


def _framework_problem(error: Exception) -> ProblemBody:
    if isinstance(error, Http404):
        return problem("not_found", gettext("not found, or you don't have access"))
    if isinstance(error, ValidationError):
        return problem("invalid", gettext("invalid request; see “errors”"), _fields(error.detail))
    if isinstance(error, APIException):
        return problem(str(error.get_codes()), str(error.detail))
    return problem("not_allowed", gettext("you may not do this"))


def _fields(detail: Any, field: str = "") -> list[ProblemBody]:
    """DRF nests messages by field; ours is one flat list."""
    if isinstance(detail, dict):
        return [row for name, inner in detail.items() for row in _fields(inner, _path(field, name))]
    if isinstance(detail, list):
        return [row for inner in detail for row in _fields(inner, field)]
    return [{"line": None, "field": field, "detail": str(detail)}]


def _path(field: str, name: object) -> str:
    return field if name == api_settings.NON_FIELD_ERRORS_KEY else f"{field}.{name}".strip(".")
