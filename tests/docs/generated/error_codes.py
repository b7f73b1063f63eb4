"""The page docs/error-codes.md: every refusal in the code, with its status and its sentence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import signature
from itertools import groupby
from pathlib import Path

from rest_framework.exceptions import APIException, ValidationError

from config.embedded.machine import PROJECT
from tests.docs.generated.remedies import remedy_of

PAGE = PROJECT / "docs" / "error-codes.md"
ROOTS = ("assess", "campaigns", "config")
HEAD = """\
# Error codes

This page helps your program react to an error of [the API](api.md#errors). It lists every code with its HTTP
status, the attributes that it concerns, its meaning and a remedy.

- **Attributes** are values of `field` in `errors`: those that are the same in every request.
- **Meanings** are the sentences that `detail` can be, in the language of the request. `…` stands for a name
  or a number. Pages and commands show the same sentences.
- **New codes.** A later version may add codes ([versions](api.md#versions)). React to them by their status.

`make error-codes` writes this page from the code.

| `code` | status | attributes | meaning | remedy |
|---|---|---|---|---|
"""
# The library that checks a value, or the reader of a file, words it.
VARIES = "(the sentence names what is wrong)"
# The arguments of what makes a refusal, in their order, and the status where none is given.
MAKERS = {
    "Refusal": (("code", "detail"), 400),
    "refusal": (("status", "code", "detail"), 400),
    "_Demand": (("page", "code", "detail"), 403),
}
# Problems of the framework's own, which get their status elsewhere.
PROBLEMS = {"bad_file": 400, "judged_documents": 400, "not_found": 404, "invalid": 400, "not_allowed": 403}
TRANSLATIONS = {"gettext", "gettext_lazy", "ngettext", "_"}
VARIABLE = re.compile(r"%\(\w+\)[sd]|\{\w*\}")
Bindings = Mapping[str, ast.expr]


@dataclass(frozen=True, order=True)
class ErrorCode:
    code: str
    status: int
    sentence: str
    attribute: str = ""


@dataclass(frozen=True)
class Module:
    """A parsed file, which finds the texts that an expression can have."""

    tree: ast.Module

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def all_calls(self) -> dict[str, list[ast.Call]]:
        found: dict[str, list[ast.Call]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                found.setdefault(called(node), []).append(node)
        return found

    def calls(self, name: str) -> list[ast.Call]:
        return self.all_calls.get(name, [])

    def bindings(self, node: ast.AST) -> list[Bindings]:
        """For each call of the function around: its parameters with their arguments."""
        while node in self.parents and not isinstance(node, ast.FunctionDef):
            node = self.parents[node]
        if not isinstance(node, ast.FunctionDef):
            return [{}]
        names = [each.arg for each in node.args.args]
        return [arguments(call, names) for call in self.calls(node.name)] or [{}]

    def texts(self, node: ast.expr | None, given: Bindings) -> list[str]:
        match node:
            case ast.Constant(value=str(text)):
                return [text]
            case ast.JoinedStr(values=parts):
                return ["".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts)]
            case ast.Lambda(body=inner) | ast.BinOp(left=inner, op=ast.Mod()):
                return self.texts(inner, given)
            case ast.IfExp(body=one, orelse=other):
                return self.texts(one, given) + self.texts(other, given)
            case ast.Call(func=ast.Attribute(attr="format", value=inner)):
                return self.texts(inner, given)
            case ast.Call(args=[inner, *others]) if called(node) in {*TRANSLATIONS, "with_nearest"}:
                plural = others[:1] if called(node) == "ngettext" else []
                return [text for word in (inner, *plural) for text in self.texts(word, given)]
            case ast.Subscript(value=ast.Name() as table):
                return [text for value in self.values(table, given) for text in self.texts(value, given)]
            case ast.Dict(values=values) | ast.Tuple(elts=values):
                return [text for value in values for text in self.texts(value, given)]
            case ast.Name():
                return [text for value in self.values(node, given) for text in self.texts(value, given)]
        return []

    def values(self, name: ast.Name, given: Bindings) -> list[ast.expr]:
        """What may have been assigned to the name: the nearest assignment above in its block, or in a block
        around, and those of the branches between."""
        found: list[ast.expr] = []
        node: ast.AST = name
        while node in self.parents:
            parent = self.parents[node]
            for block in (getattr(parent, part, []) for part in ("body", "orelse", "finalbody", "handlers")):
                if isinstance(block, list) and node in block:
                    for before in reversed(block[: block.index(node)]):
                        found += [value for value, ends in assigned(before, name.id) if not ends]
                        if isinstance(before, ast.Assign) and found:
                            return found
            if isinstance(parent, ast.FunctionDef) and name.id in given:
                return [*found, given[name.id]]
            node = parent
        return found


def called(call: ast.Call) -> str:
    """The name of what is called; of a `super().__init__` that gets a code, what it derives from."""
    match call:
        case ast.Call(func=ast.Attribute(attr="__init__"), args=[ast.Constant(value=str()), _]):
            return "Refusal"
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def arguments(call: ast.Call, names: list[str]) -> Bindings:
    named = {each.arg: each.value for each in call.keywords if each.arg}
    return dict(zip(names, call.args, strict=False)) | named


def assigned(statement: ast.AST, name: str) -> Iterator[tuple[ast.expr, bool]]:
    """Each value that the statement gives the name, and whether its branch leaves the function then."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield statement.value, False
        return
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        block = getattr(statement, part, None)
        if isinstance(block, list):
            leaves = bool(block) and isinstance(block[-1], ast.Raise | ast.Return | ast.Continue)
            for inner in block:
                for value, ends in assigned(inner, name):
                    yield value, ends or leaves


@cache
def error_codes() -> list[ErrorCode]:
    files = (file for root in ROOTS for file in sorted((PROJECT / root).rglob("*.py")))
    found = {code for file in files for code in codes_of(file)} | set(codes_of_framework())
    worded = {(one.code, one.status) for one in found if one.sentence != VARIES}
    return sorted(one for one in found if one.sentence != VARIES or (one.code, one.status) not in worded)


def codes_of(file: Path) -> Iterator[ErrorCode]:
    module = Module(ast.parse(file.read_text()))
    for name, (names, status) in MAKERS.items():
        for call in module.calls(name):
            yield from refusals(module, call, arguments(call, list(names)), status)
    for kind in framework_errors():
        # Some are made from a method or a time to wait instead of a sentence.
        worded = "detail" in list(signature(kind.__init__).parameters)[1:2]
        for call in module.calls(kind.__name__) if worded else []:
            given: Bindings = {"code": ast.Constant(kind.default_code), **arguments(call, ["detail", "code"])}
            if "detail" in given:
                yield from refusals(module, call, given, kind.status_code)
    for call in module.calls("problem"):
        given = arguments(call, ["code", "detail"])
        if isinstance(code := given["code"], ast.Constant):
            yield from refusals(module, call, given, PROBLEMS[str(code.value)])


def refusals(module: Module, call: ast.Call, made: Bindings, usual: int) -> Iterator[ErrorCode]:
    """What one call can refuse. A code that an attribute holds was made by another call."""
    if isinstance(made["code"], ast.Attribute):
        return
    for given in module.bindings(call):
        codes = module.texts(made["code"], given)
        if not codes or "…" in "".join(codes):
            raise ValueError(f"the code of a refusal is a literal text: {ast.unparse(call)}")
        sentences = module.texts(made.get("detail"), given) or [VARIES]
        for status in statuses(module, made.get("status"), given, usual):
            for code in codes:
                for sentence in filter(None, sentences):
                    attribute = named_attribute(made.get("field"), given)
                    yield ErrorCode(code, status, VARIABLE.sub("…", sentence), attribute)


def named_attribute(node: ast.expr | None, given: Bindings) -> str:
    """Return the attribute that the refusal names literally, or that its caller does; else nothing."""
    match given.get(node.id) if isinstance(node, ast.Name) else node:
        case ast.Constant(value=str(name)):
            return name
    return ""


def statuses(module: Module, node: ast.expr | None, given: Bindings, usual: int) -> list[int]:
    match node:
        case None:
            return [usual]
        case ast.Constant(value=int(status)):
            return [status]
        case ast.IfExp(body=one, orelse=other):
            return [each for part in (one, other) for each in statuses(module, part, given, usual)]
        case ast.Name():
            values = module.values(node, given)
            return [each for value in values for each in statuses(module, value, given, usual)]
    raise ValueError(f"the status of a refusal is a number: {ast.unparse(node)}")


def framework_errors() -> list[type[APIException]]:
    """The REST framework's errors, and those derived from them. A `ValidationError` is worded in `errors`."""
    import campaigns.api.framework.http  # noqa: F401

    found = [kind for kind in APIException.__subclasses__() if kind is not ValidationError]
    for kind in found:
        found += kind.__subclasses__()
    return found


def codes_of_framework() -> Iterator[ErrorCode]:
    for kind in framework_errors():
        if "default_detail" in vars(kind):
            yield ErrorCode(kind.default_code, kind.status_code, VARIABLE.sub("…", str(kind.default_detail)))


def page() -> str:
    return HEAD + "".join(
        _row(code, status, list(ones)) for (code, status), ones in groupby(error_codes(), key=_place)
    )


def _place(one: ErrorCode) -> tuple[str, int]:
    return one.code, one.status


def _row(code: str, status: int, ones: list[ErrorCode]) -> str:
    attributes = ", ".join(f"`{name}`" for name in sorted({one.attribute for one in ones} - {""}))
    meaning = "<br>".join(dict.fromkeys(one.sentence for one in ones))
    return f"| `{code}` | {status} | {attributes or '–'} | {meaning} | {remedy_of(code)} |\n"
