"""The base of the commands on files, by argparse alone.

Django finds and calls such a command like those of its own (`call_command`, `manage.py help NAME`): it asks
for no more than the methods and attributes here.
"""

from __future__ import annotations

import os
import sys
from abc import abstractmethod
from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, NoReturn, TextIO

from campaigns.formats.errors import NO_ROOM
from campaigns.management.offline import FILE_COMMANDS
from evaluation.extras import MissingExtra


class CommandError(Exception):
    """Wrong usage, or work that cannot be done; `returncode` is the exit code."""

    def __init__(self, message: str, *, returncode: int = 1) -> None:
        super().__init__(message)
        self.returncode = returncode


class CommandParser(ArgumentParser):
    """A parser that ends the process for a wrong command line, and raises CommandError for a wrong call."""

    ends_process = False

    def error(self, message: str) -> NoReturn:
        if self.ends_process:
            super().error(message)
        raise CommandError(f"Error: {message}")


class Output:
    """A text stream as commands write to it: each message ends its line."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, message: str) -> None:
        self.stream.write(message if message.endswith("\n") else f"{message}\n")


class FileCommand:
    help = ""
    # Django reads these.
    requires_system_checks: ClassVar[list[str]] = []
    base_stealth_options = ("stdout", "stderr")
    stealth_options: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.stdout, self.stderr = Output(sys.stdout), Output(sys.stderr)

    @abstractmethod
    def add_arguments(self, parser: CommandParser) -> None: ...

    @abstractmethod
    def handle(self, *args: Any, **options: Any) -> None: ...

    def create_parser(self, prog_name: str, subcommand: str) -> CommandParser:
        parser = CommandParser(prog=f"{Path(prog_name).name} {subcommand}", description=self.help)
        self.add_arguments(parser)
        # Scripts may send these to any command of a site; here they change nothing.
        parser.add_argument("-v", "--verbosity", type=int, choices=range(4), default=1, help=SUPPRESS)
        parser.add_argument("--no-color", action="store_true", help=SUPPRESS)
        parser.add_argument("--force-color", action="store_true", help=SUPPRESS)
        return parser

    def print_help(self, prog_name: str, subcommand: str) -> None:
        self.create_parser(prog_name, subcommand).print_help()

    def run_from_argv(self, argv: Sequence[str]) -> None:
        """Run the command line of a program: its name, the command's, and arguments.

        Raises SystemExit with the exit code, except after success.
        """
        parser = self.create_parser(argv[0], argv[1])
        parser.ends_process = True
        options = vars(parser.parse_args(argv[2:]))
        try:
            self.execute(**options)
        except CommandError as error:
            self.stderr.write(f"CommandError: {error}")
            raise SystemExit(error.returncode) from error
        except MissingExtra as error:
            self.stderr.write(str(error))
            raise SystemExit(1) from error
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            self.stderr.write(f"The disk is full; nothing more was stored.\n{error}")
            raise SystemExit(1) from error

    def execute(self, *args: Any, **options: Any) -> None:
        """Run the command with parsed options; `stdout` and `stderr` take the place of the process's own."""
        self.stdout = Output(options.get("stdout") or sys.stdout)
        self.stderr = Output(options.get("stderr") or sys.stderr)
        self.handle(*args, **options)


def run_file_command(arguments: Sequence[str]) -> None:
    """Run one of `FILE_COMMANDS`; `arguments` begin with the program's name and the command's."""
    # Threads of linear algebra that wait for each other cost minutes on a busy machine. Numpy reads the
    # variable when it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    module = import_module(f"..commands.{_underscored(arguments[1])}", __package__)
    module.Command().run_from_argv(arguments)


def main() -> None:
    """Run the library's program: `judged COMMAND …`, with the name of a command in either spelling."""
    listed = "\n".join(f"  {name.replace('_', '-'):<16}{does}" for name, does in FILE_COMMANDS.items())
    parser = CommandParser(
        prog="judged",
        description=f"Evaluate search systems with few relevance judgments.\n\ncommands:\n{listed}",
        epilog="judged COMMAND --help explains the options of a command.",
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.ends_process = True
    parser.add_argument("--version", action="version", version=version("judged"))
    parser.add_argument("command", metavar="COMMAND", type=_underscored, choices=FILE_COMMANDS)
    parser.parse_args(sys.argv[1:2])
    run_file_command(["judged", *sys.argv[1:]])


def _underscored(name: str) -> str:
    return name.replace("-", "_")
