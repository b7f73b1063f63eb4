"""The ASGI web server, as `python -m config.embedded.web DESCRIPTOR [TURN]`.

DESCRIPTOR is a socket that the supervisor holds. TURN is the reading end of a pipe: the server loads
everything, and begins to serve when a byte arrives.
"""

import faulthandler
import gc
import os
import socket
import sys

import uvicorn

from config.environment import log_level

# Live event streams never end by themselves, so a stop does not wait long for them.
SECONDS_FOR_OPEN_REQUESTS = 1
# Longer than proxies keep a connection that they may still use: nginx one minute.
IDLE_SECONDS = 75
# Ten times what the costliest step of a request takes on an idle machine, and less than the 30 seconds after
# which the keeper ends a process that cannot say where it hung.
STILL_SECONDS = 20.0
# uvicorn ticks ten times a second.
TICKS_BETWEEN = 10


class WatchedServer(uvicorn.Server):
    """Ends its process if its event loop stands still for `still_seconds`, and writes where each thread was.
    Compose, systemd or the keeper then start it again."""

    still_seconds = STILL_SECONDS

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS_BETWEEN == 0:
            # By a thread that needs no GIL, since a regular expression may hold that.
            faulthandler.dump_traceback_later(self.still_seconds, exit=True)
        stops = await super().on_tick(counter)
        if stops:
            # However long a shutdown takes, it is no crash.
            faulthandler.cancel_dump_traceback_later()
        return stops


def main(
    descriptor: int, http: str = "config.web.connections:Connection", *, turn: int | None = None
) -> None:
    config = uvicorn.Config(
        "config.asgi:application",
        http=http,
        ws="none",
        log_level=log_level("LOG_LEVEL", "WARNING").lower(),
        access_log=False,
        timeout_keep_alive=IDLE_SECONDS,
        # It would believe the X-Forwarded-For of all that is on this machine; TRUSTED_PROXIES decides.
        proxy_headers=False,
        timeout_graceful_shutdown=SECONDS_FOR_OPEN_REQUESTS,
    )
    # All that loads stays, so looking for garbage meanwhile, or in it later, would only take time.
    gc.disable()
    config.load()
    _load_views()
    gc.freeze()
    gc.enable()
    # Nothing arrives, and it ends, if the supervisor has.
    if turn is None or os.read(turn, 1):
        WatchedServer(config).run(sockets=[socket.socket(fileno=descriptor)])


def _load_views() -> None:
    """Django would import them at the first request."""
    from django.urls import reverse

    reverse("sign-in")


if __name__ == "__main__":
    main(int(sys.argv[1]), turn=int(sys.argv[2]) if sys.argv[2:] else None)
