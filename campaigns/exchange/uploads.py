"""Files of a campaign by their kinds: each is read, stored and reported, alone or out of an archive."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import IO, Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from campaigns.collection.documents import storing_documents
from campaigns.collection.runs import RunSource, store_runs
from campaigns.collection.topics import store_topics
from campaigns.exchange.column_choices import choice_of, kind_by_columns, numbers_by_title, remember_choice
from campaigns.exchange.grade_maps import GradeChoice, read_map
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.archives import MemberStreams, archive_members
from campaigns.formats.compressed_files import ByteReader, PrefixedStream, open_stream, plain_name
from campaigns.formats.conversion.converted import recognise_by_columns
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.documents.single import DOCNO_BY_PATH, docnos_by_path, type_by_name
from campaigns.formats.errors import (
    COLLECTION_BYTES,
    QRELS_BYTES,
    RUN_BYTES,
    TOPICS_BYTES,
    FormatError,
    LineError,
    Notices,
    quote,
    what_is_wrong_with_name,
)
from campaigns.formats.qrels import read_qrels
from campaigns.formats.recognition.content import BINARY_TABLES, Kind, Recognition
from campaigns.formats.recognition.heads import HEAD_BYTES, recognise_file
from campaigns.formats.recognition.roles import ColumnChoice
from campaigns.formats.runs.files import read_runs
from campaigns.formats.topics import DocumentRecord, read_topics
from campaigns.models import Campaign, Collection


@dataclass(frozen=True)
class UploadOptions:
    """Options for an upload of topics, runs or qrels."""

    group: str = ""
    contributes: bool = True
    lenient: bool = False
    reword: bool = False
    # Of documents that were judged: whether they get the file's texts.
    replace: bool = False
    # Of qrels: pairs such as `3=1`, empty for none; or to make the file's grades the campaign's.
    map: str = ""
    use_grades: bool = False
    # The column of each role; of documents also the path of their text in objects of JSON. None for those
    # that were chosen before.
    columns: Mapping[str, str] | None = None
    text_field: str | None = None
    # Of an archive, options are for each of its files that they fit.
    in_archive: bool = False

    def choice(self, collection: Collection, kind: Kind) -> ColumnChoice:
        return choice_of(
            collection=collection,
            kind=kind.value,
            chosen=self.columns,
            text_field=self.text_field,
            in_archive=self.in_archive,
        )

    @property
    def grades(self) -> GradeChoice:
        return GradeChoice(read_map([self.map]) if self.map.strip() else None, self.use_grades)


@dataclass(frozen=True)
class UploadResult:
    """Result of an upload: the numbers stored, by kind, and notices about the file."""

    taken: Mapping[str, int]
    noticed: Sequence[Mapping[str, Any]] = ()


def size_limit(limit_of_kind: int) -> int:
    """Size limit of an upload of a kind, in bytes; the site's own limit may be lower."""
    return min(limit_of_kind, int(settings.MAX_UNPACKED_BYTES))


class _Digest:
    """A file whose SHA-256 is computed as it is read."""

    def __init__(self, file: ByteReader) -> None:
        self._file, self._sha256 = file, hashlib.sha256()

    def read(self, size: int, /) -> bytes:
        piece = self._file.read(size)
        self._sha256.update(piece)
        return piece

    def hexdigest(self) -> str:
        while self.read(1 << 18):
            pass
        return self._sha256.hexdigest()


def store_topics_file(
    *, campaign: Campaign, user: User, file: ByteReader, name: str, options: UploadOptions
) -> UploadResult:
    notices = Notices("topics")
    columns = options.choice(campaign.collection, Kind.TOPICS)
    records = read_topics(file, name, max_bytes=size_limit(TOPICS_BYTES), notices=notices, columns=columns)
    stored = store_topics(campaign=campaign, user=user, records=records, file=name, reword=options.reword)
    remember_choice(collection=campaign.collection, kind=Kind.TOPICS, choice=columns)
    taken = {"topics": stored.added, "revised": stored.revised, "unchanged": stored.unchanged}
    return UploadResult(taken, notices.rows())


def store_runs_file(
    *, campaign: Campaign, user: User, file: ByteReader, name: str, options: UploadOptions
) -> UploadResult:
    hashed, columns = _Digest(file), options.choice(campaign.collection, Kind.RUN)
    parsed = read_runs(
        hashed,
        name,
        lenient=options.lenient,
        score_precision=campaign.run_precision,
        max_bytes=size_limit(RUN_BYTES),
        in_memory=False,
        folder=settings.FILE_UPLOAD_TEMP_DIR,
        columns=columns,
    )
    source = RunSource(
        user=user,
        file=PurePosixPath(name).name[:_LONGEST_NAME],
        sha256=hashed.hexdigest(),
        group=options.group,
        contributes=options.contributes,
    )
    runs = store_runs(campaign=campaign, parsed=parsed, upload=source)
    remember_choice(collection=campaign.collection, kind=Kind.RUN, choice=columns)
    taken = {
        "runs": len(runs),
        "topics": max(len(run.rankings) for run in parsed),
        "lines": sum(run.report.lines for run in parsed),
    }
    return UploadResult(taken, [{"run": run.tag, **row} for run in runs for row in run.noticed])


def store_qrels_file(
    *, campaign: Campaign, user: User, file: ByteReader, name: str, options: UploadOptions
) -> UploadResult:
    choice, columns = options.grades, options.choice(campaign.collection, Kind.QRELS)
    columns.titles = partial(numbers_by_title, campaign)
    parsed = read_qrels(file, name, max_bytes=size_limit(QRELS_BYTES), columns=columns)
    stored = store_qrels(campaign=campaign, user=user, parsed=parsed, file=name, choice=choice)
    remember_choice(collection=campaign.collection, kind=Kind.QRELS, choice=columns)
    noticed: list[Mapping[str, Any]] = [*parsed.report.as_rows()]
    if stored.map:
        detail = "File grade = campaign grade; what became none was left out."
        noticed.append({"what": f"grades mapped: {stored.map}", "count": stored.left_out, "detail": detail})
    return UploadResult({"judgments": stored.added, "unchanged": stored.unchanged}, noticed)


_STORES: dict[Kind, Callable[..., UploadResult]] = {
    Kind.TOPICS: store_topics_file,
    Kind.RUN: store_runs_file,
    Kind.QRELS: store_qrels_file,
}
_LONGEST_NAME = 255
# Files that are left out, by name; of more, only the number.
_MOST_REPORTED = 100
# What is added up over the files of an archive. What is `unchanged` there are documents.
_SUMMED = ("documents", "topics", "revised", "runs", "judgments")


def store_archive(
    *, campaign: Campaign, user: User, file: IO[bytes], name: str, options: UploadOptions
) -> UploadResult:
    """Store every file of an archive, or nothing: documents first, then topics, runs and qrels.

    Files of other kinds are left out and reported. Pages and images are documents of their own where the
    archive holds nothing but documents: beside runs they are rather a description.

    Raises
    ------
    FormatError : of the archive, or of the first file in it that has errors, as `archive/file`.
    Refusal : as for each file alone.
    """
    max_bytes, options = size_limit(COLLECTION_BYTES), replace(options, in_archive=True)
    is_zip = _head(file).startswith(b"PK")

    def members() -> MemberStreams:
        return archive_members(file, name, is_zip=is_zip, max_bytes=max_bytes)

    kinds, left_out = _kinds(members(), name, partial(_as_chosen, campaign.collection, options))
    counts, noticed = Counter[str](), list[Mapping[str, Any]]()
    with transaction.atomic(), ExitStack() as stack:
        if Kind.DOCUMENTS in kinds.values():
            notices = Notices()
            columns = options.choice(campaign.collection, Kind.DOCUMENTS)
            with closing(_documents(members(), name, kinds, notices, columns)) as documents:
                storing = storing_documents(
                    collection=campaign.collection, records=documents, file=name, replace=options.replace
                )
                stored = stack.enter_context(storing)
            remember_choice(collection=campaign.collection, kind=Kind.DOCUMENTS, choice=columns)
            counts.update(stored.taken)
            noticed += notices.rows()
        for kind, store in _STORES.items():
            if kind not in kinds.values():
                continue
            with closing(members()) as streams:
                for path, stream in streams:
                    if kinds.get(path) is kind:
                        one = store(
                            campaign=campaign, user=user, file=stream, name=f"{name}/{path}", options=options
                        )
                        _add(counts, one.taken, kind)
                        noticed += one.noticed
    return UploadResult(dict(counts), [*noticed, *left_out])


def _head(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read(2)


def _add(counts: Counter[str], taken: Mapping[str, int], kind: Kind) -> None:
    """The topics of a run are the campaign's, which were counted as they came."""
    for what, count in taken.items():
        if what in _SUMMED and not (kind is Kind.RUN and what == "topics"):
            counts[what] += count


def _as_chosen(collection: Collection, options: UploadOptions, found: Recognition) -> Recognition:
    kind = kind_by_columns(collection=collection, found=found, names=found.columns, chosen=options.columns)
    return replace(found, kind=kind)


def _kinds(
    members: MemberStreams, name: str, as_chosen: Callable[[Recognition], Recognition]
) -> tuple[dict[str, Kind], list[Mapping[str, Any]]]:
    """The kind of each file that is stored, by its path, and a row for each that is not."""
    found = {}
    with closing(members) as streams:
        for path, stream in streams:
            found[path] = as_chosen(_recognised(stream, f"{name}/{path}", path))
    kinds = {path: one.kind for path, one in found.items() if one.kind in (*_STORES, Kind.DOCUMENTS)}
    if not set(kinds.values()) & set(_STORES):
        singles = [path for path, one in found.items() if one.kind is Kind.DOCUMENT and type_by_name(path)]
        # A README beside a file of many documents is about them.
        if kinds:
            singles = [path for path in singles if PurePosixPath(path).stem.lower() != "readme"]
        kinds |= dict.fromkeys(singles, Kind.DOCUMENTS)
    if not kinds:
        detail = gettext("there is no file in it that can be imported")
        raise FormatError(name, [LineError(None, detail)])
    others = [(path, one) for path, one in found.items() if path not in kinds]
    left_out: list[Mapping[str, Any]] = [
        {"what": f"left out: {path}", "count": 1, "detail": f"It looks like {one.words}."}
        for path, one in others[:_MOST_REPORTED]
    ]
    if len(others) > _MOST_REPORTED:
        more = len(others) - _MOST_REPORTED
        left_out.append({"what": "left out: further files", "count": more, "detail": "Not named here."})
    return kinds, left_out


def _recognised(stream: ByteReader, name: str, path: str) -> Recognition:
    head = stream.read(HEAD_BYTES)
    found = recognise_file(head, name=path)
    if found.layout not in BINARY_TABLES:
        return found
    with open_stream(PrefixedStream(head, stream), name, max_bytes=size_limit(COLLECTION_BYTES)) as whole:
        return recognise_by_columns(whole, found, folder=settings.FILE_UPLOAD_TEMP_DIR)


def _documents(
    members: MemberStreams, name: str, kinds: Mapping[str, Kind], notices: Notices, columns: ColumnChoice
) -> Generator[DocumentRecord]:
    docnos = _docnos([path for path, kind in kinds.items() if kind is Kind.DOCUMENTS], name, notices)
    with closing(members) as streams:
        for path, stream in streams:
            if kinds.get(path) is Kind.DOCUMENTS:
                limit = size_limit(COLLECTION_BYTES)
                for document in iter_documents(
                    stream,
                    f"{name}/{path}",
                    max_bytes=limit,
                    notices=notices,
                    text_field=columns.path,
                    columns=columns,
                    folder=settings.FILE_UPLOAD_TEMP_DIR,
                ):
                    yield replace(document, docno=docnos[path]) if path in docnos else document


def _docnos(paths: Sequence[str], name: str, notices: Notices) -> dict[str, str]:
    """Docnos of files that are one document each, where several have one name."""
    docnos = docnos_by_path([path for path in paths if type_by_name(path)])
    longer = {path: docno for path, docno in docnos.items() if docno != PurePosixPath(plain_name(path)).stem}
    for path, docno in longer.items():
        notices.add(*DOCNO_BY_PATH, name=docno)
        if reason := what_is_wrong_with_name("docno", docno):
            raise FormatError(f"{name}/{path}", [LineError(None, f"{reason}: {quote(docno)}", "docno")])
    return longer
