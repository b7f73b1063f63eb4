"""Documents of objects that were imported."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from campaigns.demo.corpus.documents import Document, long_enough
from campaigns.demo.corpus.plain_text import plain_text
from campaigns.demo.corpus.signatures import divide_signature, parameters_of, title_line


def documents_of(modules: Mapping[str, ModuleType], objects: Mapping[str, Any]) -> Iterator[Document]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, module in modules.items():
            yield from _document(name, "module", module)
        for docno, value in objects.items():
            if not isinstance(value, type):
                yield from _document(docno, "", value)
            else:
                yield from _document(docno, "class", value)
                yield from _members(docno, value)


def _members(docno: str, owner: type) -> Iterator[Document]:
    """What the class defines itself; the inherited is a document of the parent."""
    for name, value in sorted(vars(owner).items()):
        if name.startswith("_"):
            continue
        if isinstance(value, staticmethod | classmethod):
            yield from _document(f"{docno}.{name}", "", getattr(owner, name))
        elif isinstance(value, property | functools.cached_property) or inspect.isdatadescriptor(value):
            yield from _document(f"{docno}.{name}", "property", value)
        elif inspect.isroutine(value):
            yield from _document(f"{docno}.{name}", "", value)


def _document(docno: str, kind: str, value: Any) -> Iterator[Document]:
    signature, text = divide_signature(docno, _docstring(value))
    body = plain_text(text)
    if long_enough(body):
        named_only = kind in ("module", "property")
        yield Document(
            docno, title_line(docno, kind, "" if named_only else parameters_of(value, signature)), body
        )


def _docstring(value: Any) -> str:
    """The object's own text. Of a class, also what is said where its instances are made."""
    own = value.__doc__
    if not isinstance(value, type):
        return inspect.cleandoc(own) if isinstance(own, str) else ""
    initialiser = vars(value).get("__init__")
    made = initialiser.__doc__ if inspect.isfunction(initialiser) else None
    texts = [own if isinstance(own, str) and not _made_up(value, own) else None, made]
    return "\n\n".join(inspect.cleandoc(text) for text in texts if text)


def _made_up(value: type, text: str) -> bool:
    """Dataclasses and named tuples without a docstring get their signature for one."""
    return text.startswith(f"{value.__name__}(") and "\n" not in text
