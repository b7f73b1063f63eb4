"""Check of addresses that webhooks call. An address must not give access, through this site, to hosts that
only the site reaches: its own machine, its network, the cloud's metadata."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from django.utils.translation import gettext

LONGEST_URL = 1000
# Below 1024, only those of the web: nothing else there expects to be posted to.
WEB_PORTS = {"https": 443, "http": 80}

# What Python's own register calls global, depending on its version.
_NOT_FOR_US = [
    ip_network(block)
    for block in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2001:db8::/32", "3fff::/20", "fec0::/10")
]
_GLOBAL_IPV6 = ip_network("2000::/3")
_NAT64 = ip_network("64:ff9b::/96")

Address = IPv4Address | IPv6Address


class AddressNotAllowed(ValueError):
    """An address that is not to be called, in words for the organiser who named it."""


@dataclass(frozen=True)
class Target:
    """`path`: with the query, as it is asked for."""

    scheme: str
    host: str
    port: int
    path: str


@dataclass(frozen=True)
class Endpoint:
    family: socket.AddressFamily
    address: tuple[object, ...]


def parse(url: str, *, private: bool = False) -> Target:
    """The parts of an address that may be called. `private`: also http, any port and this site's network."""
    if len(url) > LONGEST_URL:
        raise AddressNotAllowed(gettext("an address has at most %(most)s characters") % {"most": LONGEST_URL})
    if not url.isascii() or not url.isprintable() or set(url) & set(' "<>\\^`{|}'):
        raise AddressNotAllowed(gettext("an address is written in ASCII, without blanks; encode what is not"))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise AddressNotAllowed(gettext("this is no address")) from None
    if parts.scheme not in ("https", "http"):
        raise AddressNotAllowed(gettext("an address begins with https://"))
    if parts.scheme == "http" and not private:
        raise AddressNotAllowed(gettext("webhook URLs must use https://"))
    if parts.username is not None or parts.password is not None:
        raise AddressNotAllowed(
            gettext("an address contains no user name or password: deliveries are signed instead")
        )
    if parts.fragment:
        raise AddressNotAllowed(gettext("an address has no part behind #"))
    if not host or host.startswith(".") or ".." in host or len(host) > 253:
        raise AddressNotAllowed(gettext("the address names no host"))
    port = WEB_PORTS[parts.scheme] if port is None else port
    if port == 0 or not (private or port == WEB_PORTS[parts.scheme] or port >= 1024):
        raise AddressNotAllowed(gettext("port %(port)s is not allowed") % {"port": port})
    if not private:
        _refuse_private_literal(host)
    path = parts.path or "/"
    return Target(parts.scheme, host, port, f"{path}?{parts.query}" if parts.query else path)


def _refuse_private_literal(host: str) -> None:
    """Refuse a private host that needs no lookup, in any of the ways to write a number."""
    if host.rstrip(".") == "localhost" or host.rstrip(".").endswith(".localhost"):
        raise _private(host)
    try:
        addresses = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return
    if not all(is_public(str(row[4][0])) for row in addresses):
        raise _private(host)


def resolve(target: Target, *, private: bool = False) -> list[Endpoint]:
    """Resolve the host into the endpoints that may be called. The connection must use one of these: a second
    lookup could lead elsewhere."""
    try:
        addresses = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", error)
        raise OSError(f"{target.host} is not found: {reason}") from error
    allowed = [Endpoint(row[0], row[4]) for row in addresses if private or is_public(str(row[4][0]))]
    if not allowed:
        raise _private(target.host)
    return allowed


def _private(host: str) -> AddressNotAllowed:
    detail = gettext("%(host)s is not on the public internet, and this site calls no others")
    return AddressNotAllowed(detail % {"host": host})


def is_public(text: str) -> bool:
    """True if the whole internet can reach the address, and it is one machine's."""
    address = _carried(ip_address(text.partition("%")[0]))
    if any(address in block for block in _NOT_FOR_US if block.version == address.version):
        return False
    if isinstance(address, IPv6Address) and address not in _GLOBAL_IPV6:
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def _carried(address: Address) -> Address:
    """An IPv4 address within one of IPv6 is what a packet reaches in the end."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
