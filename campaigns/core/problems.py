"""The one shape of an error for programs: {"code", "detail", "errors": [{"line", "field", "detail"}]}."""

from __future__ import annotations

from typing import Any

from django.http import JsonResponse

ProblemBody = dict[str, Any]


def problem(code: str, detail: str, errors: list[ProblemBody] | None = None) -> ProblemBody:
    return {"code": code, "detail": detail, "errors": errors or []}


def refusal(status: int, code: str, detail: str) -> JsonResponse:
    """Return the response to a request that no view of the REST framework answers."""
    return JsonResponse(problem(code, detail), status=status, content_type="application/problem+json")
