"""Hatchling's build of the wheel: the library's modules, copied into the one package `judged`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# A build has its own path of modules.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from distribution.module_names import UnknownModule, library_files, missing_imports, rewritten


class LibraryHook(BuildHookInterface[Any]):
    """The source archive has the library's files in their places, the wheel inside the package `judged`."""

    _copy: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root, included = Path(self.root), build_data["force_include"]
        if self.target_name == "sdist":
            included |= {str(file): str(file.relative_to(root)) for file, _ in library_files(root)}
            return
        if version == "editable":
            raise UnknownModule(
                "judged has no editable form: its folders have other names here. "
                "Install it, or work in the clone."
            )
        self._copy = Path(tempfile.mkdtemp(prefix="judged-"))
        write_library(root, self._copy)
        included[str(self._copy / "judged")] = "judged"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self._copy is not None:
            shutil.rmtree(self._copy)


def write_library(root: Path, target: Path) -> None:
    """Write the package `judged` into the folder `target`.

    Raises UnknownModule if two files would have one path, or a module imports what the package lacks.
    """
    sources: dict[str, str] = {}
    for file, path in library_files(root):
        copy = target / path
        if copy.exists():
            raise UnknownModule(f"{file}: the wheel has {path} from another folder")
        copy.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".py":
            sources[path] = rewritten(file.read_text(encoding="utf-8"), str(file))
            copy.write_text(sources[path], encoding="utf-8")
        else:
            shutil.copyfile(file, copy)
    modules = {path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in sources}
    for path, source in sources.items():
        if missing := missing_imports(source, modules):
            raise UnknownModule(f"{path} imports {', '.join(missing)}, which the wheel lacks")
    (target / "judged" / "py.typed").touch()
