"""Hooks for schemathesis, with rules of this API beyond its description; it imports this file."""

from __future__ import annotations

from typing import Any

import schemathesis
from schemathesis import Case, CheckContext, GenerationMode, HookContext, Response

# Longer request lines are refused before they are read.
LONGEST_ADDRESS = 20_000
# Refusals that are about the form of a request, not about what the campaign's rules say of it.
OF_FORM = ("invalid", "parse_error", "unsupported_media_type")


@schemathesis.hook
def filter_case(context: HookContext, case: Case[Any]) -> bool:
    return len(str(case.as_transport_kwargs(base_url="http://x").get("params") or "")) < LONGEST_ADDRESS


@schemathesis.check
def what_fits_its_shape_is_refused_by_a_rule(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """A request that the description allows may break a rule of the campaign, and then the answer names it;
    but no single field of it is of the wrong form."""
    generated = case.meta.generation.mode if case.meta else None
    if response.status_code != 400 or generated is not GenerationMode.POSITIVE:
        return
    said: Any = response.json()
    wrong = [row["field"] for row in said["errors"] if row["field"]]
    assert said["code"] not in OF_FORM or not (wrong or said["code"] != "invalid"), said


@schemathesis.check
def refusals_have_one_shape(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    if response.status_code >= 400:
        said: Any = response.json()
        assert set(said) - {"current"} == {"code", "detail", "errors"}, said
        assert response.headers["content-type"] == ["application/problem+json"]
