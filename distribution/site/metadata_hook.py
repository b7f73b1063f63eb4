"""Hatchling's metadata of the site's wheel, with version and dependencies of the clone's pyproject.toml."""

from __future__ import annotations

import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class SiteMetadata(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        clone = tomllib.loads((Path(self.root).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
        project, groups = clone["project"], clone["dependency-groups"]
        metadata |= {name: project[name] for name in ("version", "license", "requires-python", "authors")}
        extras = chain.from_iterable(project["optional-dependencies"].values())
        metadata["dependencies"] = [*project["dependencies"], *extras, *groups["site"], *groups["embedded"]]
