"""Documents of a library whose import would act: read from its sources, nothing is run."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from campaigns.demo.corpus.documents import Document, long_enough
from campaigns.demo.corpus.plain_text import plain_text
from campaigns.demo.corpus.signatures import title_line

# Templates of files, translations, and what needs software of its own to be imported.
_LEFT_OUT = {"conf.locale", "conf.app_template", "conf.project_template", "contrib.gis"}
_LEFT_OUT |= {
    "core.serializers.pyyaml",
    "db.backends.mysql",
    "db.backends.oracle",
    "core.management.commands",
    "template.backends.jinja2",
}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def documents_in_sources(package: str) -> Iterator[Document]:
    spec = find_spec(package)
    for folder in spec.submodule_search_locations or () if spec else ():
        for path in sorted(Path(folder).rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            if _public(parts):
                yield from _documents_in(".".join([package, *parts]), path)


def _public(parts: tuple[str, ...]) -> bool:
    inside = {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
    hidden = any(part.startswith("_") or part in ("tests", "migrations") for part in parts)
    return not hidden and not inside & _LEFT_OUT


def _documents_in(module: str, path: Path) -> Iterator[Document]:
    tree = ast.parse(path.read_bytes())
    yield from _document(module, "module", tree, "")
    deleted = {
        ast.unparse(name) for node in tree.body if isinstance(node, ast.Delete) for name in node.targets
    }
    for node in tree.body:
        if getattr(node, "name", None) in deleted:
            continue
        if isinstance(node, _Function) and not node.name.startswith("_"):
            yield from _document(f"{module}.{node.name}", "", node, _parameters(node))
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _class(f"{module}.{node.name}", node)


def _class(docno: str, node: ast.ClassDef) -> Iterator[Document]:
    methods = [each for each in node.body if isinstance(each, _Function)]
    made_by = [_parameters(each, method=True) for each in methods if each.name == "__init__"]
    yield from _document(docno, "class", node, made_by[0] if made_by else "")
    for each in methods:
        decorators = {ast.unparse(decorator) for decorator in each.decorator_list}
        if each.name.startswith("_") or any(text.endswith((".setter", ".deleter")) for text in decorators):
            continue
        kind = "property" if decorators & {"property", "cached_property"} else ""
        shown = "" if kind else _parameters(each, method="staticmethod" not in decorators)
        yield from _document(f"{docno}.{each.name}", kind, each, shown)


def _document(
    docno: str, kind: str, node: ast.Module | ast.ClassDef | _Function, parameters: str
) -> Iterator[Document]:
    body = plain_text(inspect.cleandoc(ast.get_docstring(node, clean=False) or ""))
    if long_enough(body):
        yield Document(docno, title_line(docno, kind, parameters), body)


def _parameters(node: _Function, *, method: bool = False) -> str:
    arguments = node.args
    first = arguments.posonlyargs or arguments.args
    if method and first:
        del first[0]
    for each in ast.walk(arguments):
        if isinstance(each, ast.arg):
            each.annotation = None
    return f"({ast.unparse(arguments)})"
