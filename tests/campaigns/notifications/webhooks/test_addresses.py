"""Which addresses a webhook may lead to, and that it goes nowhere else."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from campaigns.notifications import transport
from campaigns.notifications.addresses import AddressNotAllowed, Target, is_public, parse, resolve
from campaigns.notifications.transport import post
from tests.campaigns.notifications.webhooks.receiver import Receiver, Reply, answering, receiving


@pytest.mark.parametrize(
    "address",
    [
        *("1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::2003"),
        *("::ffff:1.1.1.1", "2002:0101:0101::", "64:ff9b::101:101"),
    ],
)
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "10.1.2.3", "172.16.0.1", "172.31.255.255"),
        *("192.168.1.1", "169.254.169.254", "169.254.0.1", "100.64.0.1", "100.127.255.255", "224.0.0.1"),
        *("239.255.255.255", "240.0.0.1", "255.255.255.255", "192.0.0.8", "192.0.2.1", "198.18.0.1"),
        *("198.51.100.1", "203.0.113.1", "192.88.99.1"),
        *("::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254"),
        *("fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "fec0::1", "100::1"),
        *("2001:db8::1", "2001::1", "2001:0:7f00:1::", "3fff::1", "5f00::1", "2002:7f00:1::", "2002:a00:1::"),
        *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "4000::1"),
    ],
)
def test_addresses_that_are_not_everybodys(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://example.org/", "must use https"),
        ("ftp://example.org/", "begins with https"),
        ("file:///etc/passwd", "begins with https"),
        ("gopher://example.org:70/_x", "begins with https"),
        ("javascript:alert(1)", "begins with https"),
        ("", "begins with https"),
        ("https:///x", "names no host"),
        ("https://?x", "names no host"),
        ("https://.", "names no host"),
        ("https://user:secret@example.org/", "no user name"),
        ("https://user@example.org/", "no user name"),
        ("https://@example.org/", "no user name"),
        ("https://example.org:22/", "port 22"),
        ("https://example.org:80/", "port 80"),
        ("https://example.org:0/", "port 0"),
        ("https://example.org:65536/", "no address"),
        ("https://example.org:x/", "no address"),
        ("https://[::1/", "no address"),
        ("https://example.org/#part", "behind #"),
        ("https://example.org/a b", "ASCII"),
        ("https://example.org/\r\nHost: x", "ASCII"),
        ("https://exämple.org/", "ASCII"),
        ("https://example.org\\@127.0.0.1/", "ASCII"),
        (f"https://example.org/{'x' * 1000}", "at most 1000"),
        ("https://localhost/", "not on the public internet"),
        ("https://localhost./", "not on the public internet"),
        ("https://app.localhost/", "not on the public internet"),
        ("https://127.0.0.1/", "not on the public internet"),
        ("https://127.1/", "not on the public internet"),
        ("https://2130706433/", "not on the public internet"),
        ("https://0x7f000001/", "not on the public internet"),
        ("https://0177.0.0.1/", "not on the public internet"),
        ("https://[::1]/", "not on the public internet"),
        ("https://[::ffff:169.254.169.254]/", "not on the public internet"),
        ("https://169.254.169.254/latest/meta-data/", "not on the public internet"),
        ("https://10.0.0.1:8443/", "not on the public internet"),
    ],
)
def test_what_is_refused_before_anybody_is_asked(url: str, said: str) -> None:
    with pytest.raises(AddressNotAllowed, match=said):
        parse(url)


def test_what_is_taken_apart() -> None:
    assert parse("https://example.org") == Target("https", "example.org", 443, "/")
    assert parse("https://Example.org:8443/a?b=c") == Target("https", "example.org", 8443, "/a?b=c")
    assert parse("http://127.0.0.1:9/x", private=True) == Target("http", "127.0.0.1", 9, "/x")


def pretend(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Names are found as said, one answer after the other, for there is no name server here. Returned are the
    names asked for."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def found(host: str, port: int | None, *rest: Any, **options: Any) -> Any:
        if options.get("flags"):
            return real(host, port, *rest, **options)
        asked.append(host)
        text = answers[min(len(asked), len(answers)) - 1]
        rows = []
        for address in text.split():
            family = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
            rows.append((family, socket.SOCK_STREAM, 6, "", (address, port or 0)))
        return rows

    monkeypatch.setattr(socket, "getaddrinfo", found)
    return asked


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "169.254.169.254", "10.0.0.1 192.168.0.1", "::1", "::ffff:10.0.0.1"]
)
def test_a_name_that_leads_inside_is_not_called(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    pretend(monkeypatch, address)
    answer = post("https://inside.example.org/", b"{}", {})
    assert (answer.status, answer.error) == (
        None,
        "inside.example.org is not on the public internet, and this site calls no others",
    )


def test_of_several_addresses_only_public_ones_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "10.0.0.1 93.184.216.34 ::1")
    (endpoint,) = resolve(parse("https://both.example.org/"))
    assert endpoint.address[0] == "93.184.216.34"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


def test_the_connection_goes_where_the_name_was_found_first(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = pretend(monkeypatch, "127.0.0.1", "127.0.0.2")
    answer = post(f"http://rebound.example.org:{receiver.port}/a?b", b"{}", {"x-y": "z"}, private=True)
    assert answer.status == 204
    assert asked == ["rebound.example.org"]
    (came,) = receiver.received
    assert came.path == "/a?b"
    assert came.headers["Host"] == f"rebound.example.org:{receiver.port}"
    assert came.headers["x-y"] == "z"


def test_a_host_whose_first_address_is_deaf_is_reached_at_the_next(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, "::1 127.0.0.1")
    assert post(f"http://two.example.org:{receiver.port}/", b"{}", {}, private=True).status == 204


def test_redirects_are_not_followed(receiver: Receiver) -> None:
    receiver.reply = answering(302, Location=receiver.url + "/elsewhere")
    answer = post(receiver.url, b"{}", {}, private=True)
    assert (answer.status, answer.error) == (302, "answered 302: redirects are not followed")
    assert len(receiver.received) == 1


def test_of_an_answer_only_the_beginning_is_read(receiver: Receiver) -> None:
    receiver.reply = answering(200, b"a\0\xff" + b"x" * 5_000_000)
    answer = post(receiver.url, b"{}", {}, private=True)
    assert answer.is_ok
    assert len(answer.body) == transport.MOST_READ
    assert answer.body.startswith("a��x")


def dripping(head: bytes, until: threading.Event) -> Reply:
    """Each byte comes well within the patience, and they never end until the other side hangs up."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(head)
        with suppress(OSError):
            while not until.wait(0.02):
                handler.wfile.write(b"x")

    return reply


def test_whoever_keeps_silent_or_drips_is_cut_off(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "CONNECT_SECONDS", 0.2)
    monkeypatch.setattr(transport, "ANSWER_SECONDS", 1.0)
    over = threading.Event()
    for head in (b"", b"HTTP/1.1 200 OK\r\n"):
        receiver.reply = dripping(head, over)
        assert post(receiver.url, b"{}", {}, private=True).error == "no whole answer in time"
    # Whose status is known has answered.
    receiver.reply = dripping(b"HTTP/1.1 200 OK\r\n\r\n", over)
    answer = post(receiver.url, b"{}", {}, private=True)
    assert answer.status == 200
    assert len(answer.body) < transport.MOST_READ
    receiver.reply = lambda handler: over.wait(20)
    assert post(receiver.url, b"{}", {}, private=True).error == "no answer in time"
    over.set()


def test_whoever_does_not_speak_http_or_is_not_there(receiver: Receiver) -> None:
    receiver.reply = lambda handler: handler.wfile.write(b"SSH-2.0-x\r\n")
    assert "SSH" in post(receiver.url, b"{}", {}, private=True).error
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert "refused" in post(f"http://127.0.0.1:{port}/", b"{}", {}, private=True).error


def test_a_name_that_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert "nobody.example.org is not found" in post("https://nobody.example.org/", b"{}", {}).error


def certificate(folder: Path, name: str, *, days: int = 1) -> ssl.SSLContext:
    """A server's side of TLS under a name or address, signed by itself and valid for so many days; its
    certificate is `folder`/cert.pem."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=9))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([_alternative(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(Encoding.PEM))
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "key.pem").write_bytes(private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


def _alternative(name: str) -> x509.GeneralName:
    return x509.DNSName(name) if name[-1].isalpha() else x509.IPAddress(ip_address(name))


def test_tls_is_for_the_name_though_the_connection_is_to_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = certificate(tmp_path, "hook.example.org")
    names: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    pretend(monkeypatch, "127.0.0.1")
    with receiving(context=context) as receiver:
        url = f"https://hook.example.org:{receiver.port}/"
        transport._trusting.cache_clear()
        assert "CERTIFICATE_VERIFY_FAILED" in post(url, b"{}", {}, private=True).error
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        transport._trusting.cache_clear()
        assert post(url, b"{}", {}, private=True).status == 204
        other = post(f"https://other.example.org:{receiver.port}/", b"{}", {}, private=True)
        assert "Hostname mismatch" in other.error
        transport._trusting.cache_clear()
    assert names == ["hook.example.org", "hook.example.org", "other.example.org"]
    assert [one.headers["Host"] for one in receiver.received] == [f"hook.example.org:{receiver.port}"]
