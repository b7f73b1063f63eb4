from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from campaigns.management.demo.corpus import Document
from campaigns.management.demo.loading import QRELS
from tests.plumbing.programs import finished

PROJECT = Path(__file__).resolve().parents[4]
Documents = dict[str, Document]


def test_docnos_ascend(demo_documents: Documents) -> None:
    assert list(demo_documents) == sorted(demo_documents)
    assert len(demo_documents) > 5000


def test_stored_judgments_are_of_documents_here(demo_documents: Documents) -> None:
    judged = [line.split()[2] for line in QRELS.read_text().splitlines()]
    # Other versions of Python and its libraries lack a few.
    assert sum(docno in demo_documents for docno in judged) >= 0.9 * len(judged)


def test_every_docno_leads_to_an_object(demo_documents: Documents, tmp_path: Path) -> None:
    names = tmp_path / "names"
    names.write_text("\n".join(demo_documents))
    done = finished(
        [sys.executable, "-m", "tests.campaigns.management.demo.docno_resolution", str(names)], cwd=PROJECT
    )
    assert (done.stdout, done.returncode) == ("", 0), done.stderr


def test_nothing_private_and_no_tests(demo_documents: Documents) -> None:
    parts = {part for docno in demo_documents for part in docno.split(".")}
    assert not {part for part in parts if part.startswith("_")}
    assert not parts & {"tests", "conftest", "migrations", "idlelib", "tkinter"}


@pytest.mark.parametrize(
    "docno",
    [
        # built in, written in C, ufunc, instance, method, property, module, read from sources
        *("open", "list.sort", "str.split", "math.hypot", "numpy.sin", "scipy.special.gamma"),
        *("scipy.stats.norm", "numpy.random.Generator.normal", "numpy.ndarray.T", "heapq"),
        *("os.path.join", "json.dumps", "collections.Counter.most_common", "asyncio.gather"),
        *("concurrent.futures.ThreadPoolExecutor", "xml.etree.ElementTree.parse"),
        *("django.utils.timezone.localtime", "django.db.models.query.QuerySet.select_related"),
    ],
)
def test_objects_go_by_their_usual_names(demo_documents: Documents, docno: str) -> None:
    assert docno in demo_documents


@pytest.mark.parametrize(
    "docno", ["posixpath.join", "io.open", "asyncio.tasks.gather", "numpy.abs", "numpy.linalg.linalg.eigh"]
)
def test_other_names_of_the_same_objects_are_left_out(demo_documents: Documents, docno: str) -> None:
    assert docno not in demo_documents


def test_no_text_twice(demo_documents: Documents) -> None:
    texts = {" ".join(document.body.split()) for document in demo_documents.values()}
    assert len(texts) == len(demo_documents)


def test_titles_name_the_object_and_its_parameters_only(demo_documents: Documents) -> None:
    for docno, document in demo_documents.items():
        assert re.fullmatch(rf"(class |module |property )?{re.escape(docno)}(\(.*)?", document.title)
        assert " at 0x" not in document.title
        assert len(document.title) <= 200


def test_bodies_are_plain_text(demo_documents: Documents) -> None:
    for document in demo_documents.values():
        assert not re.search(r"^\.\. (note|math|versionadded)::", document.body, re.MULTILINE)
        assert "\t" not in document.body
        assert document.body == document.body.strip("\n")
        assert len(re.findall(r"[A-Za-z]{2,}", document.body)) >= 8
