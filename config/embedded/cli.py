"""The supervisor's command line: `python manage.py serve`, and `python manage.py demo` around it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config.embedded.machine import DataFolders, EmbeddedError, default_data_folder, places_at, take_port
from config.embedded.migrations import all_applied
from config.embedded.supervisor import StopRequested, Supervisor, hold_folder_lock, print_message
from config.environment import port


def serve(arguments: Sequence[str], *, first: str | None = None) -> int:
    """Run until stopped; ``first`` names a management command to run before the site opens."""
    try:
        parser = serve_parser(first or "serve")
    except ImproperlyConfigured as error:
        print(error, file=sys.stderr)
        return 1
    options, rest = parser.parse_known_args(arguments)
    if rest and first is None:
        parser.error(f"unknown arguments: {' '.join(rest)}")
    return _exit_code(lambda: _serve(options, [first, *rest] if first else []))


def run_with_services(arguments: Sequence[str]) -> int:
    """Run one command on the data folder of a site that is not running."""
    # One that was stopped has not done its work.
    return _exit_code(lambda: _run_with_services(arguments), stopped=1)


def _run_with_services(arguments: Sequence[str]) -> None:
    places = places_at(default_data_folder())
    with hold_folder_lock(places, arguments[0]), Supervisor(places) as supervisor:
        supervisor.start_services()
        supervisor.run_command(arguments, on_terminal=True)


def _exit_code(run: Callable[[], None], *, stopped: int = 0) -> int:
    try:
        run()
    except StopRequested:
        return stopped
    except (EmbeddedError, PermissionError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _serve(options: argparse.Namespace, first: Sequence[str]) -> None:
    places = places_at(options.data)
    host = f"[{options.host}]" if ":" in options.host else options.host
    address = f"http://{host}:{options.port}/"
    with hold_folder_lock(places, address):
        if options.services_only:
            _only_services(places)
        else:
            _whole_site(places, options, first, address)


def _only_services(places: DataFolders) -> None:
    with Supervisor(places) as supervisor:
        supervisor.start_services()
        print_message(f"Postgres and Redis are up; their addresses are in {places.environment}")
        supervisor.watch()


def _whole_site(places: DataFolders, options: argparse.Namespace, first: Sequence[str], address: str) -> None:
    with take_port(options.host, options.port) as listener, Supervisor(places) as supervisor:
        print_message(f"Starting the database; its data lie in {places.data}")
        supervisor.start_services(listener)
        if not all_applied(supervisor.environment["DATABASE_URL"]):
            print_message("Making its tables")
            supervisor.run_command(["migrate", "--no-input", "--skip-checks"])
        if first:
            supervisor.run_command(first, on_terminal=True)
        print_message("Starting the site")
        supervisor.start_site(listener)
        print_message(f"Ready at {address}   (Ctrl-C stops everything; the data stays in {places.data})")
        supervisor.watch()


def serve_parser(name: str) -> argparse.ArgumentParser:
    demo = "Make the demo campaign unless it is there, and run the site as serve does. "
    parser = argparse.ArgumentParser(
        prog=f"{Path(sys.argv[0]).name} {name}",
        description=(demo if name == "demo" else "")
        + "Start a private Postgres and Redis (unless DATABASE_URL and REDIS_URL name others), the web "
        "server, the worker and beat.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument(
        "--port",
        type=int,
        default=port("PORT", 8000),
        help="port to listen on (default: %(default)s; the environment variable PORT changes it)",
    )
    parser.add_argument(
        "--data", type=Path, default=default_data_folder(), help="data folder (default: %(default)s)"
    )
    parser.add_argument(
        "--services-only",
        action="store_true",
        help="start only Postgres and Redis, without web server, worker and beat",
    )
    return parser
