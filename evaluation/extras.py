"""Packages that only some uses of the library need, which its extras bring."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtra(ImportError):
    """A package is not installed; the message names the extra that brings it."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import packages of an extra inside this block.

    Raises MissingExtra if one of them is not installed.

    Examples
    --------
    >>> try:
    ...     with extra("tables"):
    ...         import no_such_package
    ... except MissingExtra as error:
    ...     print(error)
    no_such_package is not installed: pip install 'judged[tables]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed: pip install 'judged[{name}]'"
        raise MissingExtra(message, name=error.name) from error
