"""The description of the API: whole, true to the file in the repository, and readable."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from jsonschema import Draft202012Validator

from tests.campaigns.api.addresses import API_ADDRESSES

FILE = Path(__file__).resolve().parents[4] / "campaigns/api/schema.yaml"
METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("schema") / "schema.yaml"
    call_command("spectacular", "--file", str(path), "--validate", "--fail-on-warn")
    return path.read_text()


@pytest.fixture(scope="module")
def described(made: str) -> Any:
    return yaml.safe_load(made)


def operations(described: Any) -> Iterator[tuple[str, Any]]:
    for path, item in described["paths"].items():
        for method in METHODS:
            if method in item:
                yield f"{method} {path}", item[method]


def test_the_file_is_up_to_date(made: str) -> None:
    assert made == FILE.read_text(), "make schema"


def test_every_operation_says_what_it_is(described: Any) -> None:
    tags = {tag["name"] for tag in described["tags"]}
    for name, operation in operations(described):
        assert operation["summary"], name
        assert len(operation["tags"]) == 1, name
        assert operation["tags"][0] in tags, name
    ids = [operation["operationId"] for _, operation in operations(described)]
    assert len(set(ids)) == len(ids)
    assert all(word.isidentifier() and word.islower() for word in ids)


def test_every_operation_says_which_scope_a_token_needs(described: Any) -> None:
    scopes = {}
    for name, operation in operations(described):
        said = re.findall("A token needs the scope `([a-z]+)`.", operation["description"])
        assert len(said) == 1, name
        scopes[operation["operationId"]] = said[0]
    assert (scopes["next_document"], scopes["judge"]) == ("judge", "judge")
    assert set(scopes.values()) == {"read", "judge", "organise", "submit"}


def test_every_parameter_is_explained(described: Any) -> None:
    for name, operation in operations(described):
        for parameter in operation.get("parameters", []):
            assert parameter.get("description") or parameter["schema"].get("enum"), (name, parameter["name"])


def test_every_shape_has_a_description_of_its_own(described: Any) -> None:
    said = Counter(
        shape.get("description", "").strip() for shape in described["components"]["schemas"].values()
    )
    assert [text for text, count in said.items() if not text or count > 1] == []


def test_every_field_has_a_description(described: Any) -> None:
    assert [
        f"{name}.{field}"
        for name, shape in described["components"]["schemas"].items()
        for field, said in shape.get("properties", {}).items()
        if not in_words(said)
    ] == []


def in_words(said: Any) -> str:
    """The description without the list of choices, which drf-spectacular adds."""
    lines = said.get("description", "").splitlines()
    return " ".join(line for line in lines if not line.startswith("* ")).strip()


def test_every_body_has_an_example_that_fits_it(described: Any) -> None:
    for name, operation in operations(described):
        bodies = {"asked": operation.get("requestBody", {})} | operation["responses"]
        for place, body in bodies.items():
            check_examples(described, f"{name} {place}", resolved(described, body))


def check_examples(described: Any, name: str, body: Any) -> None:
    for kind, content in body.get("content", {}).items():
        assert content.get("examples"), (name, kind)
        shape = {**content["schema"], "components": described["components"]}
        for example in content["examples"].values():
            Draft202012Validator(shape).validate(example["value"])


def resolved(described: Any, part: Any) -> Any:
    if "$ref" not in part:
        return part
    _, *path = part["$ref"].split("/")
    for step in path:
        described = described[step]
    return described


def test_every_refusal_has_the_one_shape(described: Any) -> None:
    for name, operation in operations(described):
        statuses = {int(status) for status in operation["responses"]}
        expected = {400, 401, 403, 429} | ({404} if "{" in name else set())
        expected |= {413, 415} if "requestBody" in operation else set()
        assert expected <= statuses, name
        for status in statuses:
            if status >= 400:
                body = resolved(described, operation["responses"][str(status)])
                assert list(body["content"]) == ["application/problem+json"], name
                shape = resolved(described, body["content"]["application/problem+json"]["schema"])
                assert {"code", "detail", "errors"} <= set(shape["required"]), name


def test_what_is_read_refuses_unknown_fields(described: Any) -> None:
    for name, operation in operations(described):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            shape = resolved(described, content["schema"])
            # One of several, or several of them.
            either = [resolved(described, each) for each in shape.get("anyOf", [shape])]
            assert all(each["type"] == "array" or each["additionalProperties"] is False for each in either), (
                name
            )


def test_every_address_is_described(described: Any) -> None:
    known = {re.sub(r"<\w+:(\w+)>", r"{\1}", str(pattern.pattern)) for pattern in API_ADDRESSES}
    described_paths = {path.removeprefix("/api/v1/") for path in described["paths"]}
    assert known - described_paths == {"schema/", "docs/", "client/"}
