"""What docker-compose.yml describes, as plain processes: a proxy, web processes, workers and beat.

Commands, variables and the proxy's configuration are the files' own. Only addresses and folders differ.
"""

from __future__ import annotations

import http.client
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from campaigns.operations.backups.postgres_programs import find_program
from config.celery import app
from config.embedded.machine import PROJECT, answers, take_port
from config.embedded.processes import Child, Program
from config.embedded.server_programs import postgres_programs, postgres_version
from config.embedded.supervisor import stop_together
from tests.deployment.compose import EXAMPLE, SERVICES, environment_of
from tests.plumbing.idle import forget_tasks, wait_for
from tests.plumbing.programs import finished, tool

WEBS, WORKERS = 2, 3
DOMAIN = "localhost"
FILLED_IN = {
    **EXAMPLE,
    "DOMAIN": DOMAIN,
    "SECRET_KEY": "replaced",
    "POSTGRES_PASSWORD": "replaced",
    "SITE_PASSWORD": "replaced",
    "REDIS_PASSWORD": "replaced",
    "EMAIL_URL": "consolemail://",
}
UPSTREAMS = """\
		dynamic a {
			name web
			port 8000
			refresh 5s
		}
"""


@dataclass
class Topology:
    """``address``: where browsers go; ``unencrypted``: the same without TLS; ``webs``: each web process,
    without the proxy."""

    address: str
    unencrypted: str
    certificate: Path
    webs: list[str]
    parts: dict[str, Child]


@contextmanager
def running(folder: Path, services: dict[str, str]) -> Iterator[Topology]:
    """Start all parts on the database and broker of ``services``; stop all in the end."""
    with ExitStack() as stack:
        ports = [_reserved_port(stack) for _ in range(WEBS + 2)]
        parts: dict[str, Child] = {}
        stack.callback(lambda: stop_together(list(parts.values()), 10))
        for program in _programs(folder, ports, services):
            parts[program.name] = Child(program, folder / f"{program.name}.log", mark=str(folder))
            parts[program.name].start()
        certificate = folder / "caddy/pki/authorities/local/root.crt"
        for number, port in enumerate(ports[:WEBS], 1):
            wait_for(partial(_serves, port), parts[f"web{number}"])
        wait_for(lambda: certificate.exists() and _listens(ports[-1]), parts["proxy"])
        for number in range(1, WORKERS + 1):
            wait_for(partial(_works, number), parts[f"worker{number}"])
        yield Topology(
            address=f"https://{DOMAIN}:{ports[-1]}",
            unencrypted=f"http://{DOMAIN}:{ports[-2]}",
            certificate=certificate,
            webs=[f"http://{DOMAIN}:{port}" for port in ports[:WEBS]],
            parts=parts,
        )
    forget_tasks()


def _programs(folder: Path, ports: list[int], services: dict[str, str]) -> Iterator[Program]:
    for number, port in enumerate(ports[:WEBS], 1):
        yield _web(number, port, services)
    for number in range(1, WORKERS + 1):
        yield _worker(number, folder, services)
    yield _beat(folder, services)
    yield _proxy(folder, ports)


def site_role(owner: str) -> str:
    """Make the role of web and worker by the script of Compose. `owner`: the database's address for the owner
    of its tables; returned is that for the role."""
    parts = urlsplit(owner)
    server = parts.hostname or parse_qs(parts.query)["host"][0]
    psql = find_program("psql", postgres_version(postgres_programs()))
    environment = {
        **os.environ,
        "PATH": f"{psql.parent}{os.pathsep}{os.environ['PATH']}",
        "PGHOST": server,
        "PGPORT": str(parts.port or 5432),
        "PGPASSWORD": parts.password or "",
        "POSTGRES_USER": parts.username or "",
        "POSTGRES_DB": parts.path.removeprefix("/"),
        "SITE_PASSWORD": FILLED_IN["SITE_PASSWORD"],
    }
    done = finished(["sh", str(PROJECT / "deploy" / "site_role.sh")], env=environment)
    assert done.returncode == 0, done.stderr
    _, _, place = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"site:{FILLED_IN['SITE_PASSWORD']}@{place}").geturl()


def _reserved_port(stack: ExitStack) -> int:
    """Bound but not listened on: no other program gets it, and a server may still take it."""
    held = stack.enter_context(take_port("127.0.0.1", 0))
    port: int = held.getsockname()[1]
    return port


def _serves(port: int) -> bool:
    return answers(DOMAIN, port) is not None


def _works(number: int) -> bool:
    return bool(app.control.ping(destination=[f"worker{number}@topology"], timeout=1, limit=1))


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _web(number: int, port: int, services: dict[str, str]) -> Program:
    command = [sys.executable, "-m", "config.web", "127.0.0.1", str(port)]
    return Program(f"web{number}", command, environment_of("web", FILLED_IN) | services)


def _worker(number: int, folder: Path, services: dict[str, str]) -> Program:
    name = f"worker{number}"
    command = [tool(SERVICES["worker"]["command"][0]), *SERVICES["worker"]["command"][1:]]
    # Containers have a host name each.
    command += ["--hostname", f"{name}@topology"]
    return Program(name, command, _with_heartbeat(name, "worker", folder) | services)


def _beat(folder: Path, services: dict[str, str]) -> Program:
    command = [word.replace("/tmp/", f"{folder}/") for word in SERVICES["beat"]["command"]]
    return Program(
        "beat", [tool(command[0]), *command[1:]], _with_heartbeat("beat", "beat", folder) | services
    )


def _with_heartbeat(name: str, service: str, folder: Path) -> dict[str, str]:
    return environment_of(service, FILLED_IN) | {"HEARTBEAT_FILE": str(folder / f"{name}.heartbeat")}


def _proxy(folder: Path, ports: list[int]) -> Program:
    text = (PROJECT / "deploy" / "Caddyfile").read_text()
    upstreams = " ".join(f"127.0.0.1:{port}" for port in ports[:WEBS])
    # The answer names the web process, so that a test can count.
    mine = f"to {upstreams}\nheader_down Web {{http.reverse_proxy.upstream.hostport}}\n"
    changes = {UPSTREAMS: mine, "8080": str(ports[-2]), "8443": str(ports[-1])}
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    configuration = folder / "Caddyfile"
    configuration.write_text(text)
    command = [tool("caddy"), "run", "--config", str(configuration), "--adapter", "caddyfile"]
    environment = environment_of("proxy", FILLED_IN) | {"XDG_DATA_HOME": str(folder), "HOME": str(folder)}
    return Program("proxy", command, environment)


def follow(site: str, path: str, secret: str) -> http.client.HTTPResponse:
    """The stream of events of one web process, whose first line is here."""
    connection = http.client.HTTPConnection(site.removeprefix("http://"), timeout=60)
    headers = {"Authorization": f"Token {secret}", "Accept": "text/event-stream"}
    connection.request("GET", path, headers=headers)
    stream = connection.getresponse()
    assert stream.readline().startswith(b"retry:"), stream.status
    return stream
