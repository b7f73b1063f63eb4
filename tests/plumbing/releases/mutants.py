"""Mutants of the kernels: `make mutants [SAMPLE=200] [SEED=1] [MODULES='selection/stopping/tests.py …']`.

cosmic-ray changes one operator, comparison, number or branch of `evaluation/` or `selection/` in a copy of
the project. A mutant dies when a test of the mirrored folder fails, or else one of the other kernels' tests.
The run prints the survivors as differences, and fails if there are any.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import django
import pytest

from tests.plumbing import examples

ROOT = Path(__file__).resolve().parents[3]
KERNELS = ("evaluation", "selection")
COPIED = (*KERNELS, "campaigns", "config", "assess", "docs", "tests", "static", "templates", "locale")
# Annotations are full of `|`; and a decorator is a dataclass or a cache.
SPARED = ("ReplaceBinaryOperator_BitOr_", "RemoveDecorator")
# Tests of the kernels need no server, so they start without the suite's conftest.
OPTIONS = "-q -x --noconftest -p no:django -p no:cacheprovider -p tests.plumbing.releases.mutants"
PYTEST = f"{sys.executable} -m pytest {OPTIONS}"
SECONDS = 900.0


def pytest_configure() -> None:
    """This module is the plugin of the runs, too; some tests call commands, which need Django."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.plumbing.settings")
    django.setup()
    examples.load_profile()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    examples.change_counts(items)


def mirrored(module: Path) -> str:
    """The folder of the module's tests, or the nearest above it."""
    folder = Path("tests") / module.parent
    return str(folder if (ROOT / folder).is_dir() else folder.parent)


def sample(modules: Iterable[Path], count: int, seed: int) -> list[Any]:
    """`count` places of the modules at random, and one mutation of each."""
    from cosmic_ray.commands import init
    from cosmic_ray.work_db import WorkDB, use_db

    places: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    with use_db(":memory:", WorkDB.Mode.create) as database:
        init(modules, database, {})
        for item in database.work_items:
            [mutation] = item.mutations
            if not any(name in mutation.operator_name for name in SPARED):
                places[str(mutation.module_path), *mutation.start_pos].append(mutation)
    drawn = random.Random(seed)
    chosen = drawn.sample(sorted(places), min(count, len(places)))
    return [drawn.choice(sorted(places[place], key=lambda one: one.operator_name)) for place in chosen]


@cache
def check_unchanged(folders: str) -> None:
    """Raise CalledProcessError if tests fail without any mutant: all would seem to die."""
    subprocess.run([*PYTEST.split(), *folders.split()], check=True, stdout=subprocess.DEVNULL)


def survives(mutation: Any) -> str:
    """The difference that the mutation makes if all tests pass, otherwise nothing."""
    from cosmic_ray.mutating import mutate_and_test
    from cosmic_ray.work_item import TestOutcome

    diff = ""
    for folders in (mirrored(Path(mutation.module_path)), " ".join(f"tests/{name}" for name in KERNELS)):
        check_unchanged(folders)
        result = mutate_and_test([mutation], f"{PYTEST} {folders}", SECONDS)
        if result.test_outcome != TestOutcome.SURVIVED:
            return ""
        diff = str(result.diff)
    return diff


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("modules", nargs="*", type=Path)
    options = parser.parse_args()
    os.environ.setdefault("FUZZ", "0.2")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        for name in COPIED:
            shutil.copytree(ROOT / name, Path(folder) / name, ignore=shutil.ignore_patterns("__pycache__"))
        for file in ROOT.glob("*.*"):
            if file.is_file():
                shutil.copy(file, folder)
        os.chdir(folder)
        modules = options.modules or sorted(path for name in KERNELS for path in Path(name).rglob("*.py"))
        mutations = sample(modules, options.sample, options.seed)
        survivors = 0
        for number, mutation in enumerate(mutations, 1):
            diff = survives(mutation)
            survivors += bool(diff)
            name = mutation.operator_name.removeprefix("core/")
            fate = f"SURVIVED\n{diff}" if diff else "died"
            print(
                f"{number}/{len(mutations)} {mutation.module_path}:{mutation.start_pos[0]} {name} {fate}",
                flush=True,
            )
    print(f"{len(mutations)} mutants, {survivors} survived (seed {options.seed})")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
