"""The OpenAPI schema of a view: what it says with `extend_schema`, and what all views have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any, TypeVar

from drf_spectacular.authentication import SessionScheme as SessionAuthenticationScheme
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema

from campaigns.api.framework.scopes import RequiredScopes
from campaigns.api.framework.views import WITH_BODIES
from campaigns.api.shapes.base import MEANINGS, Problem, RequestShape, SeparateItems, Text, example_of

F = TypeVar("F", bound=Callable[..., Any])
PROBLEM = "application/problem+json"
PATH_DESCRIPTIONS = {
    "slug": ("Slug of the campaign.", "news-2026"),
    "number": ("Topic number, as in the topics file.", "401"),
    "docno": ("Document ID (docno); write a slash in it as `%2F`.", "LA010189-0001"),
    "invitation": ("ID of the invitation.", 3),
    "team": ("ID of the team.", 2),
    "username": ("User name.", "carl"),
    "submission": ("ID of the submission.", 7),
    "question": ("ID of the question.", 1),
    "item": ("ID of the training item.", 7),
    "example": ("ID of the example.", 3),
    "webhook": ("ID of the webhook.", 3),
    "engine": ("ID of the connection to a search engine.", 4),
    "configuration": ("ID of the query configuration.", 5),
    "pull": ("ID of the pull.", 6),
    "what": ("Name of the export.", "judgments-csv"),
    "delivery": ("ID of the delivery.", 71),
    "collection": ("ID of the Lab’s collection.", 7),
    "job": ("ID of the Lab’s job.", 12),
    "form": ("Format of the table: `csv` or `json`.", "csv"),
    "ending": ("Format of the file: `xml`, `jsonl` or `tsv`.", "xml"),
    "picture": ("Format of the figure: `svg`, `pdf` or `png`.", "svg"),
}
# Python 3.13 has another phrase for it; the description is the same with every Python.
RENAMED = {413: "Request Entity Too Large"}


def _of_text(field: Any) -> dict[str, Any]:
    """Text that is asked for is not empty, nor blank where blanks at its ends are dropped."""
    if not isinstance(field, Text) or field.allow_blank:
        return {}
    return {"minLength": 1, "pattern": r"\S"} if field.trim_whitespace else {"minLength": 1}


def _phrase(status: int) -> str:
    return RENAMED.get(status, HTTPStatus(status).phrase)


class Operations:
    """Describes operations of one tag: the method of a view by its ID, a summary and what it answers."""

    def __init__(self, tag: str) -> None:
        self.tag = tag

    def __call__(
        self, id: str, summary: str, responses: Any, description: str | None = None, **more: Any
    ) -> Callable[[F], F]:
        said = {"operation_id": id, "summary": summary, "description": description, "responses": responses}
        return extend_schema(tags=[self.tag], **said, **more)


class SessionScheme(SessionAuthenticationScheme):  # type: ignore[no-untyped-call]
    target_class = "campaigns.api.framework.authentication.SessionAuthentication"


class ApiSchema(AutoSchema):
    def get_override_parameters(self) -> list[Any]:
        asked = getattr(self.view, "queries", {}).get(self.method)
        return [asked] if asked else []

    def get_request_serializer(self) -> Any:
        return getattr(self.view, "takes", {}).get(self.method)

    def get_response_serializers(self) -> Any:
        raise NotImplementedError(f"{self.method} {self.path} says nothing of its answers: @extend_schema")

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular has it
        """Return no description, so that only that of @extend_schema counts; docstrings are for readers of
        the code."""
        return ""

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        operation = super().get_operation(*args, **kwargs)
        needs = getattr(self.view, "needs", None)
        if operation and isinstance(needs, RequiredScopes):
            scope = f"A token needs the scope `{needs.scope_of(self.method).value}`."
            operation["description"] = "\n\n".join(filter(None, [operation.get("description"), scope]))
        return operation

    def _resolve_path_parameters(self, variables: Any) -> Any:
        found = super()._resolve_path_parameters(variables)  # type: ignore[no-untyped-call]
        for parameter in found:
            said, example = PATH_DESCRIPTIONS[parameter["name"]]
            parameter.update(description=said, example=example)
        return found

    def _map_basic_serializer(self, serializer: Any, direction: str) -> Any:
        schema = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]
        if isinstance(serializer, RequestShape):
            schema["additionalProperties"] = False
            for name, field in serializer.fields.items():
                said = schema["properties"][name]
                said.get("items", said).update(_of_text(getattr(field, "child", field)))
        return schema

    def _map_serializer(self, serializer: Any, direction: Any, bypass_extensions: bool = False) -> Any:
        schema = super()._map_serializer(  # type: ignore[no-untyped-call]
            serializer, direction, bypass_extensions
        )
        if isinstance(serializer, PolymorphicProxySerializer):
            # An empty list is a list of either.
            schema["anyOf"] = schema.pop("oneOf")
            names = [one.get("$ref", "a list").rpartition("/")[2] for one in schema["anyOf"]]
            schema["description"] = f"Either {' or '.join(names)}."
        return schema

    def _unwrap_list_serializer(self, serializer: Any, direction: Any) -> Any:
        schema: Any = super()._unwrap_list_serializer(serializer, direction)
        if not isinstance(serializer, SeparateItems):
            return schema
        return {**schema, "items": {"anyOf": [schema["items"], {}]}, "maxItems": serializer.most}

    def _get_request_for_media_type(self, serializer: Any, direction: Any = "request") -> Any:
        schema, required = super()._get_request_for_media_type(  # type: ignore[no-untyped-call]
            serializer, direction
        )
        return schema, required or isinstance(serializer, PolymorphicProxySerializer)

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        for status in self._refusals():
            bodies.setdefault(str(status), self._problem(status))
        return dict(sorted(bodies.items()))

    def _get_response_for_code(
        self, serializer: Any, status_code: str, media_types: Any = None, direction: Any = "response"
    ) -> Any:
        if serializer is Problem:
            return self._problem(int(status_code))
        answer = super()._get_response_for_code(  # type: ignore[no-untyped-call]
            serializer, status_code, media_types, direction
        )
        answer["description"] = answer["description"] or _phrase(int(status_code))
        return answer

    def _get_examples(
        self, serializer: Any, direction: Any, media_type: Any, status_code: Any = None, extras: Any = None
    ) -> Any:
        given = super()._get_examples(  # type: ignore[no-untyped-call]
            serializer, direction, media_type, status_code, extras
        )
        example = getattr(serializer, "example", None)
        shape = serializer if isinstance(serializer, type) else type(serializer)
        return given if given or example is None else {shape.__name__: {"value": example}}

    def _refusals(self) -> Iterator[int]:
        yield from (400, 401, 403, 429)
        if "{" in self.path:
            yield 404
        if self.method in WITH_BODIES:
            yield from (411, 413, 415)
            # An archived campaign is read only.
            if "{slug}" in self.path:
                yield 409

    def _problem(self, status: int) -> Any:
        """A refusal looks the same everywhere, so it is described in one place."""
        name = _phrase(status).title().replace(" ", "")
        component = ResolvedComponent(name, "responses", object=name)  # type: ignore[no-untyped-call]
        if component not in self.registry:
            shape = self.resolve_serializer(Problem, "response").ref
            example = {"Problem": {"value": example_of(status)}}
            content = {PROBLEM: {"schema": shape, "examples": example}}
            component.schema = {"description": MEANINGS[status][0], "content": content}
            self.registry.register(component)
        return component.ref
