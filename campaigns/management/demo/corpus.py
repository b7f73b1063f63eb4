"""The documents: docstrings of the public functions, classes and modules of a Python installation."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from types import ModuleType
from typing import Any

import django
from django.conf import settings

from campaigns.management.demo import tracked

# Tests, windows and codec tables, modules that act on import, and those that need other software.
_LEFT_OUT = """
    antigravity distutils encodings ensurepip idlelib imp lib2to3 msilib ntpath nturl2path pip posix posixpath
    pydoc_data readline rlcompleter sre_compile sre_constants sre_parse test this tkinter turtle turtledemo
    xxlimited xxlimited_35 xxsubtype ctypes.test unittest.test django.conf.locale django.contrib.gis
    django.core.management.commands django.core.serializers.pyyaml django.db.backends.mysql
    django.db.backends.oracle django.template.backends.jinja2 numpy.core numpy.distutils numpy.f2py
    numpy.ma.testutils
""".split()  # noqa: SIM905 - forty quoted names are no easier to read
_LEFT_OUT_BELOW = ("_", "tests", "conftest", "migrations")
# The apps of Django with models, which nothing can import unless they are installed.
_DJANGO_APPS = ["admin", "auth", "contenttypes", "flatpages", "redirects", "sessions", "sites"]


@dataclass(frozen=True)
class Document:
    """`docno` is the qualified name, `title` a signature, `body` plain text."""

    docno: str
    title: str
    body: str


def collect() -> list[Document]:
    """Every document, docnos ascending. Imports every module: call it in a process of its own."""
    settings.configure(INSTALLED_APPS=[f"django.contrib.{app}" for app in _DJANGO_APPS])
    django.setup()
    roots = [*sorted(sys.stdlib_module_names), "os.path", "numpy", "scipy", "sklearn", "django"]
    with warnings.catch_warnings():
        # Deprecated modules and names warn when they are looked at.
        warnings.simplefilter("ignore")
        trees = map(_importable, tracked(roots, "Collecting documents"))
        return without_twins(_documents(dict(chain.from_iterable(trees))))


def without_twins(documents: Iterable[Document]) -> list[Document]:
    """One document per text: a copied docstring keeps the shortest name it has."""
    chosen: dict[str, Document] = {}
    for document in sorted(documents, key=lambda each: (each.docno.count("."), len(each.docno), each.docno)):
        chosen.setdefault(" ".join(document.body.split()), document)
    by_docno = {document.docno: document for document in reversed(chosen.values())}
    return [by_docno[docno] for docno in sorted(by_docno)]


def _importable(name: str) -> Iterator[tuple[str, ModuleType]]:
    """The module and those below it, as far as they are public and this machine can import them."""
    if name in _LEFT_OUT or name.rpartition(".")[2].startswith(_LEFT_OUT_BELOW):
        return
    try:
        module = importlib.import_module(name)
    except ImportError:
        return
    yield name, module
    for part in sorted(part.name for part in pkgutil.iter_modules(getattr(module, "__path__", []))):
        yield from _importable(f"{name}.{part}")


def _documents(modules: Mapping[str, ModuleType]) -> Iterator[Document]:
    for name, module in modules.items():
        yield from document_of(name, "module", module)
    for docno, value in _canonical_objects(modules).items():
        yield from document_of(docno, "class" if isinstance(value, type) else "", value)
        for name, kind, member in _members(value) if isinstance(value, type) else ():
            yield from document_of(f"{docno}.{name}", kind, member)


def _canonical_objects(modules: Mapping[str, ModuleType]) -> dict[str, Any]:
    """Objects that the modules offer, each under one name: that of its definition, high up, short."""
    best: dict[int, tuple[tuple[bool, int, int, str], Any]] = {}
    for module_name, module in modules.items():
        for name, value in _offered(module_name, module):
            docno = name if module_name == "builtins" else f"{module_name}.{name}"
            preference = (getattr(value, "__name__", name) != name, docno.count("."), len(docno), docno)
            if id(value) not in best or preference < best[id(value)][0]:
                best[id(value)] = (preference, value)
    return {preference[-1]: value for preference, value in best.values()}


def _offered(module_name: str, module: ModuleType) -> Iterator[tuple[str, Any]]:
    # Django re-exports a lot; the stored judgments name its objects by where they are defined.
    listed = None if module_name.startswith("django") else getattr(module, "__all__", None)
    for name in sorted(vars(module) if listed is None else set(listed)):
        value = None if name.startswith("_") else getattr(module, name, None)
        if callable(value) and not inspect.ismodule(value) and _lives_here(value, module_name, bool(listed)):
            yield name, value


def _lives_here(value: Any, module_name: str, listed: bool) -> bool:
    home = getattr(value, "__module__", None) or module_name
    if not listed:
        return module_name == "builtins" or home in (module_name, f"_{module_name}")
    # A list may name what it borrows from elsewhere, such as NumPy's functions in a SciPy module.
    packages = {str(home).partition(".")[0], module_name.partition(".")[0]}
    return len(packages) == 1 or not packages & {"numpy", "scipy", "sklearn"}


def _members(owner: type) -> Iterator[tuple[str, str, Any]]:
    """Name, kind and value of what the class itself defines."""
    for name, value in sorted(vars(owner).items()):
        if name.startswith("_"):
            continue
        if isinstance(value, staticmethod | classmethod):
            yield name, "", getattr(owner, name)
        elif inspect.isdatadescriptor(value) or type(value).__name__ == "cached_property":
            yield name, "property", value
        elif inspect.isroutine(value):
            yield name, "", value


def document_of(docno: str, kind: str, value: Any) -> Iterator[Document]:
    """The object's document, unless its docstring is too short."""
    signature, text = divide_signature(docno, _docstring(value))
    body = plain_text(text)
    if len(re.findall(r"[A-Za-z]{2,}", body)) >= 8:  # fewer words say hardly more than the name
        parameters = "" if kind in ("module", "property") else parameters_of(value, signature)
        yield Document(docno, f"{kind} {docno}{parameters}".lstrip()[:200], body)


def _docstring(value: Any) -> str:
    """The object's own text, not its type's. A class also has the text of its initialiser."""
    texts = [value.__doc__ if value.__doc__ != type(value).__doc__ else None]
    # Dataclasses without a docstring get their signature for one, and initialisers in C a stock phrase.
    stock = ["Initialize self."]
    if isinstance(value, type):
        texts.append(getattr(vars(value).get("__init__", object.__init__), "__doc__", None))
        stock.append(f"{value.__name__}(")
    own = [
        text
        for text in texts
        if isinstance(text, str) and ("\n" in text or not text.startswith(tuple(stock)))
    ]
    return "\n\n".join(map(inspect.cleandoc, own))


_SIGNATURE = re.compile(r"(?:[\w.]+\.)?(\w+)(\(.*\)) *(?:->.*)?(?:\n+|$)")


def divide_signature(docno: str, text: str) -> tuple[str, str]:
    """The parameters on the first line of a docstring, as functions in C have them, and the rest."""
    match = _SIGNATURE.match(text)
    if match is None or match[1] != docno.rpartition(".")[2]:
        return "", text
    return match[2], text[match.end() :]


def parameters_of(value: Any, in_text: str = "") -> str:
    """`(a, axis, **options)`, or what the docstring says where Python does not know."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError, AttributeError, NameError):
        return in_text
    # Defaults would show addresses and this machine's environment.
    bare = [str(each.replace(annotation=each.empty, default=each.empty)) for each in parameters]
    return f"({', '.join(name for name in bare if name not in ('self', 'cls'))})"


_MARKUP = [
    (r"(?m)^( *)\.\. (?:version)?(added|changed|deprecated):: *(\S+) *", r"\1(\2 in version \3) "),
    (r"(?m)^( *)\.\. (note|warning|seealso|tip|important|caution|rubric):: *", r"\1\2: "),
    (r"(?m)^( *)\.\. math:: *(?:\n *:\w+:[^\n]*)?(?:\n(?=\n))?", r"\1    "),
    # Other directives steer the documentation's builder.
    (r"(?m)^ *\.\. (?:[a-z-]+::|_[^:\n]+:)[^\n]*\n(?: +:\w[\w-]*:[^\n]*\n)*", ""),
    (r":(?:[a-z]+:)?[a-z]+:`~?(?:[^`<]*<)?([^`<>]+)>?`", r"`\1`"),
    (r"`([^`<]+?)\s*<([^`>]+)>`__?", r"\1 (\2)"),
    (r"``([^`]+)``", r"`\1`"),
    (r"(?:\.\. )?(\[\w+\])_?", r"\1"),
    (r"(?m) *::$", ":"),
    # SciPy draws some examples' samples on import: they differ from build to build.
    (r"(?m)^( *)[^\n]*# may vary$", r"\1(varies)"),
]


def plain_text(text: str) -> str:
    """A docstring without its markup."""
    for pattern, replacement in _MARKUP:
        text = re.sub(pattern, replacement, text)
    text = "\n".join(line.rstrip() for line in text.expandtabs(4).splitlines())
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")
