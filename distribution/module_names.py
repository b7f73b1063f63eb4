"""The modules of the library under their names in the wheel, and sources that import them by these names.

The repository's folders keep their names and places. In the wheel all of them stand inside `judged`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from campaigns.management.offline import FILE_COMMANDS

ROOT = Path(__file__).resolve().parents[1]
# Of a folder: the modules that go along; None for all of it, with its data files.
FOLDERS: Mapping[str, tuple[str, Sequence[str] | None]] = {
    "judged": ("judged", None),
    "evaluation": ("judged.evaluation", None),
    "selection": ("judged.selection", None),
    "campaigns.formats": ("judged.formats", None),
    "campaigns.scoring": ("judged.scoring", None),
    "campaigns.figures": ("judged.figures", ("__init__", "charts", "sheet")),
    "campaigns.lab.studies": ("judged.studies", None),
    "campaigns.management.offline": ("judged.offline", None),
    "campaigns.management.commands": ("judged.commands", ("__init__", *FILE_COMMANDS)),
    "campaigns.api": ("judged", ("client",)),
}
# No module of the wheel imports from these.
OUTSIDE = ("assess", "campaigns", "config", "evaluation", "selection")
_NAME = re.compile(r"[a-z_]\w*(\.\w+)+(:\w+)?\Z")
_PROMPT = re.compile(rb"\s*(?:>>>|\.\.\.)(?: |$)")
_BEFORE_NAME = re.compile(rb"(from\s+)?|[rRuU]?[\"']{1,3}")
_BY_NAME = {"import_module", "find_spec", "__import__", "files"}


class UnknownModule(ValueError):
    """An import of a module that the wheel does not hold."""


@dataclass(frozen=True)
class Edit:
    """A replacement within one line; columns count bytes of UTF-8, as those of `ast`."""

    line: int
    begin: int
    end: int
    text: str


def new_name(module: str) -> str | None:
    """The name in the wheel; None for modules of others.

    >>> new_name("campaigns.formats.runs.files"), new_name("campaigns.models"), new_name("numpy")
    ('judged.formats.runs.files', None, None)
    """
    for folder, (target, only) in FOLDERS.items():
        if module == folder:
            return target
        if module.startswith(f"{folder}."):
            rest = module.removeprefix(f"{folder}.")
            if only is None or rest.partition(".")[0] in only:
                return f"{target}.{rest}"
    return None


def library_files(root: Path) -> Iterator[tuple[Path, str]]:
    """Each file of the library, and its path in the wheel. A folder that is not there yet has none."""
    for folder, (target, only) in FOLDERS.items():
        home = root.joinpath(*folder.split("."))
        for file in sorted(home.rglob("*")):
            inside = file.relative_to(home)
            if not file.is_file() or "__pycache__" in inside.parts:
                continue
            if only is None or (inside.stem in only if len(inside.parts) == 1 else inside.parts[0] in only):
                yield file, f"{target.replace('.', '/')}/{inside.as_posix()}"


def rewritten(source: str, file: str) -> str:
    """A module's source with the names of the wheel: in imports, in names of modules as strings, and in the
    examples of docstrings.

    Raises UnknownModule, with `file` and line, for an import of the repository that the wheel does not hold.
    """
    lines = source.encode().split(b"\n")
    edits = {*_Code(lines, file).edits()}
    for edit in sorted(edits, key=lambda one: (one.line, one.begin), reverse=True):
        line = lines[edit.line]
        lines[edit.line] = line[: edit.begin] + edit.text.encode() + line[edit.end :]
    result = b"\n".join(lines).decode()
    if left := [*_names_outside(ast.parse(result))]:
        raise UnknownModule(f"{file}: still names {', '.join(left)}")
    return result


def missing_imports(source: str, modules: Collection[str]) -> list[str]:
    """The modules of the library that a rewritten source imports and `modules` lacks."""
    named = _imported(ast.parse(source))
    return sorted({name for name in named if name.partition(".")[0] == "judged"} - {*modules})


@dataclass(frozen=True)
class _Code:
    """A module's lines, or those of an example in a docstring; `file` is for errors."""

    lines: Sequence[bytes]
    file: str

    def edits(self) -> Iterator[Edit]:
        for node in ast.walk(ast.parse(b"\n".join(self.lines))):
            match node:
                case ast.Import(names=names):
                    for alias in names:
                        yield from self._of_import(alias)
                case ast.ImportFrom(module=str(module), level=0):
                    yield from self._replaced(node, module)
                case ast.ImportFrom(lineno=line):
                    raise UnknownModule(f"{self.file}:{line}: an import relative to its folder")
                case ast.Call(args=[ast.Constant(value=str(name)) as first, *_]) if _called(node) in _BY_NAME:
                    yield from self._replaced(first, name)
                case ast.Constant(value=str(name)) if _names_module(name):
                    yield from self._replaced(node, name.partition(":")[0])
                case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield from self._of_docstring(node)

    def _of_import(self, alias: ast.alias) -> Iterator[Edit]:
        """`import a.b` binds `a`, so that what follows reads `a.b`: it stays bound."""
        name, root = alias.name, alias.name.partition(".")[0]
        if alias.asname or new_name(name) in (None, name):
            yield from self._replaced(alias, name)
        elif new_name(root) is None:
            raise UnknownModule(f"{self.file}:{alias.lineno}: the wheel does not hold {root}")
        else:
            form = f"{{}} as {root}" if name == root else f"{{}}, {new_name(root)} as {root}"
            yield from self._replaced(alias, name, form)

    def _replaced(
        self, node: ast.expr | ast.stmt | ast.alias, module: str, form: str = "{}"
    ) -> Iterator[Edit]:
        """The edit of a module's name with which the node begins, after `from` or a quotation mark."""
        new = new_name(module)
        if new is None and module.partition(".")[0] in OUTSIDE:
            raise UnknownModule(f"{self.file}:{node.lineno}: the wheel does not hold {module}")
        if new is None or new == module:
            return
        line, name = self.lines[node.lineno - 1], module.encode()
        begin = line.find(name, node.col_offset)
        if not _BEFORE_NAME.fullmatch(line[node.col_offset : begin] if begin >= 0 else b"?"):
            raise UnknownModule(f"{self.file}:{node.lineno}: {module} is not where its import begins")
        yield Edit(node.lineno - 1, begin, begin + len(name), form.format(new))

    def _of_docstring(
        self, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ) -> Iterator[Edit]:
        """Edits of the examples of a docstring, each of which is code of its own."""
        if ast.get_docstring(node, clean=False) is None:
            return
        docstring = node.body[0]
        assert docstring.end_lineno is not None
        for numbers in _examples(self.lines, docstring.lineno - 1, docstring.end_lineno):
            prompts = [_PROMPT.match(self.lines[number]) for number in numbers]
            widths = [prompt.end() for prompt in prompts if prompt is not None]
            code = [self.lines[number][width:] for number, width in zip(numbers, widths, strict=True)]
            for edit in _Code(code, f"{self.file}:{numbers[0] + 1}").edits():
                width = widths[edit.line]
                yield Edit(numbers[edit.line], width + edit.begin, width + edit.end, edit.text)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _examples(lines: Sequence[bytes], begin: int, end: int) -> Iterator[list[int]]:
    """The lines of each example between two lines: one with a prompt, and those that go on with it."""
    example: list[int] = []
    for number in range(begin, end):
        prompt = _PROMPT.match(lines[number])
        if example and (prompt is None or b">>>" in prompt[0]):
            yield example
            example = []
        if prompt is not None and (example or b">>>" in prompt[0]):
            example.append(number)
    if example:
        yield example


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module


def _names_outside(tree: ast.AST) -> Iterator[str]:
    """Imports, and names of modules as strings, of the repository."""
    yield from (name for name in _imported(tree) if name.partition(".")[0] in OUTSIDE)
    yield from (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _names_module(node.value)
    )


def _names_module(text: str) -> bool:
    """True for the dotted name of a module of the repository, or of something in one: `a.b`, `a.b:C`."""
    if not _NAME.match(text) or text.partition(".")[0] not in OUTSIDE:
        return False
    module = ROOT.joinpath(*text.partition(":")[0].split("."))
    return module.is_dir() or any(path.with_suffix(".py").is_file() for path in (module, module.parent))
