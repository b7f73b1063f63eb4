"""The commands as a shell sees them: exit codes, streams, and no database anywhere near."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command, find_commands, load_command_class

from campaigns.management.offline import FILE_COMMANDS
from campaigns.management.offline.command_line import CommandError
from campaigns.management.offline.output import OfflineCommand
from tests.campaigns.management.offline.command_files import write_qrels, write_runs
from tests.plumbing.programs import finished

ROOT = Path(__file__).resolve().parents[4]
MANAGEMENT = ROOT / "campaigns" / "management"


def manage(*arguments: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}
    return finished([sys.executable, "manage.py", *map(str, arguments)], cwd=ROOT, env=environment)


@pytest.fixture
def files(tmp_path: Path) -> list[Any]:
    return ["--runs", write_runs(tmp_path / "runs"), "--qrels", write_qrels(tmp_path)]


def test_evaluate_needs_no_database_and_keeps_its_streams_apart(files: list[Any]) -> None:
    done = manage("evaluate", *files, "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["topics"] == 4
    # No progress bar where there is no terminal.
    unjudged, unranked, gains = done.stderr.splitlines()
    assert "have no judgments" in unjudged
    assert "no run ranks a document" in unranked
    assert gains == (
        "Gains of RBP(p=0.8): 1 for grades 1 to 2, 0 for lower ones (default). "
        "--gains gives each grade its own."
    )


@pytest.mark.parametrize("option", ["--order-out", "--qrels-out"])
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_a_file_on_stdout_is_alone_there(files: list[Any], tmp_path: Path, option: str, name: str) -> None:
    asked = ["simulate", *files, "--topics", "judged", "--method", "A", "--judgments", 3, "--format", "json"]
    manage(*asked, option, tmp_path / "alone")
    done = manage(*asked, option, name)
    assert done.stdout == (tmp_path / "alone").read_text()
    notices, result = done.stderr.split("{", 1)
    assert "no run ranks a document" in notices
    assert json.loads("{" + result)["judged"] == 3


def test_stdout_sent_to_a_file_is_written_on_not_over(files: list[Any], tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = ["simulate", *map(str, files), "--method", "A", "--judgments", "3", "--order-out", "/dev/stdout"]
    with out.open("w") as stream:
        stream.write("before\n")
        stream.flush()
        subprocess.run([sys.executable, "manage.py", *asked], cwd=ROOT, stdout=stream, check=True)
    lines = out.read_text().splitlines()
    assert (lines[0], len(lines)) == ("before", 4)


def test_one_file_only_on_stdout(files: list[Any]) -> None:
    both = ["--order-out", "/dev/stdout", "--qrels-out", "/dev/stdout"]
    done = manage("simulate", *files, "--method", "A", "--judgments", 3, *both)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--order-out and --qrels-out are stdout: it takes one of them" in done.stderr


def test_a_wrong_line_is_named_on_stderr(files: list[Any]) -> None:
    bad = Path(files[1]) / "beta.txt"
    bad.write_text("1 Q0 a 1 0.5 beta\n1 Q0 b 2 beta\n")
    done = manage("simulate", *files, "--method", "C", "--judgments", 5)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{bad}:2: ")
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("RBP(p=2)", "p = 2.0 is not inside (0, 1)"),
        ("P@99999999999", "k = 99999999999 is above 1000000"),
        ("DCG@9999999999", "k = 9999999999 is above 1000000"),
        ("Q(beta=-1)", "beta = -1.0 is negative or not finite"),
    ],
)
def test_wrong_usage_exits_with_2(files: list[Any], measure: str, message: str) -> None:
    done = manage("evaluate", *files, "--measure", measure)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_evaluate_imports_nothing_heavy(files: list[Any]) -> None:
    """Imports are most of what a small file costs; these would be several times the rest."""
    heavy = {
        "altair",
        "bm25s",
        "celery",
        "django",
        "psycopg2",
        "redis",
        "rest_framework",
        "rich",
        "scipy",
        "sklearn",
    }
    program = (
        "import json, sys, manage\n"
        "code = manage.main(['manage.py', 'evaluate', *sys.argv[1:]])\n"
        "print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)"
    )
    done = finished([sys.executable, "-c", program, *map(str, files)], cwd=ROOT, env=dict(os.environ))
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    assert "RBP(p=0.8)" in done.stdout
    assert not heavy.intersection(modules)
    assert not {"campaigns.models", "config.settings", "django", "selection.registry"}.intersection(modules)


@pytest.mark.parametrize("command", ["evaluate", "simulate"])
def test_commands_on_files_give_linear_algebra_one_thread(command: str, files: list[Any]) -> None:
    program = (
        "import json, sys, manage\n"
        "code = manage.main(['manage.py', *sys.argv[1:]])\n"
        "from threadpoolctl import threadpool_info\n"
        "threads = [one['num_threads'] for one in threadpool_info() if one['user_api'] == 'blas']\n"
        "print(json.dumps([code, threads]), file=sys.stderr)"
    )
    others = {"evaluate": ["--measure", "EAP", "--relevance", "experts"]}
    given = [*files, *others.get(command, ["--method", "mtc", "--judgments", "2"])]
    plain = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = finished([sys.executable, "-c", program, command, *map(str, given)], cwd=ROOT, env=plain)
    code, threads = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    assert set(threads) == {1}


def test_commands_on_files_are_those_without_a_database() -> None:
    commands = {name: load_command_class("campaigns", name) for name in find_commands(str(MANAGEMENT))}
    of_files = {name for name, command in commands.items() if isinstance(command, OfflineCommand)}
    assert of_files == set(FILE_COMMANDS)


@pytest.mark.parametrize("command", FILE_COMMANDS)
def test_commands_on_files_print_their_help(command: str) -> None:
    done = manage(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: manage.py {command}")
    assert "--order {score,line,rank}" in done.stdout


def test_commands_on_files_take_the_options_of_every_command(files: list[Any]) -> None:
    plain, done = manage("evaluate", *files), manage("evaluate", *files, "--no-color", "-v", 0)
    assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, plain.stderr)


def test_django_shows_the_help_of_commands_on_files() -> None:
    done = finished([sys.executable, "manage.py", "help", "plan"], cwd=ROOT, env=dict(os.environ))
    assert (done.returncode, done.stdout) == (0, manage("plan", "--help").stdout)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_one_line(files: list[Any]) -> None:
    asked = ["simulate", *files, "--method", "A", "--judgments", 3, "--order-out", "/dev/full"]
    done = manage(*asked)
    assert done.returncode == 1
    assert "The disk is full; nothing more was stored.\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_call_from_python_raises_for_wrong_usage() -> None:
    with pytest.raises(CommandError, match="required: --runs"):
        call_command("evaluate")
    with pytest.raises(TypeError, match="Unknown option"):
        call_command("evaluate", runs=["x"], qrels="y", colour="red")


@pytest.mark.parametrize("command", ["compare", "simulate"])
def test_every_command_on_files_reads_by_rank_where_asked_to(command: str, files: list[Any]) -> None:
    bad = Path(files[1]) / "beta.txt"
    bad.write_text("1 Q0 a 1 0.5 beta\n1 Q0 b x 0.4 beta\n")
    others = {"compare": ["--top-share", 1], "simulate": ["--method", "A", "--judgments", 2]}[command]
    assert manage(command, *files, *others, "--order", "line").returncode == 0
    done = manage(command, *files, *others, "--order", "rank")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{bad}:2: rank 'x' is not a whole number")


def test_several_processes_print_the_same(files: list[Any]) -> None:
    one, two = (manage("evaluate", *files, "--per-topic", "--jobs", jobs) for jobs in (1, 2))
    assert one.returncode == 0
    assert (two.stdout, two.stderr, two.returncode) == (one.stdout, one.stderr, 0)


def test_several_processes_name_the_same_errors(files: list[Any]) -> None:
    for name in ("alpha", "beta"):
        (Path(files[1]) / f"{name}.txt").write_text("1 Q0 a 1 0.5 t\n1 Q0 a 2 0.4 t\n1 Q0 b t\n")
    one, two = (manage("evaluate", *files, "--jobs", jobs) for jobs in (1, 2))
    assert one.returncode == 1
    assert "alpha.txt:2: docno 'a' a second time" in one.stderr
    assert (two.stdout, two.stderr, two.returncode) == ("", one.stderr, 1)
