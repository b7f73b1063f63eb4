"""The web server on an address of its own, as containers start it: `python -m config.web HOST PORT`."""

import sys

from config.embedded.machine import EmbeddedError, take_port
from config.embedded.web import main

if __name__ == "__main__":
    host, port = sys.argv[1:]
    try:
        listener = take_port(host, int(port))
    except EmbeddedError as error:
        sys.exit(str(error))
    main(listener.detach())
