"""The ASGI web server on a socket that the supervisor holds: `python -m config.embedded.web DESCRIPTOR`."""

import os
import socket
import sys

import uvicorn

# Live event streams never end by themselves, so a stop does not wait long for them.
SECONDS_FOR_OPEN_REQUESTS = 1


def main(descriptor: int) -> None:
    config = uvicorn.Config(
        "config.asgi:application",
        log_level=os.environ.get("LOG_LEVEL", "WARNING").lower(),
        access_log=False,
        timeout_graceful_shutdown=SECONDS_FOR_OPEN_REQUESTS,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
