"""Every operation of the API as its description has it, with the places where a campaign's names go."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).resolve().parents[4] / "campaigns/api/schema.yaml"
METHODS = ("get", "post", "put", "patch", "delete")
JSON, FORM = "application/json", "multipart/form-data"


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    said: Any

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def address(self, names: Mapping[str, str]) -> str:
        """With these names in its path; one that a new path needs has to be given by the tests."""
        return re.sub(r"\{(\w+)\}", lambda found: names[found[1]], self.path)

    def query(self, names: Mapping[str, str]) -> dict[str, str]:
        asked = [each for each in self.said.get("parameters", []) if each["in"] == "query"]
        return {each["name"]: names[each["name"]] for each in asked if each["name"] in names}

    @property
    def kinds(self) -> list[str]:
        return list(self.said.get("requestBody", {}).get("content", {}))

    def body(self, kind: str, names: Mapping[str, str]) -> Any:
        """The example of the description, with these names in it."""
        examples = self.said["requestBody"]["content"][kind]["examples"]
        return _renamed(next(iter(examples.values()))["value"], names)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(each, names) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _filled(name, inner, names) for name, inner in value.items()}


def _filled(name: str, value: Any, names: Mapping[str, str]) -> Any:
    if name not in names or not isinstance(value, str | int):
        return _renamed(value, names)
    # A number stays one.
    return type(value)(names[name])


@cache
def described() -> Any:
    return yaml.safe_load(FILE.read_text())


def operations() -> Iterator[Operation]:
    for path, item in described()["paths"].items():
        for method in METHODS:
            if method in item:
                yield Operation(method, path, item[method])


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()
