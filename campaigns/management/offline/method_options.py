"""Options of selection methods on the command line."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields

from campaigns.management.offline.command_line import CommandParser
from campaigns.management.offline.options import seed, seeds
from selection.registry import METHODS, MethodEntry, check_options
from selection.topics.methods import TopicMethodEntry


def add_method_options(
    parser: CommandParser,
    methods: Mapping[str, MethodEntry | TopicMethodEntry] = METHODS,
    *,
    seed_for: str,
    several_seeds: bool = False,
) -> None:
    """--option and --seed; `seed_for` says what is drawn. `several_seeds`: --seed gives a tuple of them."""
    parser.add_argument(
        "--option",
        type=name_and_value,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="option of the method; may be repeated (defaults shown). Options of "
        f"{options_of_methods(methods)}",
    )
    if several_seeds:
        parser.add_argument(
            "--seed",
            "--seeds",
            type=seeds,
            default=(0,),
            metavar="N|N,N|N-N",
            help=f"random seeds {seed_for} (default: 0)",
        )
    else:
        parser.add_argument(
            "--seed", type=seed, default=0, help=f"random seed {seed_for} (default: %(default)s)"
        )


def name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def gather_options(
    method: str,
    given: Sequence[tuple[str, str]],
    check: Callable[[str, Mapping[str, object]], None] = check_options,
) -> dict[str, str]:
    """Raise ValueError for an option that the method does not have, or that is given twice."""
    options = dict(given)
    if len(options) < len(given):
        names = [name for name, _ in given]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"option {twice} is given twice")
    check(method, options)
    return options


def options_of_methods(methods: Mapping[str, MethodEntry | TopicMethodEntry] = METHODS) -> str:
    """Every method's options with their defaults, in a line."""
    lines = []
    for method, registered in methods.items():
        listed = [
            field.name
            if field.default is MISSING or field.default is None
            else f"{field.name}={field.default}"
            for field in fields(registered.options)
        ]
        if listed:
            lines.append(f"{method}: {', '.join(listed)}")
    return "; ".join(lines)
