"""The web server's socket, taken before anything starts, so that a port in use is known at once."""

import errno
import http.client
import socket

from config.embedded.errors import EmbeddedError


def take_port(host: str, port: int) -> socket.socket:
    """Bind, without listening yet: visitors are refused until the site can answer them."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, OverflowError) as error:
        raise EmbeddedError(f"{host} port {port} is no address to listen on: {error}.") from error
    taken = socket.socket(family, kind, protocol)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind(address)
    except (OSError, OverflowError) as error:
        taken.close()
        raise EmbeddedError(_reason(error, host, port)) from error
    return taken


def answers(host: str, port: int) -> int | None:
    """The status of the first page, or None while nobody answers."""
    connection = http.client.HTTPConnection(host, port, timeout=20)
    try:
        connection.request("GET", "/sign-in/")
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _reason(error: OSError | OverflowError, host: str, port: int) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"Port {port} is in use by another program. Choose another: make demo PORT={port + 1}"
    if isinstance(error, OSError) and error.errno == errno.EACCES:
        return f"Port {port} may not be used by this user. Choose one above 1023: make demo PORT=8000"
    return f"Cannot listen on {host} port {port}: {error}."
