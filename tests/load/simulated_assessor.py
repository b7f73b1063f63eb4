"""A simulated assessor: what person and browser do, at random, and a record of what the server said."""

from __future__ import annotations

import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlencode

from tests.load.connection import Line

GRADES = (0, 1, 2)
LOST_REPLY, SENT_AGAIN, AWAY = 0.05, 0.03, 0.02
REVISE, UNDO, LATER, CANNOT, WITHOUT_WAITING = 0.07, 0.08, 0.05, 0.05, 0.1
GONE = "topic_closed"


@dataclass(frozen=True)
class Acknowledged:
    id: str
    topic: str
    docno: str
    undo: bool
    # Whether the server had said before that the document is on this screen.
    confirmed: bool


@dataclass(frozen=True)
class Held:
    """From when until when the document was on the screen, by the server's own word."""

    topic: str
    docno: str
    since: float
    until: float


@dataclass
class Record:
    acts: list[Acknowledged] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    postponed: set[tuple[str, str]] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    # How long the answers took, by what was asked.
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)
    # How many answers came from which web process.
    webs: Counter[str] = field(default_factory=Counter)


class Simulated:
    def __init__(self, line: Line, root: str, topics: list[str], *, pause: float, seed: str) -> None:
        self.record = Record()
        self._line = line
        self._root = root
        self._topics = topics
        self._random = Random(seed)
        # Some are quick and some slow.
        self._pause = pause * self._random.choice([0.5, 1, 1, 3])
        self._closes = self._random.random() < 0.1
        self._docno = ""
        self._since = 0.0
        self._confirmed = False
        self._mine: list[str] = []
        self._after: dict[str, str | None] = {}
        self._reserve: list[str] = []

    @property
    def _topic(self) -> str:
        return self._topics[0]

    def work(self, until: float) -> None:
        while time.monotonic() < until and self._topics:
            if not self._docno and not self._fetch():
                continue
            self._look_ahead()
            self._think()
            if self._random.random() < AWAY:
                self._go_away()
            else:
                self._act()
        self._let_go()
        self.record.webs = self._line.answers

    def _think(self) -> None:
        """Take as long as a person would: the time is what is simulated, nothing is waited for."""
        time.sleep(self._random.expovariate(1 / self._pause))

    def _go_away(self) -> None:
        """The page is left, and loaded again later; the server keeps what was on the screen."""
        self._let_go()
        time.sleep(self._random.uniform(0, 5 * self._pause))

    def _fetch(self, docno: str = "") -> bool:
        query = {"topic": self._topic} | ({"docno": docno} if docno else {})
        path = f"{self._root}next/?{urlencode(query)}"
        status, answer = self._timed("the next", lambda: self._line.get(path))
        if status == 204:
            # Closed, or nothing left: the next topic.
            self._leave_topic()
        elif status == 200:
            self._show(answer["docno"], confirmed=True)
            return True
        elif not docno:
            self._refused(answer)
        return False

    def _look_ahead(self) -> None:
        query = urlencode({"topic": self._topic, "docno": self._docno})
        status, answer = self._timed("what follows", lambda: self._line.get(f"{self._root}ahead/?{query}"))
        if status == 200:
            self._after, self._reserve = answer["next"], answer["reserve"]

    def _act(self) -> None:
        dice = self._random.random()
        if self._mine and dice < UNDO:
            self._undo()
        elif self._mine and dice < UNDO + REVISE:
            self._revise()
        elif dice < UNDO + REVISE + LATER:
            self._later()
        elif dice < UNDO + REVISE + LATER + CANNOT:
            self._judge({"reason": "unreadable"}, "")
        elif dice < UNDO + REVISE + LATER + CANNOT + WITHOUT_WAITING:
            self._judge_without_waiting()
        else:
            grade = self._random.choice(GRADES)
            self._judge({"grade": grade}, str(grade))
        if self._closes and len(self._mine) >= 15 and self._random.random() < 0.1:
            self._close()

    def _judge(self, verdict: dict[str, Any], outcome: str) -> None:
        docno, shown = self._docno, self._at_hand(outcome)
        if self._send(docno, verdict, shown):
            self._mine = [*(other for other in self._mine if other != docno), docno]

    def _judge_without_waiting(self) -> None:
        """Without the network one goes on with what is at hand; all of it is sent later."""
        waiting = []
        for _ in range(self._random.randint(2, 5)):
            grade = self._random.choice(GRADES)
            shown = self._at_hand(str(grade))
            waiting.append((self._docno, grade, shown, self._confirmed))
            self._let_go()
            if not shown:
                break
            self._show(shown, confirmed=False)
            self._after, self._reserve = {}, [each for each in self._reserve if each != shown]
        for docno, grade, shown, confirmed in waiting:
            # The answer to the act before may have said that this one is ours by now.
            self._confirmed = confirmed or (self._confirmed and self._docno == docno)
            self._docno = docno
            if not self._send(docno, {"grade": grade}, shown):
                return
            self._mine = [*(other for other in self._mine if other != docno), docno]

    def _at_hand(self, outcome: str) -> str:
        known = [self._after.get(outcome), *self._reserve]
        return next((each for each in known if each and each not in (self._docno, *self._mine)), "")

    def _revise(self) -> None:
        self._let_go()
        docno = self._random.choice(self._mine)
        if self._fetch(docno):
            self._think()
            self._judge({"grade": self._random.choice(GRADES)}, "")

    def _undo(self) -> None:
        self._let_go()
        docno = self._mine.pop()
        self._confirmed = True
        self._send(docno, {"undo": True}, "")

    def _later(self) -> None:
        docno = self._docno
        self._let_go()
        self.record.postponed.add((self._topic, docno))
        self._docno = ""
        status, answer = self._line.post(f"{self._root}later/", {"topic": self._topic, "docno": docno})
        if status == 200:
            self._take(answer["next"])
        else:
            self._refused(answer)

    def _close(self) -> None:
        self._let_go()
        self._docno = ""
        status, answer = self._line.post(f"{self._root}topics/{self._topic}/close/", {})
        if status != 200:
            self._refused(answer)

    def _send(self, docno: str, verdict: dict[str, Any], shown: str) -> bool:
        """Until it is answered, always under the same id. Whether it was taken."""
        act = {"id": str(uuid.uuid4()), "topic": self._topic, "docno": docno, "milliseconds": 900, **verdict}
        body = act | ({"shown": shown} if shown else {})
        confirmed = self._confirmed
        self._let_go()
        self._docno = ""
        path = f"{self._root}judgments/"
        while self._random.random() < LOST_REPLY:
            self._line.post_and_hang_up(path, body)
        status, answer = self._timed("a judgment", lambda: self._line.post(path, body))
        if status not in (200, 201):
            self._refused(answer)
            return False
        if self._random.random() < SENT_AGAIN and self._line.post(path, body)[0] != 200:
            self.record.wrong.append(f"{act['id']}: another answer to the same act")
        undo = bool(verdict.get("undo"))
        self.record.acts.append(Acknowledged(act["id"], self._topic, docno, undo, confirmed))
        self._take(answer["next"])
        return True

    def _timed(self, what: str, ask: Callable[[], tuple[int, Any]]) -> tuple[int, Any]:
        began = time.perf_counter()
        answer = ask()
        self.record.seconds[what].append(time.perf_counter() - began)
        return answer

    def _take(self, served: dict[str, Any] | None) -> None:
        if served:
            self._show(served["docno"], confirmed=True)

    def _show(self, docno: str, *, confirmed: bool) -> None:
        self._let_go()
        self._docno, self._confirmed, self._since = docno, confirmed, time.monotonic()

    def _let_go(self) -> None:
        """Before anything is sent that ends the server's claim."""
        if self._docno and self._confirmed:
            self.record.held.append(Held(self._topic, self._docno, self._since, time.monotonic()))
        self._confirmed, self._since = False, time.monotonic()

    def _refused(self, answer: Any) -> None:
        code = answer.get("code", "") if isinstance(answer, dict) else ""
        self.record.refused.append(code)
        if code == GONE:
            self._leave_topic()

    def _leave_topic(self) -> None:
        self._let_go()
        self._docno, self._mine, self._after, self._reserve = "", [], {}, []
        self._topics = self._topics[1:]
