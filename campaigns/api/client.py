#!/usr/bin/env python3
"""A client of the REST API, for scripts and notebooks; also a command: `python client.py --help`.

This one file needs nothing but Python 3.11, so it can be copied to wherever it is used; every site hands it
out at /api/v1/client/. An error is a `Problem`, with the codes that `docs/api.md` names. Requests are sent
again by themselves where that cannot do anything twice: after 429 and 503, and after a lost connection if
they only read, or carry an id by which the site knows them again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from ssl import SSLCertVerificationError
from typing import Any, TypeVar, cast
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

__all__ = ["Campaign", "Client", "Event", "Interval", "Judgment", "Outcome", "Problem", "Report", "Served"]

# "files": an archive with files of all these kinds, which the site recognises by their content.
KINDS = ("collection", "topics", "runs", "qrels", "files")
# The site recognises a file by so many of its first bytes.
HEAD_BYTES = 1 << 16
AT_ONCE = 1000
# A site that is restarted is back within seconds: short pauses notice it soon,
# sixteen seconds in all outlast it.
TRIES = 10
LONGEST_PAUSE = 2.0
# The code of a site whose database is away.
UNAVAILABLE = "unavailable"
# Of what a site may ask for.
LONGEST_WAIT = 30.0
# Seconds between two looks at what the worker does.
LOOKED_EVERY = 0.5
# Longer than the site is ever silent on an open stream of events.
SILENCE = 60.0
# A site answers an upload once all of it is stored: for half a gigabyte that takes minutes.
STORING = 1800.0
# Answers that are kept for the case that they have not changed.
MOST_KEPT = 50
_CHUNK = 1 << 16
_Row = TypeVar("_Row")
# How many bytes were sent or received just now.
Progress = Callable[[int], None]


@dataclass(frozen=True)
class ErrorLine:
    """One thing that is wrong: in which line of a file, or which field of a request."""

    line: int | None
    field: str
    detail: str


class Problem(Exception):
    """Refusal of the site, with its reason. `code` is for programs and never changes."""

    def __init__(self, status: int, code: str, detail: str, errors: Sequence[ErrorLine] = ()) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.errors = status, code, detail, list(errors)
        # In seconds, where the site says when to send it again.
        self.retry_after = ""

    @classmethod
    def of(cls, status: int, body: bytes) -> Problem:
        try:
            found = json.loads(body)
            return cls.from_json(status, found)
        except (ValueError, TypeError, KeyError, AttributeError):
            # Some other server stands between.
            return cls(status, "no_answer", f"{status}: {body[:200].decode('utf-8', 'replace')}".strip())

    @classmethod
    def from_json(cls, status: int, found: Mapping[str, Any]) -> Problem:
        errors = [_row(ErrorLine, error) for error in found.get("errors", [])]
        return cls(status, found["code"], found["detail"], errors)

    def lines(self, file: str = "") -> list[str]:
        """For people: `FILE:LINE: what is wrong`."""
        places = [f"{file}:{error.line}" if error.line else file or error.field for error in self.errors]
        lines = [
            f"{place}: {e.detail}".removeprefix(": ") for place, e in zip(places, self.errors, strict=True)
        ]
        return lines or [f"{file}: {self.detail}".removeprefix(": ")]


@dataclass(frozen=True)
class Report:
    """Report of the site on an uploaded file: numbers stored, by kind, and notices."""

    kind: str
    name: str
    taken: dict[str, int]
    noticed: list[dict[str, Any]]


@dataclass(frozen=True)
class Served:
    """A document to be judged, reserved until `expires_at`; `document` holds its title, body and the like."""

    docno: str
    document: dict[str, Any]
    claim: dict[str, Any]
    progress: dict[str, Any]

    @property
    def title(self) -> str:
        return str(self.document["title"])

    @property
    def body(self) -> str:
        return str(self.document["body"])


@dataclass(frozen=True)
class Judgment:
    """An act: a grade, or a reason why there is none. Sent again with the same `id`, it counts once."""

    topic: str
    docno: str
    grade: int | None = None
    reason: str = ""
    milliseconds: int | None = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))

    def body(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value not in (None, "")}


@dataclass(frozen=True)
class Outcome:
    """Outcome of one of many judgments: 201 new, 200 known already, else `problem` has the reason."""

    id: str
    status: int
    judgment: dict[str, Any] | None
    problem: Problem | None


@dataclass(frozen=True)
class Interval:
    """Score range of a run: from `base`, which is certain, to `top`, which is still possible."""

    run: str
    base: float
    residual: float
    top: float
    projected: float | None


@dataclass(frozen=True)
class Event:
    """`judgment`, `intervals`, `status` and the like; after a break, ask for what came after `id`."""

    id: int
    kind: str
    data: dict[str, Any]


@dataclass(frozen=True)
class _Request:
    """One request, however often it is sent."""

    method: str
    path: str
    data: bytes | Iterable[bytes] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    # Whether the site would know it again, so that it may be sent twice.
    again: bool = False
    # Called after a lost connection; may raise the reason.
    lost: Callable[[], None] = lambda: None
    # Seconds of silence that are expected, if they are more than the client's.
    silence: float = 0.0


class _NoRedirects(HTTPRedirectHandler):
    """A token goes to the site that it is for, and to no other."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Client:
    """The site as the owner of a token sees it. `retrying` is called before each wait, in words."""

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        tries: int = TRIES,
        timeout: float = SILENCE,
        retrying: Callable[[str], None] = lambda words: None,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"not the address of a site, such as https://assess.example.org: {base_url!r}")
        self.root = f"{base_url.rstrip('/')}/api/v1/"
        self.token, self.tries, self.timeout, self.retrying = token, tries, timeout, retrying
        self._opener = build_opener(_NoRedirects)
        # Of what was read last: its ETag and what it said.
        self._read: dict[str, tuple[str, Any]] = {}

    def campaigns(self) -> Iterator[dict[str, Any]]:
        """All campaigns in which the token's owner has a role."""
        return self.rows("campaigns/")

    def campaign(self, slug: str) -> Campaign:
        return Campaign(self, slug)

    def create(self, name: str, **settings: Any) -> Campaign:
        """A new campaign, as a draft; its settings as in `POST campaigns/`: slug, p, method, grades …"""
        made = self.send("campaigns/", {"name": name, **settings})
        return Campaign(self, made["slug"])

    def get(self, path: str, **query: Any) -> Any:
        """The JSON at a path; not sent again by the site while it has not changed."""
        place = _with_query(path, query)
        known = self._read.get(place)
        headers = {"If-None-Match": known[0]} if known else {}
        response, found = self.exchange("GET", place, headers=headers, again=True)
        if response.status == 304 and known:
            return known[1]
        if etag := response.headers.get("ETag"):
            self._keep(place, etag, found)
        return found

    def _keep(self, place: str, etag: str, found: Any) -> None:
        if len(self._read) >= MOST_KEPT:
            self._read.clear()
        self._read[place] = etag, found

    def rows(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """All rows of a list, page after page."""
        for page in self.pages(_with_query(path, query)):
            yield from page["results"]

    def whole(self, path: str, named: str = "results", **query: Any) -> dict[str, Any]:
        """A list to its end, with what is said beside its rows, which are `named` so."""
        first, *others = self.pages(_with_query(path, query))
        rows = [row for page in (first, *others) for row in page[named]]
        return {**first, named: rows, "next": None}

    def pages(self, place: str) -> Iterator[dict[str, Any]]:
        """Page after page of a list."""
        while place:
            page = self.get(place)
            yield page
            # Wherever the site says that the next page is: the token is not sent elsewhere.
            place = (page.get("next") or "").partition("/api/v1/")[2]

    def send(self, path: str, body: Any = None, *, method: str = "POST", again: bool = False) -> Any:
        """`again`: whether it may be sent twice, since the site would know it again."""
        data = b"" if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        return self.exchange(method, path, data=data, headers=headers, again=again)[1]

    def exchange(self, method: str, path: str, **options: Any) -> tuple[HTTPResponse, Any]:
        """The site's answer, read to its end, and the JSON in it; options and errors as of `open`."""
        return self._insist(_read_json, _Request(method, path, **options))

    def open(self, method: str, path: str, **options: Any) -> HTTPResponse:
        """The site's answer, to be read and closed; raises `Problem`, or `OSError` without an answer.

        Options: `data`, bytes or an iterable of them; `headers`; `again`, whether the request may be sent
        twice; `lost`, called after a lost connection, may raise the reason; `silence`, the seconds that the
        site may take to answer."""
        return self._insist(_leave, _Request(method, path, **options))

    def _insist(self, use: Callable[[HTTPResponse], _Row], sending: _Request) -> _Row:
        """Try again until `use` has read a response, and return its result. A connection that is lost while
        it reads is a lost one, too."""
        for attempt in range(1, self.tries + 1):
            last = attempt == self.tries
            try:
                return use(self._open(sending))
            except Problem as problem:
                # A database may have stored what it had no time to confirm.
                unsure = problem.code == UNAVAILABLE and not sending.again
                if last or unsure or problem.status not in (429, 503):
                    raise
                self.wait(attempt, problem.detail, problem.retry_after)
            except (OSError, HTTPException) as error:
                sending.lost()
                reason = getattr(error, "reason", error)
                harmless = sending.again or isinstance(reason, ConnectionRefusedError)
                if last or not harmless or isinstance(reason, SSLCertVerificationError):
                    if isinstance(error, OSError):
                        raise
                    raise ConnectionError(f"the answer broke off: {error}") from error
                self.wait(attempt, str(error))
        raise AssertionError("the last try returns or raises")

    def _open(self, sending: _Request) -> HTTPResponse:
        data = cast("bytes", sending.data)
        request = Request(self.root + sending.path, data=data, method=sending.method)  # noqa: S310
        request.add_header("Authorization", f"Token {self.token}")
        for name, value in sending.headers.items():
            request.add_header(name, value)
        try:
            return cast(
                "HTTPResponse", self._opener.open(request, timeout=max(self.timeout, sending.silence))
            )
        except HTTPError as error:
            if error.code == 304:
                return cast("HTTPResponse", error)
            with error:
                problem = Problem.of(error.code, error.read())
            problem.retry_after = error.headers.get("Retry-After", "")
            raise problem from None

    def wait(self, attempt: int, why: str, after: str = "") -> None:
        """Sleep as long as the site says; else up to two seconds, by chance a little more or less."""
        planned = min(0.25 * 2**attempt, LONGEST_PAUSE) * random.uniform(0.5, 1.5)  # noqa: S311
        seconds = min(float(after), LONGEST_WAIT) if after.isdigit() else planned
        self.retrying(f"{why}; once more in {seconds:.1f} s")
        time.sleep(seconds)


class Campaign:
    """One campaign, by the address it has."""

    def __init__(self, client: Client, slug: str) -> None:
        self.client, self.slug = client, slug
        self.path = f"campaigns/{quote(slug, safe='')}/"

    def _get(self, what: str, **query: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(self.path + what, **query)
        return found

    def _rows(self, what: str, **query: Any) -> Iterator[dict[str, Any]]:
        return self.client.rows(self.path + what, **query)

    def _send(self, what: str, body: Any = None, **options: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.client.send(self.path + what, body, **options)
        return found

    def _change(self, what: str, wish: Mapping[str, Any]) -> dict[str, Any]:
        return self._send(what, wish, method="PATCH", again=True)

    def about(self) -> dict[str, Any]:
        return self._get("")

    def change(self, **settings: Any) -> dict[str, Any]:
        return self._change("", settings)

    def open(self) -> None:
        self._send("open/")

    def pause(self) -> None:
        self._send("pause/")

    def close(self) -> None:
        self._send("close/")

    def delete(self, *, confirm: str) -> None:
        """Delete the campaign and its judgments for good, once it is paused or closed; `confirm` repeats its
        address."""
        self.client.send(_with_query(self.path, {"confirm": confirm}), method="DELETE")

    def upload(
        self,
        kind: str,
        *paths: str | Path,
        columns: Mapping[str, str] | None = None,
        progress: bool | None = None,
        **fields: str,
    ) -> list[Report]:
        """Upload files, or all files of folders: collection, topics, runs, qrels, or as files archives of
        these. A file that is refused raises a `Problem`; those before it are taken. `columns`: names of
        columns by their roles, such as {"docno": "key"}. `progress`: by default on a terminal."""
        files = find_files(paths)
        fields |= {"columns": json.dumps(dict(columns))} if columns else {}
        with _bar(f"Uploading {kind}", sum(file.stat().st_size for file in files), progress) as advance:
            return [self.upload_file(kind, file, advance=advance, **fields) for file in files]

    def upload_file(
        self, kind: str, path: str | Path, *, advance: Progress = lambda count: None, **fields: str
    ) -> Report:
        """One file, sent as it is read; `fields` as in the API: group, contributes, lenient, reword …"""
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is none of {', '.join(KINDS)}")
        # A collection or a topic that is there already is only written again.
        again = kind in ("collection", "topics")
        return _row(Report, self._send_form(f"{kind}/", _Form(Path(path), fields, advance), again=again))

    def recognise(self, path: str | Path) -> dict[str, Any]:
        """The kind of a file (documents, topics, run, qrels, archive …) and its first record, by its first
        bytes; nothing is stored."""
        file = Path(path)
        form = _Form(file, {"size": str(file.stat().st_size)}, most=HEAD_BYTES)
        return self._send_form("recognition/", form, again=True, silence=0.0)

    def _send_form(
        self, what: str, form: _Form, *, again: bool = False, silence: float = STORING
    ) -> dict[str, Any]:
        place = self.path + what
        asking = {"headers": form.headers, "again": again, "lost": lambda: self._would_take_files(place)}
        _, found = self.client.exchange("POST", place, data=form, silence=silence, **asking)
        return cast("dict[str, Any]", found)

    def _would_take_files(self, place: str) -> None:
        """A site that refuses an upload hangs up while it is still being sent; asked without a file, it says
        why."""
        try:
            self.client.send(place)
        except Problem as problem:
            if problem.status in (401, 403, 404):
                raise
        except OSError:
            pass

    def load(self, ir_dataset: str, *, qrels: bool = False, progress: bool | None = None) -> dict[str, Any]:
        """Have the site load a data set by its name in ir_datasets, and wait until it has."""
        loading = self._send("collection/", {"ir_dataset": ir_dataset, "qrels": qrels})
        done = 0
        with _bar(f"Loading {ir_dataset}", loading["total"] or 0, progress) as advance:
            while loading["state"] in ("waiting", "running"):
                time.sleep(LOOKED_EVERY)
                loading = self._get("collection/")["loading"]
                advance(loading["documents"] - done)
                done = loading["documents"]
        if loading["state"] != "done":
            unsaid = {"code": "failed", "detail": f"loading {ir_dataset} broke off"}
            raise Problem.from_json(400, loading["problem"] or unsaid)
        return loading

    def add_engine(self, name: str, kind: str, url: str, **access: Any) -> dict[str, Any]:
        """Connect the campaign to a search engine. `access`: scheme, login, secret, certificate, timeout and
        rate."""
        return self._send("engines/", {"name": name, "kind": kind, "url": url, **access})

    def save_configuration(self, engine: int, name: str, **query: Any) -> dict[str, Any]:
        """Save a query template, or the next version of the one of this name. `query`: path, template, depth,
        and optionally method and mapping."""
        return self._send(f"engines/{engine}/configurations/", {"name": name, **query})

    def pull(self, configuration: int, *, progress: bool | None = None, **wish: Any) -> dict[str, Any]:
        """Have the site pull a run by the configuration's latest version, and wait until it has. `wish`: tag,
        group, contributes, documents."""
        pull = self._send(f"configurations/{configuration}/pulls/", wish)
        done = 0
        with _bar(f"Pulling {pull['tag']}", pull["topics"], progress) as advance:
            while pull["state"] == "running":
                time.sleep(LOOKED_EVERY)
                pull = self._get(f"pulls/{pull['id']}/")
                advance(pull["answered"] - done)
                done = pull["answered"]
        if pull["state"] != "done":
            unsaid = {"code": "stopped", "detail": f"the pull is {pull['state']}"}
            raise Problem.from_json(409, pull["problem"] or unsaid)
        return pull

    def invite(
        self,
        role: str = "assessor",
        *,
        address: str = "",
        days: int = 14,
        topics: Sequence[str] = (),
        capacity: int = 1,
        team: str = "",
    ) -> str:
        """A link that gives this role to the first person who follows it, or to the first `capacity`. It is
        emailed, too, if there is an address. `team`: the name of a participant's."""
        wish = {"role": role, "address": address, "days": days, "topics": list(topics), "capacity": capacity}
        wish |= {"team": team}
        return str(self._send("invitations/", wish)["link"])

    def invite_list(self, text: str, *, days: int = 14, check_only: bool = False) -> list[dict[str, Any]]:
        """Invite one person a line (email address, role, topics). Return each line with its effect and link;
        with `check_only`, send nothing. A wrong line holds all of them back."""
        wish = {"text": text, "days": days, "check_only": check_only}
        return list(self._send("invitations/list/", wish)["lines"])

    def act_on_invitations(self, act: str, ids: Sequence[int]) -> dict[str, Any]:
        """Remind, revoke or restore the invitations with these IDs. Return those changed and skipped."""
        wish = {"act": act, "invitations": list(ids)}
        return self._send("invitations/acts/", wish)

    def invitations(self) -> Iterator[dict[str, Any]]:
        return self._rows("invitations/")

    def members(self) -> Iterator[dict[str, Any]]:
        return self._rows("members/")

    def quality(self) -> dict[str, Any]:
        """`flags` on assessors' work, `exclusions`, and `imports` of qrels files."""
        return self._get("quality/")

    def exclude(self, username: str, topics: Sequence[str] = (), *, to: str = "") -> dict[str, Any]:
        """Count an assessor's judgments of these topics no more, by default of all; the log keeps them. `to`:
        the member who gets the topics instead. Return the same as `quality`."""
        # Those that are excluded already stay so.
        wish = {"username": username, "topics": list(topics), "to": to}
        return self._send("exclusions/", wish, again=True)

    def include(self, username: str, topic: str = "") -> None:
        """Count an excluded assessor's judgments again, of one topic or of all."""
        place = _with_query("exclusions/", {"username": username, "topic": topic})
        self._send(place, method="DELETE", again=True)

    def questions(self) -> Iterator[dict[str, Any]]:
        """Questions about documents, newest first, with their answers: for assessors their own."""
        return self._rows("questions/")

    def ask(self, topic: str, docno: str, text: str) -> dict[str, Any]:
        """Ask the organisers about a document."""
        wish = {"key": str(uuid.uuid4()), "topic": topic, "docno": docno, "text": text}
        return self._send("questions/", wish, again=True)

    def answer(self, question: int, text: str) -> dict[str, Any]:
        """Answer a question that no organiser has answered yet."""
        return self._send(f"questions/{question}/answer/", {"answer": text})

    def topics(self) -> Iterator[dict[str, Any]]:
        return self._rows("topics/")

    def topic_order(self, **wish: Any) -> dict[str, Any]:
        """In which order topics are released, and why; with `method`, `options`, `ahead` or `first`, after
        setting these."""
        if wish:
            self._change("topics/order/", wish)
        return self.client.whole(f"{self.path}topics/order/", "topics", limit=1000)

    def act_on_topic(self, topic: str, act: str, place: int | None = None) -> dict[str, Any]:
        """Release a topic now, hold it back, requeue it, or move it to a place among those that wait.
        Returns the first page of the order."""
        body = {"topic": topic, "act": act, **({} if place is None else {"place": place})}
        return self._send("topics/order/", body)

    def runs(self) -> Iterator[dict[str, Any]]:
        return self._rows("runs/")

    def team(self) -> dict[str, Any]:
        """A participant's own team, the deadline and the other rules of handing in."""
        return self._get("team/")

    def team_topics(self, path: str | Path, *, progress: bool | None = None) -> Path:
        """The topics to run, into a file that ends in .xml, .jsonl or .tsv."""
        return self._download(f"team/topics{Path(path).suffix}", path, {}, progress)

    def team_runs(self) -> Iterator[dict[str, Any]]:
        """The runs that one's own team has handed in."""
        return self._rows("team/runs/")

    def hand_in(
        self,
        path: str | Path,
        *,
        priority: int = 1,
        description: str = "",
        replaces: int | None = None,
        progress: bool | None = None,
    ) -> dict[str, Any]:
        """Hand in a run of one's own team, in place of the submission with the id `replaces` if there is
        one. The answer holds the hash and the time of the receipt."""
        fields = {"priority": str(priority), "description": description}
        fields |= {"replaces": str(replaces)} if replaces else {}
        with _bar("Handing in", Path(path).stat().st_size, progress) as advance:
            return self._send_form("team/runs/", _Form(Path(path), fields, advance))

    def change_run(self, submission: int, **wish: Any) -> dict[str, Any]:
        """Another `priority` or `description`."""
        return self._change(f"team/runs/{submission}/", wish)

    def withdraw_run(self, submission: int) -> None:
        self._send(f"team/runs/{submission}/", method="DELETE")

    def receipt(self, submission: int) -> str:
        with self.client.open("GET", f"{self.path}team/runs/{submission}/receipt/", again=True) as answer:
            return answer.read().decode()

    def team_scores(self) -> dict[str, Any]:
        """The score ranges of one's own team's runs, topic by topic, once they are released."""
        first, *others = self.client.pages(f"{self.path}team/scores/?limit=1000")
        topics = {run["submission"]: run["topics"] for run in first["runs"]}
        for run in (run for page in others for run in page["runs"]):
            topics.get(run["submission"], []).extend(run["topics"])
        return {**first, "next": None}

    def leaderboard(self) -> dict[str, Any]:
        return self._get("leaderboard/")

    def hand_in_rules(self, **wish: Any) -> dict[str, Any]:
        """For organisers: the rules of handing in and what is published; with `deadline`, `most_runs`,
        `scores_released`, `leaderboard` or `anonymous`, after setting these."""
        return self._change("hand-in/", wish) if wish else self._get("hand-in/")

    def teams(self) -> Iterator[dict[str, Any]]:
        return self._rows("teams/")

    def submissions(self) -> Iterator[dict[str, Any]]:
        """For organisers: all that the teams have handed in."""
        return self._rows("submissions/")

    def admit(
        self, submissions: Sequence[int] = (), *, first: int | None = None, contributes: bool = True
    ) -> list[dict[str, Any]]:
        """Make submissions runs of the campaign: by their ids, or the `first` priorities of each team."""
        chosen: dict[str, Any] = {"submissions": list(submissions)} if first is None else {"first": first}
        body = {**chosen, "contributes": contributes}
        # Of those that are admitted already, nothing changes.
        return list(self._send("submissions/admission/", body, again=True)["admitted"])

    def next(self, topic: str) -> Served | None:
        """The next document of a topic for this assessor, who has it for a while; None when there is none."""
        # Asked twice, the site answers with the same document. What it said before must not be kept.
        place = _with_query(f"{self.path}next/", {"topic": topic})
        answer, found = self.client.exchange("GET", place, again=True)
        return None if answer.status == 204 else _row(Served, found)

    def search(self, topic: str, words: str, page: int = 1) -> dict[str, Any]:
        """Documents of the collection that match, and one's own judgments of them; where the campaign lets
        assessors search."""
        return self._get("search/", topic=topic, search=words, page=page)

    def open_found(self, topic: str, docno: str) -> Served:
        """A document that was found, reserved to be judged."""
        return _row(Served, self._send("search/", {"topic": topic, "docno": docno}))

    def judge(self, judgment: Judgment) -> dict[str, Any]:
        """The judgment as it was recorded, the progress, and the next document."""
        return self._send("judgments/", judgment.body(), again=True)

    def judge_many(self, judgments: Iterable[Judgment], *, progress: bool | None = None) -> list[Outcome]:
        """Any number of judgments, a thousand at a time, and what became of each; one that is refused does
        not keep out the others."""
        acts = list(judgments)
        outcomes: list[Outcome] = []
        with _bar("Judging", len(acts), progress) as advance:
            for start in range(0, len(acts), AT_ONCE):
                batch = [act.body() for act in acts[start : start + AT_ONCE]]
                found = self._send("judgments/", batch, again=True)["results"]
                outcomes += [_outcome(row) for row in found]
                advance(len(batch))
        return outcomes

    def judgments(self, **query: Any) -> Iterator[dict[str, Any]]:
        """Every act of the log, oldest first; an assessor's own, of one topic."""
        return self._rows("judgments/", **query)

    def intervals(self, topic: str = "") -> list[Interval]:
        """Every run's interval, over all topics or in one."""
        found = self._get("intervals/", **({"topic": topic} if topic else {}))
        return [_row(Interval, row) for row in found["runs"]]

    def pairs(self, versus: str = "base") -> dict[str, Any]:
        """Get the decided pairs among the best runs: `results`, and their time."""
        return self.client.whole(f"{self.path}pairs/", versus=versus)

    def predictions(self, topics: str = "all", runs: Sequence[str] = ()) -> dict[str, Any]:
        """Predicted final scores in `runs`, pairs in `results`: of one named run its pairs, of several those
        among them."""
        return self.client.whole(f"{self.path}predictions/", topics=topics, run=list(runs), limit=1000)

    def measures(self, measure: str = "") -> dict[str, Any]:
        """Scores of all runs by the campaign's measures, or by one of them, with bounds and estimates."""
        return self._get("measures/", **({"measure": measure} if measure else {}))

    def measure_pairs(self, measure: str = "", runs: Sequence[str] = ()) -> dict[str, Any]:
        """Pairs by a measure, by default the primary one, in `results`: of one named run its pairs, of
        several those among them."""
        query = {"measure": measure} if measure else {}
        return self.client.whole(f"{self.path}measures/pairs/", run=list(runs), limit=1000, **query)

    def priorities(self, topic: str, limit: int = 20) -> dict[str, Any]:
        """The head of a topic's queue, and why: `results`, and what other methods would serve."""
        return self._get("priorities/", topic=topic, limit=limit)

    def qrels(self, path: str | Path, *, policy: str = "", progress: bool | None = None) -> Path:
        """The judgments as they stand, as TREC qrels in a file."""
        return self._download("qrels/", path, {"policy": policy} if policy else {}, progress)

    def prels(self, path: str | Path, *, policy: str = "", progress: bool | None = None) -> Path:
        """The same with the probability by which each document was drawn."""
        return self._download("prels/", path, {"policy": policy} if policy else {}, progress)

    def export(
        self, what: str, path: str | Path, *, progress: bool | None = None, **options: str | bool
    ) -> Path:
        """An export by its name: qrels, judgments, scores, measures, runs, beir … Options are those of its
        address: `format` (trec, csv, jsonl, parquet), `policy`, `topics`, `texts`."""
        query = {name: str(value).lower() for name, value in options.items()}
        return self._download(f"exports/{_quoted(what)}/", path, query, progress)

    def bundle(
        self, path: str | Path, *, texts: bool = True, pseudonyms: bool = False, progress: bool | None = None
    ) -> Path:
        """All of the campaign as a zip from which a site can make it again."""
        query = {"texts": str(texts).lower(), "pseudonyms": str(pseudonyms).lower()}
        return self._download("bundle/", path, query, progress)

    def _download(self, what: str, path: str | Path, query: Mapping[str, str], progress: bool | None) -> Path:
        """Into a file that is whole or not there; left as it is if it holds what the site would send."""
        target = Path(path)
        note = target.with_name(f"{target.name}.etag")
        place = _with_query(self.path + what, query)
        etag = _known_etag(note, target, place)
        headers = {"If-None-Match": etag} if etag else {}
        with self.client.open("GET", place, headers=headers, again=True) as answer:
            if answer.status == 304:
                return target
            size = int(answer.headers.get("Content-Length") or 0)
            partial = target.with_name(f"{target.name}.part")
            with _bar(f"Downloading {target.name}", size, progress) as advance, partial.open("wb") as file:
                while piece := answer.read(_CHUNK):
                    file.write(piece)
                    advance(len(piece))
            partial.replace(target)
            note.unlink(missing_ok=True)
            if fresh := answer.headers.get("ETag"):
                note.write_text(json.dumps([place, fresh, _stamp(target)]))
        return target

    def events(self, after: int | None = None) -> Iterator[Event]:
        """Yield the campaign's events, as they happen and without end; `after` is the last event that was
        seen. After a lost connection the stream goes on from there."""
        seen = after
        while True:
            headers = {"Accept": "text/event-stream"}
            if seen is not None:
                headers["Last-Event-ID"] = str(seen)
            with self.client.open("GET", f"{self.path}events/", headers=headers, again=True) as stream:
                try:
                    for event in _events(stream):
                        # What carries no id leaves the last one as it is.
                        seen = event.id or seen
                        yield event
                    why = "the stream of events ended"
                except (OSError, HTTPException) as error:
                    why = str(error)
            self.client.wait(1, why)


class _Form:
    """A file and some fields as multipart/form-data, read while it is sent, from the start each time."""

    def __init__(
        self,
        path: Path,
        fields: Mapping[str, str],
        advance: Progress = lambda count: None,
        *,
        most: int | None = None,
    ) -> None:
        """`most`: how many bytes of the file are sent; None: all."""
        self.path, self.advance = path, advance
        size = path.stat().st_size
        self.size = size if most is None else min(size, most)
        mark = uuid.uuid4().hex
        rows = [
            f'--{mark}\r\nContent-Disposition: form-data; name="{_quoted(name)}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        ]
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{_quoted(path.name)}"\r\n'
        self.head = "".join([*rows, head, "Content-Type: application/octet-stream\r\n\r\n"]).encode()
        self.tail = f"\r\n--{mark}--\r\n".encode()
        length = len(self.head) + self.size + len(self.tail)
        self.headers = {
            "Content-Type": f"multipart/form-data; boundary={mark}",
            "Content-Length": str(length),
        }

    def __iter__(self) -> Iterator[bytes]:
        yield self.head
        left = self.size
        with self.path.open("rb") as file:
            while piece := file.read(min(left, _CHUNK)):
                yield piece
                left -= len(piece)
                self.advance(len(piece))
        yield self.tail


def find_files(paths: Iterable[str | Path]) -> list[Path]:
    """Files as given; of folders all files in them, but for hidden ones, by name."""
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted(one for one in path.rglob("*") if one.is_file())
            found += [
                one for one in inside if not any(part.startswith(".") for part in one.relative_to(path).parts)
            ]
        else:
            found.append(path)
    missing = next((path for path in found if not path.is_file()), None)
    if missing is not None or not found:
        raise FileNotFoundError(f"{missing}: no such file" if missing else "no file there")
    return found


def _events(stream: HTTPResponse) -> Iterator[Event]:
    said: dict[str, str] = {}
    for raw in stream:
        line = raw.decode().rstrip("\r\n")
        if line:
            name, _, value = line.partition(":")
            said[name] = value.removeprefix(" ")
        elif "data" in said:
            yield Event(int(said.get("id", 0)), said.get("event", "message"), json.loads(said["data"]))
            said = {}


def _outcome(row: Mapping[str, Any]) -> Outcome:
    refused = row["status"] >= 400
    problem = Problem.from_json(row["status"], row.get("problem") or row) if refused else None
    return Outcome(row["id"] or "", row["status"], row.get("judgment"), problem)


def _row(shape: type[_Row], values: Mapping[str, Any]) -> _Row:
    """Build a row from the fields that this client knows: later sites may send more."""
    known = {one.name for one in fields(cast("Any", shape))}
    return shape(**{name: value for name, value in values.items() if name in known})


def _leave(answer: HTTPResponse) -> HTTPResponse:
    return answer


def _read_json(answer: HTTPResponse) -> tuple[HTTPResponse, Any]:
    with answer:
        return answer, _json(answer.read())


def _json(body: bytes) -> Any:
    return json.loads(body) if body else None


def _with_query(path: str, query: Mapping[str, Any]) -> str:
    return f"{path}?{urlencode(query, doseq=True)}" if query else path


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _stamp(file: Path) -> list[int]:
    about = file.stat()
    return [about.st_size, about.st_mtime_ns]


def _known_etag(note: Path, target: Path, place: str) -> str:
    """The ETag of the file that is there; empty if it is another's, or was changed."""
    try:
        where, etag, stamp = json.loads(note.read_text())
        return str(etag) if where == place and stamp == _stamp(target) else ""
    except (OSError, ValueError):
        return ""


@contextmanager
def _bar(title: str, total: int, wanted: bool | None) -> Iterator[Progress]:
    """A progress bar on a line of the terminal."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda count: None
        return
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        share = f"{100 * done // total} %" if total else f"{done:,}"
        print(f"\r{title}: {share}", end="", file=sys.stderr, flush=True)

    yield advance
    print(file=sys.stderr)


# What a command does, on a campaign or, without one, on the site; it returns the exit code, if not 0.
_Run = Callable[[Any, argparse.Namespace], int | None]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "assess-client",
        description="Upload, judge and fetch by the REST API. The token is read from ASSESS_TOKEN.",
    )
    parser.add_argument(
        "--url", default=os.environ.get("ASSESS_URL", "http://127.0.0.1:8000"), help="of the site"
    )
    acts = parser.add_subparsers(dest="act", required=True, metavar="COMMAND")

    def act(name: str, words: str, run: _Run, *names: str) -> argparse.ArgumentParser:
        made = acts.add_parser(name, help=words, description=words)
        made.set_defaults(run=run)
        for one in names:
            made.add_argument(one, metavar=one.upper())
        return made

    act("create", "make a campaign", _create, "name").add_argument(
        "--slug", help="its address; by default of its name"
    )
    upload = act("upload", "upload files or folders", _upload, "campaign")
    upload.add_argument("kind", choices=KINDS)
    upload.add_argument("paths", nargs="+", metavar="PATH")
    upload.add_argument("--group", default="", help="who made the runs")
    upload.add_argument(
        "--column",
        action="append",
        type=_role_and_name,
        metavar="ROLE=NAME",
        help="a column of a table, such as docno=key",
    )
    act("open", "let assessors begin", _open, "campaign")
    invite = act("invite", "print a link that gives a role", _invite, "campaign")
    invite.add_argument("--role", default="assessor", help="assessor (default), organiser or participant")
    invite.add_argument("--team", default="", help="of a participant; a new name makes a new team")
    invite.add_argument("--capacity", type=int, default=1, help="how many may join by the link (default: 1)")
    invite.add_argument("--list", metavar="FILE", help="instead invite the people in FILE, one a line")
    _add_team_acts(act)
    act("next", "reserve and print a topic's next document", _next, "campaign", "topic")
    judge = act("judge", "give a document a grade", _judge, "campaign", "topic", "docno")
    judge.add_argument("grade", type=int)
    act("intervals", "print where each run's score lies", _intervals, "campaign").add_argument(
        "--topic", default=""
    )
    for what in ("qrels", "prels"):
        act(what, f"fetch the {what} into a file", _fetch, "campaign", "path")
    export = act("export", "fetch an export into a file", _export, "campaign", "what", "path")
    export.add_argument("--format", default="", help="trec, csv, jsonl or parquet (default: by the export)")
    act("team-topics", "fetch the topics into a file: .xml, .jsonl or .tsv", _fetch, "campaign", "path")
    act("watch", "print what happens, as it happens", _watch, "campaign").add_argument("--after", type=int)
    return parser


def _add_team_acts(act: Callable[..., argparse.ArgumentParser]) -> None:
    hand_in = act("hand-in", "hand in a run of your team, and print its receipt", _hand_in, "campaign")
    hand_in.add_argument("path", metavar="FILE")
    hand_in.add_argument("--priority", type=int, default=1, help="1 matters most (default)")
    hand_in.add_argument("--description", default="", help="description of the method behind the run")
    hand_in.add_argument("--replaces", type=int, metavar="ID", help="submission to replace")
    act("team-runs", "list your team's runs", _team_runs, "campaign")
    act("withdraw", "withdraw a run of your team", _withdraw, "campaign").add_argument("submission", type=int)
    act("receipt", "print a receipt", _receipt, "campaign").add_argument("submission", type=int)
    act("team-scores", "print the score ranges of your team's runs by topic", _team_scores, "campaign")
    act("leaderboard", "print the leaderboard", _leaderboard, "campaign")


def main(arguments: Sequence[str] | None = None) -> int:
    """0, or 1 with what is wrong on stderr; 2 for wrong usage."""
    parser = _parser()
    given = parser.parse_args(arguments)
    token = os.environ.get("ASSESS_TOKEN", "")
    if not token:
        parser.error("set ASSESS_TOKEN to a token of yours")
    try:
        client = Client(given.url, token, retrying=lambda words: print(words, file=sys.stderr))
        return given.run(client.campaign(given.campaign) if "campaign" in given else client, given) or 0
    except Problem as problem:
        print(*problem.lines(), sep="\n", file=sys.stderr)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
    except KeyboardInterrupt:
        pass
    return 1


def _create(client: Client, given: argparse.Namespace) -> None:
    print(client.create(given.name, **({"slug": given.slug} if given.slug else {})).slug)


def _role_and_name(pair: str) -> tuple[str, str]:
    role, _, name = pair.partition("=")
    if not name:
        raise argparse.ArgumentTypeError("give ROLE=NAME")
    return role, name


def _upload(campaign: Campaign, given: argparse.Namespace) -> int:
    """Each file is taken whole or refused whole; one bad file does not keep out the good ones."""
    refused = 0
    files = find_files(given.paths)
    extra = {"group": given.group} if given.group else {}
    if given.column:
        extra["columns"] = json.dumps(dict(given.column))
    with _bar(f"Uploading {given.kind}", sum(file.stat().st_size for file in files), None) as advance:
        for file in files:
            try:
                report = campaign.upload_file(given.kind, file, advance=advance, **extra)
            except Problem as problem:
                refused += 1
                print(*problem.lines(str(file)), sep="\n", file=sys.stderr)
            else:
                print(f"{file}: {', '.join(f'{count:,} {what}' for what, count in report.taken.items())}")
    return 1 if refused else 0


def _open(campaign: Campaign, given: argparse.Namespace) -> None:
    campaign.open()


def _invite(campaign: Campaign, given: argparse.Namespace) -> None:
    if given.list is None:
        print(campaign.invite(given.role, capacity=given.capacity, team=given.team))
        return
    for line in campaign.invite_list(Path(given.list).read_text(encoding="utf-8")):
        print(line["address"], line["state"], line["link"] or "", sep="\t")


def _next(campaign: Campaign, given: argparse.Namespace) -> None:
    served = campaign.next(given.topic)
    if served is not None:
        print(f"{served.docno}\n{served.title}\n\n{served.body}")


def _judge(campaign: Campaign, given: argparse.Namespace) -> None:
    found = campaign.judge(Judgment(given.topic, given.docno, given.grade))
    print("{topic} 0 {docno} {grade}".format(**found["judgment"]))


def _intervals(campaign: Campaign, given: argparse.Namespace) -> None:
    for row in campaign.intervals(given.topic):
        print(row.run, row.base, row.residual, row.top, sep="\t")


def _fetch(campaign: Campaign, given: argparse.Namespace) -> None:
    print(getattr(campaign, given.act.replace("-", "_"))(given.path))


def _export(campaign: Campaign, given: argparse.Namespace) -> None:
    chosen = {"format": given.format} if given.format else {}
    print(campaign.export(given.what, given.path, **chosen))


def _watch(campaign: Campaign, given: argparse.Namespace) -> None:
    for event in campaign.events(given.after):
        print(json.dumps(asdict(event)), flush=True)


def _hand_in(campaign: Campaign, given: argparse.Namespace) -> None:
    wish = {name: getattr(given, name) for name in ("priority", "description", "replaces")}
    print(campaign.receipt(campaign.hand_in(given.path, **wish)["id"]), end="")


def _team_runs(campaign: Campaign, given: argparse.Namespace) -> None:
    for row in campaign.team_runs():
        print(*(row[name] for name in ("id", "team", "priority", "run", "state", "sha256")), sep="\t")


def _withdraw(campaign: Campaign, given: argparse.Namespace) -> None:
    campaign.withdraw_run(given.submission)


def _receipt(campaign: Campaign, given: argparse.Namespace) -> None:
    print(campaign.receipt(given.submission), end="")


def _team_scores(campaign: Campaign, given: argparse.Namespace) -> None:
    for run in campaign.team_scores()["runs"]:
        for row in [*run["topics"], {**run, "topic": "all"}]:
            print(run["run"], row["topic"], row["base"], row["residual"], row["top"], sep="\t")


def _leaderboard(campaign: Campaign, given: argparse.Namespace) -> None:
    for row in campaign.leaderboard()["runs"]:
        # Nothing is predicted yet.
        places = "-" if row["first"] is None else f"{row['first']}-{row['last']}"
        print(places, row["run"], row["team"], row["base"], row["residual"], row["top"], sep="\t")


if __name__ == "__main__":
    sys.exit(main())
