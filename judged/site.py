"""A site's campaigns from Python: upload data frames, and read judgments and scores as tables."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from shutil import unpack_archive
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from campaigns.api.client import Campaign, Client, Judgment, Report
from judged.qrels import Qrels, QrelsSource, read_qrels
from judged.records import json_line, records_of
from judged.runs import Runs, RunsSource, read_runs
from judged.sources import paths_of
from judged.tables import Row, Table, Value

# The files that a source becomes, one after the other.
_Files: TypeAlias = Callable[[Any, Mapping[str, str], Path], Iterator[Path]]


class Site:
    """A site as the owner of a token sees it.

    Parameters
    ----------
    url : str
        Address of the site, such as https://assess.example.org.
    token : str
        Secret of an API token.
    **options : those of `Client`: tries, timeout, retrying

    Examples
    --------
    >>> site = Site("https://assess.example.org", "assess_…")
    >>> site.campaign("library").slug
    'library'
    """

    def __init__(self, url: str, token: str, **options: Any) -> None:
        self.client = Client(url, token, **options)

    def campaigns(self) -> Table[Row]:
        """All campaigns in which the token's owner has a role, found by their slugs."""
        return _table(self.client.campaigns(), "slug")

    def campaign(self, slug: str) -> SiteCampaign:
        return SiteCampaign(self.client.campaign(slug))

    def create(self, name: str, **settings: Any) -> SiteCampaign:
        """Create a campaign as a draft. `settings`: those of the API, such as slug, p, method, grades."""
        return SiteCampaign(self.client.create(name, **settings))


class SiteCampaign:
    """One campaign of a site. Each use of a table fetches it again.

    `documents`, `topics`, `runs` and `qrels` take uploads. All other methods are those of the client's
    `Campaign`: `open()`, `close()`, `invite()`, `next(topic)`, `priorities(topic)`, `events()`, `export()` …

    Every request raises the client's `Problem` if the site refuses it.
    """

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.documents = Uploads(campaign, "collection", _documents_file)
        self.topics = Listing(campaign, "topics", _topics_file, lambda: _table(campaign.topics(), "number"))
        self.runs = RunListing(campaign, "runs", _run_files, lambda: _table(campaign.runs(), "run"))
        self.qrels = QrelsListing(
            campaign, "qrels", _qrels_file, lambda: self._exported("qrels", "topic", "docno")
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "campaign":
            raise AttributeError(name)
        return getattr(self.campaign, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.campaign)})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.campaign.slug!r})"

    @property
    def judgments(self) -> Table[Row]:
        """Every act of the log, oldest first, found by its sequence number."""
        return _table(self.campaign.judgments(), "sequence")

    @property
    def scores(self) -> Table[Row]:
        """Mean RBP score ranges, found by run: base, residual, top and projected."""
        return _table(map(vars, self.campaign.intervals()), "run")

    @property
    def topic_scores(self) -> Table[Row]:
        """RBP score ranges of each topic, found by run and topic; their means as topic `all`."""
        return self._exported("scores", "run", "topic")

    @property
    def measures(self) -> Table[Row]:
        """Mean scores by the campaign's measures, found by run, measure and statement (certain …)."""
        return self._exported("measures", "run", "measure", "statement")

    def judge(self, topic: str, docno: str, grade: int, **more: Any) -> dict[str, Any]:
        """Judge a document as the token's owner.

        `more`: other fields of `Judgment`. Returns the recorded judgment, the progress and the next document.
        """
        return self.campaign.judge(Judgment(topic, docno, grade, **more))

    def _exported(self, what: str, *keys: str) -> Table[Row]:
        with TemporaryDirectory() as folder:
            file = self.campaign.export(what, Path(folder, what), format="jsonl", progress=False)
            return _table(map(json.loads, file.read_text(encoding="utf-8").splitlines()), *keys)


class Uploads:
    """Files or data of one kind that a campaign takes."""

    def __init__(self, campaign: Campaign, kind: str, files: _Files) -> None:
        self._campaign, self._kind, self._files = campaign, kind, files

    def upload(self, source: Any, *, columns: Mapping[str, str] | None = None, **fields: Any) -> Table[Row]:
        """Upload a source.

        Parameters
        ----------
        source : path, list of paths, or folder, in any format that the site reads; or
            for runs and qrels: all that `read_runs` and `read_qrels` take, several runs by a column `run`;
            for documents and topics: data frame of pandas, polars or pyarrow; {docno or topic: text or
            dictionary of fields}; dictionaries or named tuples
        columns : columns by their roles, such as {"docno": "key"}; of frames, those of documents and topics
        **fields : fields of the API, such as group, contributes, lenient

        Returns
        -------
        Table : one row a file: its name, and the number of stored records of each kind. The report's notices
            are in `notices`.

        Raises
        ------
        FormatError : before anything is sent, for data in memory that lack a column or have a wrong value.
        Problem : if the site refuses a file. It has stored the files before it.
        """
        if paths := paths_of(source):
            return _reported(self._campaign.upload(self._kind, *paths, columns=columns, **fields))
        if columns and self._kind in ("runs", "qrels"):
            raise TypeError(f"columns are for files; rename those of the {self._kind}")
        if columns:
            fields["columns"] = json.dumps(dict(columns))
        with TemporaryDirectory() as folder:
            files = self._files(source, columns or {}, Path(folder))
            return _reported([self._campaign.upload_file(self._kind, file, **fields) for file in files])


class Listing(Uploads):
    """Uploads that can also be listed: a table, fetched at each use."""

    def __init__(
        self, campaign: Campaign, kind: str, files: _Files, listed: Callable[[], Table[Row]]
    ) -> None:
        super().__init__(campaign, kind, files)
        self._listed = listed

    @property
    def table(self) -> Table[Row]:
        return self._listed()

    def __getattr__(self, name: str) -> Any:
        """`to_pandas`, `to_polars`, `to_arrow`, `rows` … of the table."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.table, name)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()

    def __iter__(self) -> Iterator[Row]:
        return iter(self.table)


class RunListing(Listing):
    def read(self) -> Runs:
        """The rankings of all runs that are not withdrawn, to evaluate here."""
        with TemporaryDirectory() as folder:
            packed = self._campaign.export("runs", Path(folder, "runs.zip"), progress=False)
            unpack_archive(packed, Path(folder, "runs"))
            files = sorted(file for file in Path(folder, "runs").rglob("*") if file.is_file())
            return read_runs(files)


class QrelsListing(Listing):
    def read(self) -> Qrels:
        """The judgments as they stand, to evaluate with."""
        with TemporaryDirectory() as folder:
            return read_qrels(self._campaign.qrels(Path(folder, "qrels"), progress=False))


def _run_files(runs: RunsSource, columns: object, folder: Path) -> Iterator[Path]:
    """A TREC file for each run; the scores are read back to the last bit."""
    for name, rankings in read_runs(runs).items():
        file = folder / (re.sub(r"[^\w.-]", "_", name)[:80] + ".run")
        with file.open("w", encoding="utf-8") as out:
            for topic, ranking in rankings.items():
                for rank, (docno, score) in enumerate(ranking.items(), 1):
                    out.write(f"{topic} Q0 {docno} {rank} {score!r} {name}\n")
        yield file


def _qrels_file(qrels: QrelsSource, columns: object, folder: Path) -> Iterator[Path]:
    lines = (
        f"{topic} 0 {docno} {grade}\n"
        for topic, of_topic in read_qrels(qrels).items()
        for docno, grade in of_topic.items()
    )
    yield _written(folder / "qrels.txt", lines)


def _documents_file(source: object, columns: Mapping[str, str], folder: Path) -> Iterator[Path]:
    rows = records_of(source, "documents", ("docno", "text"), columns)
    yield _written(folder / "documents.jsonl", map(json_line, rows))


def _topics_file(source: object, columns: Mapping[str, str], folder: Path) -> Iterator[Path]:
    rows = records_of(source, "topics", ("number", "title"), columns)
    yield _written(folder / "topics.jsonl", map(json_line, rows))


def _written(file: Path, lines: Iterable[str]) -> Path:
    with file.open("w", encoding="utf-8") as out:
        out.writelines(lines)
    return file


def _reported(reports: Iterable[Report]) -> Table[Row]:
    reports = list(reports)
    rows: list[dict[str, Value]] = [{"file": report.name, **report.taken} for report in reports]
    notices = [f"{one.name}: {notice['detail']}" for one in reports for notice in one.noticed]
    return Table(rows, ("file",), Row, notices=notices)


def _table(rows: Iterable[Mapping[str, Any]], *keys: str) -> Table[Row]:
    return Table(({name: _cell(value) for name, value in row.items()} for row in rows), keys, Row)


def _cell(value: Any) -> Value:
    """Lists of words as one text; other parts as JSON."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
