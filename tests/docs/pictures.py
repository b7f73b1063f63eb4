"""Make the pictures of docs/: `make pictures`, or some: `python -m tests.docs.pictures judging screen`.

Diagrams are drawn by hand, light, in docs/pictures/*.svg; their dark copies are made here. Screens are
those of the demo, on a site of their own in a temporary folder, in both themes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, expect, sync_playwright

from config.embedded.machine import PROJECT, take_port
from tests.plumbing.browser import chromium

FOLDER = PROJECT / "docs" / "pictures"
# The colours of static/site/tokens.css, light and dark.
COLOURS = {
    "#ffffff": "#191d23",
    "#171a20": "#eceae5",
    "#565c67": "#a7adb7",
    "#e2dfd6": "#2c3138",
    "#1d5ca6": "#7fb2ec",
    "#cadcf0": "#284463",
}
TOPIC = "5"
# Milliseconds that a fresh demo may take to predict.
COMPUTED = 180_000
CAMPAIGN, DESK = "/campaigns/python-library/", f"/judge/python-library/{TOPIC}/"

# Parts of the judging screen in the order in which the guide lists them.
PARTS = (
    "#document-title",
    ".need h2",
    ".grades .grade",
    "#undo",
    ".so-far",
    "#last-none",
    "#add-term",
    "#saving",
)
# The numbered parts matter there, and a text without its end makes a smaller file.
FIRST_PARAGRAPHS = """() => {
  const paragraphs = [...document.querySelectorAll("#document-text *")];
  paragraphs.slice(5).forEach((one) => one.remove());
}"""
NUMBER_PARTS = """(parts) => parts.forEach((part, place) => {
  const { left, top } = document.querySelector(part).getBoundingClientRect();
  const badge = document.createElement("span");
  badge.textContent = place + 1;
  badge.style.cssText = `position: fixed; left: ${left - 27}px; top: ${top - 2}px; z-index: 99; width: 22px;
    height: 22px; border-radius: 50%; background: #a84c17; color: #fff; text-align: center;
    font: 700 13px/22px sans-serif`;
  document.body.append(badge);
})"""


def diagrams() -> list[Path]:
    return [file for file in sorted(FOLDER.glob("*.svg")) if not file.stem.endswith("-dark")]


def dark_copy(svg: str) -> str:
    for light, dark in COLOURS.items():
        svg = svg.replace(light, dark)
    return svg


def make_dark_diagrams() -> None:
    for file in diagrams():
        file.with_stem(f"{file.stem}-dark").write_text(dark_copy(file.read_text()))


@dataclass(frozen=True)
class Screen:
    """A page of the demo as one person sees it; `act` brings it into the state that is shown."""

    name: str
    who: str
    path: str
    act: Callable[[Page], object] = lambda page: None
    language: str = "en"
    size: tuple[int, int] = (1200, 760)


def _live(page: Page) -> None:
    """The worker has computed scores, predictions and forecasts."""
    expect(page.locator("[data-live=on]")).to_be_visible()
    expect(page.locator("#verdict strong").first).to_be_visible(timeout=COMPUTED)
    expect(page.locator(".big .value", has_text="≈").first).to_be_visible(timeout=COMPUTED)


def _pair(page: Page) -> None:
    page.locator(".next-pairs a").first.click()
    expect(page.locator("#pair-verdict")).to_be_visible()


def _desk(page: Page) -> None:
    expect(page.locator("#paper")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator("#document-title")).not_to_be_empty()
    expect(page.locator("#saving")).not_to_have_attribute("data-state", "busy")


def _numbered(page: Page) -> None:
    _desk(page)
    page.evaluate(FIRST_PARAGRAPHS)
    page.evaluate(NUMBER_PARTS, PARTS)


SCREENS = (
    Screen("overview", "ada", CAMPAIGN, _live),
    Screen("pair", "ada", CAMPAIGN, _pair),
    Screen("topic", "ada", f"{CAMPAIGN}topics/{TOPIC}/"),
    Screen("configure", "ada", f"{CAMPAIGN}setup/?step=measure"),
    Screen("exports", "ada", f"{CAMPAIGN}exports/"),
    Screen("judging", "grace", DESK, _desk, size=(1100, 700)),
    Screen("screen", "grace", DESK, _numbered, size=(1100, 1090)),
    Screen("screen-de", "grace", DESK, _numbered, language="de", size=(1100, 1090)),
)


@contextmanager
def demo_site() -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a fresh demo and the passwords of its two people."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "demo"
        with take_port("127.0.0.1", 0) as free:
            port = str(free.getsockname()[1])
        command = [sys.executable, "manage.py", "demo", "--port", port, "--data", str(data)]
        with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
            try:
                ready = next(line for line in process.stdout or [] if line.startswith("Ready at "))
                yield ready.split()[2], json.loads((data / "demo" / "logins.json").read_text())
            finally:
                process.terminate()


def take(browser: Browser, screen: Screen, site: str, password: str, theme: str) -> None:
    context = browser.new_context(
        base_url=site,
        viewport={"width": screen.size[0], "height": screen.size[1]},
        color_scheme="dark" if theme else "light",
        reduced_motion="reduce",
    )
    context.add_cookies([{"name": "django_language", "value": screen.language, "url": site}])
    page = context.new_page()
    page.goto("/sign-in/")
    page.fill("#id_username", screen.who)
    page.fill("#id_password", password)
    page.press("#id_password", "Enter")
    page.wait_for_url(lambda address: "sign-in" not in urlsplit(address).path)
    page.goto(screen.path)
    screen.act(page)
    # Neither a cursor nor a focus ring that depends on how fast the page came.
    page.evaluate("document.activeElement?.blur()")
    page.screenshot(path=FOLDER / f"{screen.name}{theme}.png", animations="disabled", caret="hide")
    context.close()


def main(names: Sequence[str]) -> None:
    make_dark_diagrams()
    with demo_site() as (site, passwords), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"]
        )
        for screen in (one for one in SCREENS if not names or one.name in names):
            for theme in ("", "-dark"):
                take(browser, screen, site, passwords[screen.who], theme)
                print(f"{screen.name}{theme}", flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
