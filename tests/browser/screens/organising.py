"""The pages of organisers, and every state of them at which a person may stop."""

from __future__ import annotations

from playwright.sync_api import FilePayload, Page, expect

from campaigns.setup.steps import STEPS
from tests.browser.sample_site import (
    DIFFERING,
    LONER,
)
from tests.browser.screens.acts import Act, Screen, click, menu, organising, unconfirmed, unfold_all


def drawn(page: Page) -> None:
    expect(page.locator(".run-rows .run")).to_have_count(4)
    expect(page.locator("#judged")).to_have_text("28")
    expect(page.locator("#health")).not_to_contain_text("asking")


def run_page(page: Page) -> None:
    drawn(page)
    page.locator(".run a").first.click()
    page.wait_for_url("**/runs/*/")
    unfold_all(page)


def pair_page(page: Page) -> None:
    drawn(page)
    page.locator(".pair-table td a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(" : ")
    unfold_all(page)


def measured(page: Page) -> None:
    expect(page.locator(".by-measure .run")).to_have_count(3)
    expect(page.locator("#health")).not_to_contain_text("asking")


def measured_pair(page: Page) -> None:
    page.locator(".pair-table td a").first.click()
    expect(page.locator(".pair-statements tbody tr")).to_have_count(3)


def measured_run(page: Page) -> None:
    page.locator(".run a").first.click()
    expect(page.get_by_role("heading", name="Scores by all measures")).to_be_visible()


def selected(page: Page) -> None:
    """Rows are selected, and what can be done to them is unfolded."""
    page.locator("[data-row]").first.check()
    expect(page.locator("[data-selection]")).to_be_visible()
    for one in page.locator("details.drop summary").all()[:1]:
        one.click()


def why(page: Page) -> None:
    page.locator("td.act a").first.click()
    expect(page.locator("#why .shares").first).to_be_visible()
    # What was scrolled to on a phone may lie behind the header once the page is wide.
    page.evaluate("scrollTo(0, 0)")


def watched(page: Page) -> None:
    """The replay in its middle."""
    unfold_all(page)
    expect(page.locator(".player")).to_have_attribute("data-ready", "yes")
    page.get_by_label("Judgments so far").press("PageUp")


def go_to(page: Page) -> None:
    page.keyboard.press("Control+k")
    expect(page.locator("#places-dialog .places a").first).to_be_visible()


def linked(page: Page) -> None:
    page.get_by_role("button", name="Create invitation").click()
    expect(page.locator("#invitation-link")).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    # What was scrolled to may leave a button half behind the header.
    page.evaluate("scrollTo(0, 0)")


def class_link(page: Page) -> None:
    page.get_by_role("button", name="Create the link").click()
    expect(page.locator(".class-link input").first).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def list_preview(page: Page) -> None:
    page.locator("#list-text").fill("new@example.org, assessor, 1\nnobody")
    page.get_by_role("button", name="Check the list").click()
    expect(page.get_by_text("Preview of the list")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def refused_settings(page: Page) -> None:
    page.locator("#p").evaluate("p => { p.form.noValidate = true; p.value = '2'; }")
    page.locator("#measure button.primary").click()
    expect(page.get_by_role("alert")).to_be_visible()


def refused_webhook(page: Page) -> None:
    page.get_by_label("Address").fill("https://ada@hooks.example.org/")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".notice.bad")).to_be_visible()
    # A link that is half under the page's head counts as too small to be hit.
    page.evaluate("scrollTo(0, 0)")


def refused_engine(page: Page) -> None:
    page.get_by_text("Connect an engine").click()
    page.get_by_label("Name", exact=True).fill("Products")
    page.get_by_label("Address").fill("https://10.0.0.1/")
    page.get_by_role("button", name="Connect engine").click()
    expect(page.get_by_role("alert")).to_be_visible()


def engine_page(page: Page) -> None:
    page.get_by_role("link", name="Products").click()
    expect(page.get_by_role("heading", name="Try queries")).to_be_visible()
    unfold_all(page)


def webhook_page(page: Page) -> None:
    page.get_by_role("link", name="https://hooks.example.org").click()
    expect(page.get_by_role("heading", name="Deliveries")).to_be_visible()
    unfold_all(page)


def refused_item(page: Page) -> None:
    page.get_by_label("Docno").fill("no-such-document")
    page.get_by_label("Reason").fill("it is so")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()


def refused_dataset(page: Page) -> None:
    page.get_by_text("Dataset by name").click()
    page.get_by_label("Name in ir_datasets").fill("own/tinny")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def lab_page(*links: str) -> Act:
    """The page that the first link of each of these kinds leads to."""

    def act(page: Page) -> None:
        for link in links:
            page.locator(f'main a[href*="{link}"]').first.click()
            page.wait_for_url(f"**{link}**")
            unfold_all(page)

    return act


def sorted_files(page: Page) -> None:
    files = {
        "logo.png": b"\x89PNG\r\n\x1a\n",
        "needs.tsv": b"1\trows\n",
        "x.run": b"1 Q0 a 1 9 x\n",
        "p": b"1 a 1 1 1\n",
    }
    page.locator("#any-files").set_input_files(
        [FilePayload(name=name, mimeType="", buffer=content) for name, content in files.items()]
    )
    expect(page.locator("[data-import]")).to_be_enabled()


def refused_upload(page: Page) -> None:
    page.locator("#lab-name").fill("Empty")
    file = FilePayload(name="empty.txt", mimeType="text/plain", buffer=b"\n")
    page.locator("#lab-runs").set_input_files([file])
    page.locator("#lab-qrels").set_input_files([file])
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert")).to_be_visible()


def lab_comparison(page: Page) -> None:
    # The first was refused.
    page.locator('main a[href*="/lab/jobs/"]').nth(1).click()
    page.locator(".lab-compare button").click()
    expect(page.locator(".lab-sides .panel")).to_have_count(2)


EMPTY_PAGES = ("", "runs/", "topics/", "documents/", "people/", "history/", "exports/", "planner/", "setup/")


ORGANISING = [
    organising("campaigns", "/campaigns/"),
    Screen("no campaigns", "/campaigns/", LONER),
    organising("new campaign", "/campaigns/new/"),
    organising("dashboard", "/campaigns/small/", drawn),
    organising("dashboard of judged topics", "/campaigns/small/?topics=judged", drawn),
    *(
        organising(f"{page} of {campaign} scores", f"/campaigns/{campaign}/", act)
        for campaign in ("sampled", "expected")
        for page, act in (("dashboard", measured), ("pair", measured_pair), ("run", measured_run))
    ),
    organising("planner of sampled scores", "/campaigns/sampled/planner/"),
    organising("leaderboard of sampled scores", "/campaigns/sampled/leaderboard/"),
    organising("dashboard of a draft", "/campaigns/draft/"),
    organising("topics", "/campaigns/small/topics/", unfold_all),
    organising("topics selected", "/campaigns/small/topics/", selected),
    organising("runs selected", "/campaigns/small/runs/", selected),
    organising("people selected", "/campaigns/small/people/", selected),
    organising("topic order", "/campaigns/ordered/topics/order/", unfold_all),
    organising("topic order of all at once", "/campaigns/small/topics/order/", unfold_all),
    organising("topics found", "/campaigns/small/topics/?words=1&state=left"),
    organising("topic", "/campaigns/small/topics/1/", unfold_all),
    organising("topic with why", "/campaigns/small/topics/1/", why),
    organising("why", "/campaigns/small/topics/1/why/?docno=a"),
    organising("run", "/campaigns/small/", run_page),
    organising("pair", "/campaigns/small/", pair_page),
    organising("documents", "/campaigns/small/documents/"),
    organising("documents searched", "/campaigns/small/documents/?search=a"),
    organising("documents found", "/campaigns/small/documents/?docno=a"),
    organising("document", "/campaigns/small/document/?docno=a", unfold_all),
    organising("near-duplicates", "/campaigns/small/documents/duplicates/"),
    organising("people", "/campaigns/small/people/"),
    organising("assessor", "/campaigns/small/people/Small-grace/"),
    organising("copy the settings", "/campaigns/small/copy/"),
    organising("invitations", "/campaigns/small/invitations/", class_link),
    organising("invitations by a list", "/campaigns/small/invitations/", list_preview),
    organising("questions", "/campaigns/small/questions/"),
    organising("history", "/campaigns/small/history/", unfold_all),
    organising("campaign from a bundle", "/campaigns/new/bundle/"),
    Screen("places", "/campaigns/differ/people/", DIFFERING, go_to),
    Screen("places, as a page", "/campaigns/differ/places/?q=a", DIFFERING),
    Screen("people, with an invitation", "/campaigns/differ/people/", DIFFERING, linked),
    Screen("people who agree and differ", "/campaigns/differ/people/", DIFFERING, unfold_all),
    Screen("assessor with agreement", "/campaigns/differ/people/Differ-grace/", DIFFERING),
    Screen("adjudication", "/campaigns/differ/adjudicate/", DIFFERING),
    organising("nothing to adjudicate", "/campaigns/small/adjudicate/"),
    organising("planner", "/campaigns/small/planner/", unfold_all),
    organising("another method", "/campaigns/small/counterfactual/", watched),
    organising("another method, not replayed", "/campaigns/desk/counterfactual/"),
    organising("teams", "/campaigns/small/teams/"),
    organising("teams with a run", "/campaigns/given/teams/", unfold_all),
    organising("leaderboard", "/campaigns/small/leaderboard/"),
    organising("archived", "/campaigns/archived/"),
    organising("archived, configuration", "/campaigns/archived/setup/?step=measure"),
    organising("archived, people", "/campaigns/archived/people/"),
    *(organising(f"nothing yet, {page or 'overview'}", f"/campaigns/empty/{page}") for page in EMPTY_PAGES),
    organising("email settings", "/campaigns/small/mails/"),
    # Open, the menu lies over the page: on this one over nothing that is pressed.
    organising("menu", "/campaigns/small/adjudicate/", menu),
    organising("runs", "/campaigns/small/runs/"),
    organising("exports", "/campaigns/small/exports/"),
    organising("report", "/campaigns/small/exports/report/"),
    organising("training of assessors", "/campaigns/desk/training/"),
    organising("examples", "/campaigns/desk/examples/"),
    organising(
        "examples, one to change",
        "/campaigns/desk/examples/",
        click("tr:first-child a[href^='?change']", "#change"),
    ),
    organising("quality", "/campaigns/desk/quality/"),
    organising("training of assessors, refused", "/campaigns/desk/training/", refused_item),
    *(organising(f"set up, {step}", f"/campaigns/draft/setup/?step={step}") for step in STEPS),
    organising("set up, files sorted", "/campaigns/draft/setup/", sorted_files),
    organising("set up, a data set refused", "/campaigns/draft/setup/?step=collection", refused_dataset),
    organising("configuration", "/campaigns/small/setup/?step=measure"),
    organising("configuration, refused", "/campaigns/small/setup/?step=measure", refused_settings),
    organising("deletion", "/campaigns/draft/delete/"),
    organising("deletion, refused", "/campaigns/draft/delete/", unconfirmed),
    organising("deletion of an open campaign", "/campaigns/small/delete/"),
    organising("search engines", "/campaigns/small/engines/"),
    organising("search engines, refused", "/campaigns/small/engines/", refused_engine),
    organising("search engine", "/campaigns/small/engines/", engine_page),
    organising("webhooks", "/campaigns/small/webhooks/"),
    organising("webhooks, refused", "/campaigns/small/webhooks/", refused_webhook),
    organising("webhook", "/campaigns/small/webhooks/", webhook_page),
    organising("lab", "/lab/"),
    organising("lab, refused", "/lab/", refused_upload),
    organising("lab collection", "/lab/", lab_page("/lab/collections/")),
    organising("lab studies", "/lab/", lab_page("/lab/collections/", "/lab/new/")),
    organising("lab job, new", "/lab/", lab_page("/lab/collections/", "/lab/new/", "study=replay")),
    organising("lab job, failed", "/lab/", lab_page("/lab/jobs/")),
    organising("lab jobs, two", "/lab/", lab_comparison),
]
