"""Connection of the client: still open or not; config/web/client_disconnect.py notes it in the request's
scope."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import closing
from typing import Any

DISCONNECT_KEY = "assess.gone"


def until_disconnect(meta: Mapping[str, Any], pieces: Generator[bytes]) -> Generator[bytes]:
    """The pieces of an answer, until the client hangs up. `meta`: the request's."""
    gone = meta.get("asgi.scope", {}).get(DISCONNECT_KEY)
    with closing(pieces):
        for piece in pieces:
            if gone is not None and gone.is_set():
                return
            yield piece
