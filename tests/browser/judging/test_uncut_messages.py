"""Messages of the judging screen show all their words, however long they are."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.judging_desk import Desk, desk_campaign

SIZES = [(1440, 900), (1280, 720), (390, 844)]

LONG = {
    "en": "Another assessor has just judged this document, which has a long title of its own. " * 2,
    "de": "Eine andere Person hat dieses Dokument, das einen langen Titel hat, soeben beurteilt. " * 2,
}
# The longest that the saving status can say, and the longest count.
SAVING = {
    "en": "12 waiting · signed out · 3 refused · offline storage off",
    "de": "12 warten · abgemeldet · 3 abgewiesen · Offline-Speicher aus",
}
COUNT = {"en": "1,312 of 2,340 · 1,049 relevant", "de": "1.312 von 2.340 · 1.049 relevante"}

# Each message is shown with the words given, and measured. An element cuts words that it has no room for,
# unless it scrolls. So do an ancestor that hides what runs over it, the window’s edges, and the header’s.
CUT = """({ long, saving, count }) => {
  const MESSAGES = "[role=status], [role=alert], [role=tooltip], .flash, .state, .so-far, .note, .revising, "
    + "summary";
  const word = "x".repeat(60);
  const box = (one) => one.getBoundingClientRect();
  const hides = (one, way) => /hidden|clip/.test(getComputedStyle(one)[`overflow${way}`]);
  const scrolls = (one, way) => /auto|scroll/.test(getComputedStyle(one)[`overflow${way}`]);
  const within = (one, size) => one.clientWidth === 0 || one[`scroll${size}`] <= one[`client${size}`] + 1;
  const wide = (inner, outer) => inner.left < outer.left - 1 || inner.right > outer.right + 1;
  const high = (inner, outer) => inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;

  const opened = (message) => {
    const undo = [];
    for (let one = message; one !== document.body; one = one.parentElement) {
      const name = one.hidden ? "hidden" : one.matches("dialog:not([open])") ? "open" : "";
      if (!name) continue;
      one[name] = !one[name];
      undo.push(() => { one[name] = !one[name]; });
    }
    const popover = message.closest(".card[popover]");
    popover?.showPopover();
    return () => [...undo, () => popover?.hidePopover()].forEach((act) => act());
  };

  const faults = (message) => {
    const found = [];
    for (const one of [message, ...message.querySelectorAll("*")]) {
      if (!scrolls(one, "X") && !within(one, "Width")) found.push(`too wide for ${one.tagName}`);
      if (!scrolls(one, "Y") && !within(one, "Height")) found.push(`too high for ${one.tagName}`);
    }
    if (wide(box(message), { left: 0, right: innerWidth })) found.push("over the window’s edge");
    const header = message.closest(".site-header");
    if (header && high(box(message), box(header))) found.push("over the header’s edge");
    for (let one = message.parentElement; one !== document.body; one = one.parentElement) {
      if (hides(one, "X") && wide(box(message), box(one))) found.push(`cut by ${one.className}`);
      if (hides(one, "Y") && high(box(message), box(one))) found.push(`cut by ${one.className}`);
    }
    return found;
  };

  const measured = {};
  for (const message of document.querySelectorAll(MESSAGES)) {
    if (message.closest(".visually-hidden, noscript")) continue;
    const close = opened(message);
    const place = [...message.querySelectorAll("span")].find((one) => !one.children.length) ?? message;
    const before = [...place.childNodes];
    const given = { ".state": saving, ".so-far": count, ".note": long };
    const kind = Object.keys(given).find((each) => message.matches(each));
    place.replaceChildren(given[kind] ?? `${long} ${word}`);
    const name = message.id || message.className || message.textContent.slice(0, 30);
    if (message.checkVisibility({ visibilityProperty: true })) measured[name] = faults(message);
    place.replaceChildren(...before);
    close();
  }
  return measured;
}"""


@pytest.fixture
def desk(celery_worker: object, page: Page, live_site: str) -> Desk:
    desk_campaign(guidelines="Judge what it says.")
    return Desk(page, live_site)


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_message_is_cut(desk: Desk, language: str, live_site: str) -> None:
    cookie = {"name": "django_language", "value": language, "url": live_site}
    desk.page.context.add_cookies([cookie])  # type: ignore[list-item]
    desk.open()
    desk.judge("1")
    desk.docno()
    words = {"long": LONG[language], "saving": SAVING[language], "count": COUNT[language]}
    cut: dict[tuple[int, int, str], list[str]] = {}
    for width, height in SIZES:
        desk.page.set_viewport_size({"width": width, "height": height})
        measured = desk.page.evaluate(CUT, words)
        assert {"flash", "saving", "nudge", "note-asked", "elsewhere", "done-words"} <= set(measured)
        cut |= {(width, height, name): found for name, found in measured.items() if found}
    assert cut == {}
