"""Request headers that reach the application."""

from __future__ import annotations

from typing import Any


def unambiguous(scope: dict[str, Any]) -> dict[str, Any]:
    """The ASGI scope without headers such as X_Forwarded_For. WSGI knows that one by the same name as
    X-Forwarded-For, so a client could add to our proxy's header and choose the address that limits count."""
    return {**scope, "headers": [one for one in scope["headers"] if b"_" not in one[0]]}
