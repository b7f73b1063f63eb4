"""The pages of assessors, and every state of them at which a person may stop."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect

from tests.browser.judging_desk import DOCNOS
from tests.browser.sample_site import (
    ASSESSOR,
    LONER,
    UNTRAINED,
)
from tests.browser.screens.acts import Act, Screen, assessing, click, unfold_all
from tests.plumbing.browser.chromium_fixtures import intercept


def judging(name: str, *acts: Act, topic: str = "7") -> Screen:
    def act(page: Page) -> None:
        expect(page.locator("#paper")).to_have_attribute("data-accepts", "grades")
        expect(page.locator("#document-title")).not_to_be_empty()
        for one in acts:
            one(page)

    return Screen(f"judge {name}".strip(), f"/judge/desk/{topic}/", ASSESSOR, act, assessing=True)


def press(key: str, shows: str) -> Act:
    def act(page: Page) -> None:
        page.keyboard.press(key)
        expect(page.locator(shows)).to_be_visible()

    return act


def unfold(page: Page) -> None:
    """On a phone the topic's words are behind a button."""
    if page.locator("#fold").is_visible():
        page.locator("#fold").click()
    expect(page.locator("#need")).to_be_visible()


def refine(page: Page) -> None:
    unfold(page)
    click("#refine", "#refining")(page)


def lists(page: Page) -> None:
    page.locator("#history summary").click()
    page.locator("#aside summary").click()
    expect(page.locator("#history-list li")).to_have_count(4)


def revise(page: Page) -> None:
    page.locator(f'#last [data-docno="{DOCNOS[0]}"]').click()
    expect(page.locator("#revising")).to_be_visible()


def term(page: Page) -> None:
    page.locator("#term").fill("stable")
    page.keyboard.press("Enter")
    expect(page.locator("#my-terms li")).to_have_count(1)


def offline(page: Page) -> None:
    intercept(page, re.compile("/api/"), lambda route: route.abort())
    click("#saving", "#saving-card")(page)


# What takes many judgments or a second device to see is said here by the very modules that say it.
MINIMUM = """const { Nudges } = await import("/static/assess/screen/guidance/notices.js");
  new Nudges({ tally: { progress: { judged: 5, minimum: 5 } } }).judged({ first: true });"""

BREAK = """const { Nudges } = await import("/static/assess/screen/guidance/notices.js");
  const nudges = new Nudges({ tally: { progress: { judged: 0, minimum: 5 } } });
  for (let i = 0; i < 50; i += 1) nudges.judged({ first: true });"""

ELSEWHERE = """const { Elsewhere } = await import("/static/assess/offline/elsewhere.js");
  new Elsewhere("another").onAnotherScreen();"""

NOTE = """const { Annotations } = await import("/static/assess/screen/guidance/annotations.js");
  const data = JSON.parse(document.getElementById("screen-data").textContent);
  const parts = Object.assign(new EventTarget(), { all: [] });
  const notes = new Annotations({ data, outbox: { acts: [] }, parts, nameOf: () => "relevant" });
  notes.judged({ docno: "other", title: "sort(matrix, axis, kind, order, stable, descending, out)" }, 1);
  notes.ask({ topic: data.topic, docno: "other" });"""

FLASH = """const { Flash } = await import("/static/assess/screen/guidance/notices.js");
  new Flash().show("Another assessor has just judged this document · doc01");"""


def said_by(script: str, shows: str) -> Act:
    def act(page: Page) -> None:
        page.evaluate(f"async () => {{ {script} }}")
        expect(page.locator(shows)).to_be_visible()

    return act


def leaving(page: Page) -> None:
    said_by("document.getElementById('leaving').showModal();", "#leaving")(page)


def asked(page: Page) -> None:
    expect(page.locator("[data-judge]").first).to_have_attribute("aria-disabled", "false")


def answered(page: Page) -> None:
    """The answer is made up on its way: nothing is kept of it."""
    asked(page)
    intercept(page, re.compile("/training/$"), answer)
    page.keyboard.press("1")
    expect(page.locator("#verdict")).to_be_visible()


def answer(route: Route) -> None:
    one = {"docno": "doc11", "title": "", "grade": 1, "expected": 2, "agreed": False, "reason": "it says so"}
    turn = {
        "attempt": 1,
        "items": 5,
        "answered": 1,
        "agreed": 0,
        "kappa": None,
        "answers": [one],
        "next": None,
    }
    route.fulfill(json={**turn, "answer": one})


def failed(page: Page) -> None:
    asked(page)
    intercept(page, re.compile("/training/$"), lambda route: route.abort())
    page.keyboard.press("1")
    expect(page.locator("#trouble")).to_be_visible()


def finished(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_be_visible()


ASSESSING = [
    assessing("home", "/judge/"),
    assessing("home without campaigns", "/judge/", who=LONER),
    assessing("home before the training", "/judge/", who=UNTRAINED),
    assessing("campaign", "/judge/desk/", act=unfold_all),
    assessing("campaign before the training", "/judge/desk/", who=UNTRAINED),
    assessing("campaign that assigns topics", "/judge/given/"),
    assessing("paused campaign", "/judge/paused/"),
    assessing("archived campaign", "/judge/archived/"),
    assessing("closed topic", "/judge/desk/9/"),
    assessing("topic of others", "/judge/given/2/"),
    assessing("training", "/judge/desk/training", who=UNTRAINED, act=asked),
    assessing("training, answered", "/judge/desk/training", who=UNTRAINED, act=answered),
    assessing("training, trouble", "/judge/desk/training", who=UNTRAINED, act=failed),
    assessing("training, finished", "/judge/desk/training", act=finished),
    assessing("no training", "/judge/given/training"),
    assessing("develop", "/judge/desk/8/develop"),
    assessing("own work", "/judge/desk/work"),
    assessing("search", "/judge/desk/7/search?search=doc0"),
    judging(""),
    judging("keys", press("?", "#keys")),
    judging("reasons", press("x", "#cannot")),
    judging("question", press("q", "#asking")),
    judging("note", press("n", "#note-form")),
    judging("note asked for", said_by(NOTE, "#note-asked")),
    judging("guidelines", press("g", "#to-examples")),
    judging(
        "example",
        press("g", "#to-examples"),
        click(".example-group:last-child li:last-child .plain", "#example"),
    ),
    judging("lists", lists),
    judging("revising", revise),
    judging("terms", term),
    judging("reading", click("[popovertarget=reading-card]", "#reading-card")),
    judging("saving", offline),
    judging("refining", refine),
    judging("unfolded", unfold),
    judging("flash", said_by(FLASH, "#flash")),
    judging("minimum", said_by(MINIMUM, "#nudge")),
    judging("break", said_by(BREAK, "#nudge")),
    judging("leaving", leaving),
    judging("elsewhere", said_by(ELSEWHERE, "#elsewhere")),
    judging("a web page", topic="11"),
    judging("without text", topic="12"),
    assessing(
        "nothing left", "/judge/desk/10/", act=lambda page: expect(page.locator("#end")).to_be_visible()
    ),
]
