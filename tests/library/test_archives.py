"""Wheel and source archive of the library."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

from tests.library.bare_environment import ROOT, Archives, BareEnvironment, build, metadata_of

MOST_BYTES = 2_000_000


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_holds_one_small_typed_package(archives: Archives) -> None:
    names = names_in(archives.wheel)
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"judged"}
    assert {"judged/py.typed", "judged/evaluation/names.py", "judged/client.py"} <= names
    assert not [name for name in names if "__pycache__" in name or "/models/" in name]
    assert archives.wheel.stat().st_size < MOST_BYTES


def test_wheel_requires_numpy_and_scipy_alone(archives: Archives) -> None:
    said = metadata_of(archives.wheel)
    required = said.get_all("Requires-Dist", [])
    assert sorted(one.split(">")[0] for one in required if "extra ==" not in one) == ["numpy", "scipy"]
    assert {"django", "celery", "redis", "psycopg2-binary"}.isdisjoint(one.split(">")[0] for one in required)
    assert (said["Name"], said["License-Expression"]) == ("judged", "Apache-2.0")


def test_source_archive_builds_the_same_wheel(archives: Archives, tmp_path: Path) -> None:
    with tarfile.open(archives.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    assert not (source / "campaigns" / "models").exists()
    again = build(source, tmp_path / "again")
    assert again.wheel.read_bytes() == archives.wheel.read_bytes()


def test_installed_package_is_alone(bare: BareEnvironment, outside: Path) -> None:
    program = (
        "import importlib.util, judged\n"
        "names = ['django', 'celery', 'redis', 'psycopg2', 'campaigns', 'evaluation', 'selection']\n"
        "print([name for name in names if importlib.util.find_spec(name)])\n"
        "print(judged.__file__)"
    )
    done = bare.run("python", "-c", program, folder=outside)
    assert done.returncode == 0, done.stderr
    found, file = done.stdout.splitlines()
    assert found == "[]"
    assert Path(file).parent.parent.name == "site-packages"
    assert not Path(file).is_relative_to(ROOT)


def test_importing_the_package_imports_no_numpy(bare: BareEnvironment, outside: Path) -> None:
    program = "import judged, sys; print(sorted({'numpy', 'scipy', 'argparse'} & set(sys.modules)))"
    assert bare.run("python", "-c", program, folder=outside).stdout == "[]\n"


# Of use only beside the package of that name.
ADAPTERS = {"judged.ir_measures"}


def test_every_module_can_be_imported(bare: BareEnvironment, outside: Path) -> None:
    program = (
        "import importlib, pkgutil, judged\n"
        "names = {one.name for one in pkgutil.walk_packages(judged.__path__, 'judged.')}\n"
        f"for name in sorted(names - {ADAPTERS}):\n"
        "    importlib.import_module(name)"
    )
    done = bare.run("python", "-c", program, folder=outside)
    assert done.returncode == 0, done.stderr
