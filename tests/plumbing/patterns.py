"""Every regular expression of the product, and texts that are made to take each of them long."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# No stub describes them.
_constants: Any = importlib.import_module("re._constants")
_parser: Any = importlib.import_module("re._parser")

ROOT = Path(__file__).parents[2]
ROOMS = ("assess", "campaigns", "config", "evaluation", "judged", "selection")
# These read scripts, help pages and installed packages, and nothing that a person sends.
OWN_TEXT = (
    "campaigns/management/demo/",
    "campaigns/migrations/",
    "campaigns/pages/help/markdown.py",
    "campaigns/templatetags/modules.py",
)
_CALLS = {"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}
_FROM_BEGINNING = {"match", "fullmatch"}
# “# at most 200 characters: …” beside a pattern: the code gives it no longer text.
_BOUND = re.compile(r"# at most ([\d,]+) characters: \S")
# A pattern of JavaScript: where a value may stand, up to the next slash outside of brackets.
_SCRIPT = re.compile(
    r"(?:[=(,:!&|?\[]|^|return)\s*/(?![*/\s])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+)/([gimsuy]*)"
)


@dataclass(frozen=True)
class Found:
    """`place`: file and line; `begins`: whether a text is only tried from its beginning; `longest`: of its
    texts, where the code bounds them."""

    place: str
    pattern: re.Pattern[Any]
    begins: bool = False
    longest: int | None = None


def python_patterns(root: Path = ROOT) -> tuple[list[Found], list[str]]:
    """All patterns, and the places of those that could not be made."""
    found: list[Found] = []
    missed: list[str] = []
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            source = path.read_text()
            if "re." in source and "import re" in source and not name.startswith(OWN_TEXT):
                _of_module(name, source, found, missed)
    return found, missed


def _of_module(name: str, source: str, found: list[Found], missed: list[str]) -> None:
    module = importlib.import_module(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    seen = set()
    lines = source.split("\n")
    tree = ast.parse(source)
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not _is_of_re(call.func):
            continue
        place = f"{name}:{call.lineno}"
        try:
            pattern = _made(call, vars(module))
        # Of whatever kind: its place is reported.
        except Exception:  # noqa: BLE001
            missed.append(place)
            continue
        seen.add((pattern.pattern, pattern.flags))
        found.append(Found(place, pattern, _begins(call, tree, source), _bound(lines, call)))
    # Those that a loop makes.
    for attribute, value in vars(module).items():
        for pattern in _patterns_in(value):
            if (pattern.pattern, pattern.flags) not in seen:
                found.append(Found(f"{name}: {attribute}", pattern))


def _is_of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in _CALLS
    )


def _made(call: ast.Call, names: dict[str, Any]) -> re.Pattern[Any]:
    """The call's pattern; names that only its function knows are a word, or a list of two."""
    flags = [word.value for word in call.keywords if word.arg == "flags"]
    assert isinstance(call.func, ast.Attribute)
    at = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(call.func.attr, 2)
    flags += call.args[at : at + 1]
    pattern = _value(call.args[0], names)
    if isinstance(pattern, re.Pattern):
        return pattern
    return re.compile(pattern, _value(flags[0], names) if flags else 0)


class _Table:
    """Stands for a table of patterns and for its keys."""

    def __getitem__(self, key: object) -> str:
        return "word"


def _value(expression: ast.expr, names: dict[str, Any]) -> Any:
    code = compile(ast.Expression(expression), "pattern", "eval")
    used = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    unknown = {name for name in used if name not in names and not hasattr(builtins, name)}
    for stand_in in ("word", ["word", "other"], _Table()):
        try:
            return eval(code, {**names, **dict.fromkeys(unknown, stand_in)})
        except (TypeError, NameError):
            continue
    raise ValueError(ast.unparse(expression))


def _begins(call: ast.Call, tree: ast.Module, source: str) -> bool:
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr != "compile":
        return call.func.attr in _FROM_BEGINNING
    for line in tree.body:
        if isinstance(line, ast.Assign) and line.value is call and isinstance(line.targets[0], ast.Name):
            uses = set(re.findall(rf"\b{line.targets[0].id}\b(?:\.(\w+)\()?", source)) - {""}
            bare = len(re.findall(rf"\b{line.targets[0].id}\b(?!\.\w+\()", source))
            return bool(uses) and bare == 1 and uses <= _FROM_BEGINNING
    return False


def _bound(lines: list[str], call: ast.Call) -> int | None:
    beside = "\n".join(lines[max(call.lineno - 2, 0) : call.end_lineno])
    said = _BOUND.search(beside)
    return int(said[1].replace(",", "")) if said else None


def _patterns_in(value: Any, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        for one in (*value.keys(), *value.values()):
            yield from _patterns_in(one, depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _patterns_in(one, depth - 1)
    elif depth and isinstance(value, type):
        for one in vars(value).values():
            yield from _patterns_in(one, depth - 1)


def script_patterns(root: Path = ROOT) -> list[Found]:
    """Those of the scripts, as Python has them: both engines try and step back alike."""
    found = []
    for path in sorted((root / "static").rglob("*.js")):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if line.lstrip().startswith(("//", "*")):
                continue
            for literal in _SCRIPT.finditer(line):
                said = _BOUND.search(line)
                longest = int(said[1].replace(",", "")) if said else None
                found.append(Found(f"{name}:{number}", _as_python(literal[1], literal[2]), longest=longest))
    return found


def _as_python(pattern: str, flags: str) -> re.Pattern[str]:
    # Letters of any script: inside of brackets, and by themselves.
    pattern = re.sub(r"\\p\{[^}]*\}(?=[^\[]*\])", "a-z", pattern)
    pattern = re.sub(r"\\p\{[^}]*\}", "[a-z]", pattern)
    pattern = re.sub(r"\(\?<(?![=!])", "(?P<", pattern).replace(r"\/", "/")
    return re.compile(pattern, (re.IGNORECASE if "i" in flags else 0) | (re.DOTALL if "s" in flags else 0))


# Pumped behind what a pattern begins with.
FIXED = (
    " ",
    "\n",
    "\t",
    "a",
    "0",
    "<",
    ">",
    '"',
    "'",
    "\\",
    "[",
    "(",
    "*",
    "_",
    "=",
    "a ",
    "<a",
    "<a ",
    '\\"',
    "a=",
    "-",
    ".",
    "&",
)


def seeds(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """Beginnings, what is repeated behind them, and ends: of the pattern's own pieces."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = _parser.parse(
        text, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    )
    found: dict[tuple[str, str, str], None] = {}
    for variant in range(3):
        pieces = [piece for piece in _sample(tree, variant, {}, _first_literal(tree)) if piece][:24]
        for at in range(len(pieces) + 1):
            begin = "".join(pieces[:at])
            pumps = ["".join(pieces[at : at + width]) for width in (1, 2, 3)]
            for pump in (*pumps, begin, *(FIXED if at in (0, 1, 2, len(pieces)) else FIXED[:6])):
                if pump:
                    found[(begin, pump, "\x01")] = None
                    found[("", begin + pump, "")] = None
    yield from found


def _first_literal(tree: Any) -> str:
    for operation, value in tree:
        if operation is _constants.LITERAL:
            return chr(value)
        for inner in _inner(operation, value):
            if literal := _first_literal(inner):
                return literal
    return ""


def _inner(operation: Any, value: Any) -> list[Any]:
    if operation in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
        return [value[2]]
    if operation is _constants.SUBPATTERN:
        return [value[3]]
    if operation is _constants.ATOMIC_GROUP:
        return [value]
    if operation is _constants.BRANCH:
        return list(value[1])
    if operation is _constants.ASSERT:
        return [value[1]]
    return []


def _sample(tree: Any, variant: int, groups: dict[int, str], opening: str) -> Iterator[str]:
    """Pieces of a text that the pattern may match. Variants differ by their alternatives, by what is
    optional, and by what stands for any character."""
    for operation, value in tree:
        if operation is _constants.LITERAL:
            yield chr(value)
        elif operation is _constants.NOT_LITERAL:
            yield next(c for c in "a0 " if c != chr(value))
        elif operation is _constants.ANY:
            yield opening if variant == 2 and opening else "a"
        elif operation is _constants.IN:
            yield _member(value, opening if variant == 2 else "")
        elif operation in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            least, most, inner = value
            for _ in range(min(max(least, int(variant > 0 or most > 1)), 2)):
                yield from _sample(inner, variant, groups, opening)
        elif operation is _constants.BRANCH:
            choices = value[1]
            yield from _sample(choices[variant % len(choices)], variant, groups, opening)
        elif operation is _constants.SUBPATTERN:
            pieces = list(_sample(value[3], variant, groups, opening))
            groups[value[0]] = "".join(pieces)
            yield from pieces
        elif operation is _constants.GROUPREF:
            yield groups.get(value, "")
        elif operation is _constants.ATOMIC_GROUP or operation is _constants.ASSERT:
            for inner in _inner(operation, value):
                yield from _sample(inner, variant, groups, opening)


def _member(items: Iterable[tuple[Any, Any]], wanted: str) -> str:
    """A character of the class; `wanted` if it is one."""
    items = list(items)
    tests = [item for item in items if item[0] is not _constants.NEGATE]
    negated = len(tests) < len(items)
    own = [
        chr(value if operation is _constants.LITERAL else value[0])
        for operation, value in tests
        if operation in (_constants.LITERAL, _constants.RANGE)
    ]
    for character in (wanted, *([] if negated else own), *"a0 .<-_\n\t\"'é"):
        if character and any(_is(character, test) for test in tests) is not negated:
            return str(character)
    return own[0] if own else "a"


def _is(character: str, test: tuple[Any, Any]) -> bool:
    operation, value = test
    if operation is _constants.LITERAL:
        return bool(ord(character) == value)
    if operation is _constants.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    name = str(value)
    letter = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[name.split("_")[-1]]
    return (re.match(letter, character) is not None) is not ("NOT" in name)
