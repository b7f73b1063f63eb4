"""An organiser's browser."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page

from campaigns.models import Campaign

WIDTHS = [(1400, 900), (390, 844), (320, 640)]


def sign_in(page: Page, site: str, username: str) -> None:
    client = Client()
    client.force_login(User.objects.get(username=username))
    cookies = client.cookies.items()
    page.context.add_cookies([{"name": n, "value": c.value, "url": site} for n, c in cookies])


def replace_password(page: Page, temporary: str) -> None:
    """On the page that stands before all others while a password is temporary, in any language."""
    page.locator("#id_old_password").fill(temporary)
    for field in ("#id_new_password1", "#id_new_password2"):
        page.locator(field).fill("correct horse battery")
    page.locator("main button.primary").click()


SIDEWAYS = """() => new Promise((tell) => {
  const { documentElement: all } = document;
  requestAnimationFrame(() => requestAnimationFrame(() => tell(all.scrollWidth > all.clientWidth)));
})"""


def scrolls_sideways(page: Page) -> bool:
    """Once what follows the window's size has had its turn."""
    return bool(page.evaluate(SIDEWAYS))


def fits(page: Page) -> bool:
    """Whether it scrolls sideways at no width; the window is then the narrowest."""
    for width, height in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        if scrolls_sideways(page):
            return False
    return True


def order_on_screen(page: Page) -> list[str]:
    """Run tags from top to bottom."""
    return page.locator(".run:visible .run-tag").all_text_contents()


def drawn(page: Page, campaign: Campaign) -> dict[str, tuple[float, float]]:
    """Each run's (base, residual) as its whisker shows them, in hundredths of the axis."""
    script = "bar => ['x', 'width'].map((name) => parseFloat(bar.getAttribute(name)))"
    found = {}
    for run in campaign.runs.all():
        base, residual = page.locator(f".run:has(#run-{run.id}) .whisker").evaluate(script)
        found[run.tag] = (base, residual)
    return found
