"""The ASGI web server on a socket that the supervisor holds: `python -m config.embedded.web DESCRIPTOR`."""

import os
import socket
import sys

import uvicorn

# Live event streams never end by themselves, so a stop does not wait long for them.
SECONDS_FOR_OPEN_REQUESTS = 1
# Longer than proxies keep a connection that they may still use: nginx one minute.
IDLE_SECONDS = 75


def main(descriptor: int, http: str = "config.web.connections:Connection") -> None:
    config = uvicorn.Config(
        "config.asgi:application",
        http=http,
        ws="none",
        log_level=os.environ.get("LOG_LEVEL", "WARNING").lower(),
        access_log=False,
        timeout_keep_alive=IDLE_SECONDS,
        # It would believe the X-Forwarded-For of all that is on this machine; TRUSTED_PROXIES decides.
        proxy_headers=False,
        timeout_graceful_shutdown=SECONDS_FOR_OPEN_REQUESTS,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
