"""Every page, and every state of it at which a person may stop: how to get there, and when it is there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import SuspiciousOperation
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse
from django.shortcuts import render
from django.test import RequestFactory
from django.utils import timezone
from django.views.defaults import bad_request, server_error
from playwright.sync_api import FilePayload, Page, Route, expect

from campaigns.core.errors import Refusal
from campaigns.notifications.assessor_emails import switch_off_link
from campaigns.people.resets import secret_of
from campaigns.setup.steps import STEPS
from config.web.refusals import unavailable
from tests.browser.judging_desk import DOCNOS
from tests.browser.organiser import sign_in
from tests.browser.sample_site import (
    ADMINISTRATOR,
    ASSESSOR,
    DIFFERING,
    INVITED,
    LONER,
    ORGANISER,
    PARTICIPANT,
    PROTECTED,
    UNTRAINED,
)

Act = Callable[[Page], object]


@dataclass(frozen=True)
class Screen:
    name: str
    path: str
    who: str | None
    act: Act = lambda page: None
    assessing: bool = False

    def open(self, page: Page, site: str) -> None:
        if self.who:
            sign_in(page, site, self.who)
        page.goto(self.path)
        self.act(page)


def judging(name: str, *acts: Act, topic: str = "7") -> Screen:
    def act(page: Page) -> None:
        expect(page.locator("#paper")).to_have_attribute("data-accepts", "grades")
        expect(page.locator("#document-title")).not_to_be_empty()
        for one in acts:
            one(page)

    return Screen(f"judge {name}".strip(), f"/judge/desk/{topic}/", ASSESSOR, act, assessing=True)


def assessing(name: str, path: str, *, who: str = ASSESSOR, act: Act = lambda page: None) -> Screen:
    return Screen(name, path, who, act, assessing=True)


def organising(name: str, path: str, act: Act = lambda page: None) -> Screen:
    return Screen(name, path, ORGANISER, act)


def press(key: str, shows: str) -> Act:
    def act(page: Page) -> None:
        page.keyboard.press(key)
        expect(page.locator(shows)).to_be_visible()

    return act


def click(what: str, shows: str) -> Act:
    def act(page: Page) -> None:
        page.locator(what).click()
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
    page.route("**/api/**", lambda route: route.abort())
    click("#saving", "#saving-card")(page)


# What takes many judgments or a second device to see is said here by the very modules that say it.
MINIMUM = """const { Nudges } = await import("/static/assess/screen/notices.js");
  new Nudges({ tally: { progress: { judged: 5, minimum: 5 } } }).judged({ first: true });"""
BREAK = """const { Nudges } = await import("/static/assess/screen/notices.js");
  const nudges = new Nudges({ tally: { progress: { judged: 0, minimum: 5 } } });
  for (let i = 0; i < 50; i += 1) nudges.judged({ first: true });"""
ELSEWHERE = """const { Elsewhere } = await import("/static/assess/offline/elsewhere.js");
  new Elsewhere("another").onAnotherScreen();"""
NOTE = """const { Annotations } = await import("/static/assess/screen/annotations.js");
  const data = JSON.parse(document.getElementById("screen-data").textContent);
  const parts = Object.assign(new EventTarget(), { all: [] });
  const notes = new Annotations({ data, outbox: { acts: [] }, parts, nameOf: () => "relevant" });
  notes.judged({ docno: "other", title: "sort(matrix, axis, kind, order, stable, descending, out)" }, 1);
  notes.ask({ topic: data.topic, docno: "other" });"""
FLASH = """const { Flash } = await import("/static/assess/screen/notices.js");
  new Flash().show("relevant · doc01", "1"); clearTimeout(undefined);
  document.querySelector("#flash").classList.add("shown");"""


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
    page.route("**/training/", answer)
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
    page.route("**/training/", lambda route: route.abort())
    page.keyboard.press("1")
    expect(page.locator("#trouble")).to_be_visible()


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


def selected(page: Page) -> None:
    """Rows are selected, and what can be done to them is unfolded."""
    page.locator("[data-row]").first.check()
    expect(page.locator("[data-selection]")).to_be_visible()
    for menu in page.locator("details.drop summary").all()[:1]:
        menu.click()


def why(page: Page) -> None:
    page.locator("td.act a").first.click()
    expect(page.locator("#why .shares").first).to_be_visible()
    # What was scrolled to on a phone may lie behind the header once the page is wide.
    page.evaluate("scrollTo(0, 0)")


def unfold_all(page: Page) -> None:
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")


def watched(page: Page) -> None:
    """The replay in its middle."""
    unfold_all(page)
    expect(page.locator(".player")).to_have_attribute("data-ready", "yes")
    page.get_by_label("Judgments so far").press("PageUp")


def linked(page: Page) -> None:
    page.get_by_role("button", name="Create invitation").click()
    expect(page.locator("#invitation-link")).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    # What was scrolled to may leave a button half behind the header.
    page.evaluate("scrollTo(0, 0)")


def class_link(page: Page) -> None:
    page.get_by_role("button", name="Create the link").click()
    expect(page.locator("#class-link")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def list_preview(page: Page) -> None:
    page.locator("#list-text").fill("new@example.org, assessor, 1\nnobody")
    page.get_by_role("button", name="Check the list").click()
    expect(page.get_by_text("Preview of the list")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def menu(page: Page) -> None:
    """Wide pages have a rail in its place."""
    button = page.get_by_role("button", name="Menu")
    if button.is_visible():
        button.click()
    expect(page.locator(".tabs").first).to_be_visible()


def account_menu(page: Page) -> None:
    menu(page)
    click(".who", "#account")(page)


def invited(page: Page) -> None:
    page.goto(INVITED[-1])
    expect(page.get_by_role("button", name="Make the account and join")).to_be_visible()


def asked_by_email(request: WSGIRequest) -> HttpResponse:
    """This site has no mail server."""
    return render(request, "registration/reset.html", {"can_email": True, "form": PasswordResetForm()})


def recovery_codes(request: WSGIRequest) -> HttpResponse:
    """They are shown once, to the person who has just set it up."""
    codes = [f"{10_000_000 + n * 7_919_113}" for n in range(10)]
    context = {"codes": codes, "codes_text": "\n".join(codes), "first": True, "left": 10}
    app = {"created_at": timezone.now()}
    return render(request, "campaigns/account/second_factor.html", {**context, "app": app})


def openid_sign_in(request: WSGIRequest) -> HttpResponse:
    return render(request, "registration/login.html", {"openid": {"name": "Example University"}})


def openid_refused(request: WSGIRequest) -> HttpResponse:
    refused = Refusal("failed", "signing in at the provider failed: please try again")
    return render(request, "registration/openid_refused.html", {"refused": refused})


def wrong_code(request: WSGIRequest) -> HttpResponse:
    return render(request, "registration/code.html", {"wrong": True})


def unheld(page: Page) -> None:
    said = re.compile("This invitation does not exist|This link is not valid")
    expect(page.get_by_text(said)).to_be_visible()


def refused_address(page: Page) -> None:
    page.locator("#password").fill("wrong")
    page.get_by_role("button", name="Save the address").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def refused_password(page: Page) -> None:
    for name in ("old_password", "new_password1", "new_password2"):
        page.locator(f"#id_{name}").fill("short")
    page.get_by_role("button", name="Change password").click()
    expect(page.locator(".errorlist").first).to_be_visible()


def reset_link(page: Page) -> None:
    page.get_by_text("Change").first.click()
    page.get_by_role("button", name="Make a reset link").first.click()
    expect(page.locator("#reset-link")).to_be_visible()
    page.get_by_text("Change").first.click()


def new_password(page: Page) -> None:
    page.goto(f"/reset/open/#{secret_of(User.objects.get(username=LONER))}")
    expect(page.get_by_label("New password", exact=True)).to_be_visible()


def switching_off(page: Page) -> None:
    page.goto(switch_off_link(User.objects.get(username=LONER).id).removeprefix(settings.SITE_URL))
    expect(page.get_by_role("button", name="Switch off emails")).to_be_visible()


def wrong_name(page: Page) -> None:
    page.get_by_label("User name").fill("edith")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()


def instead(answer: Callable[[WSGIRequest], HttpResponse]) -> Act:
    """As the server answers when it fails, or cannot read what was sent."""

    def act(page: Page) -> None:
        request = RequestFactory().get("/")
        request.user = AnonymousUser()
        said = answer(request)
        body, status = said.content.decode(), said.status_code
        page.route("**/failing/", lambda r: r.fulfill(status=status, body=body, content_type="text/html"))
        page.goto("/failing/")

    return act


def refused_settings(page: Page) -> None:
    page.locator("#p").evaluate("p => { p.form.noValidate = true; p.value = '2'; }")
    page.locator("#measure button.primary").click()
    expect(page.get_by_role("alert")).to_be_visible()


def refused_webhook(page: Page) -> None:
    page.get_by_label("Address").fill("https://ada@hooks.example.org/")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".notice.bad")).to_be_visible()


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
    page.get_by_text("A data set by its name").click()
    page.get_by_label("Name in ir_datasets").fill("own/tinny")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def receipt(page: Page) -> None:
    page.get_by_role("link", name="Receipt").click()
    page.wait_for_url("**/receipt/")


def no_scope(page: Page) -> None:
    page.get_by_label("Name", exact=True).fill("by nothing")
    page.locator("input[value=read]").uncheck()
    page.get_by_role("button", name="Make the token").click()
    expect(page.locator(".notice.bad")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def unconfirmed(page: Page) -> None:
    page.locator("#confirm").fill("something else")
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("alert")).to_be_visible()


def remove_person(page: Page) -> None:
    page.get_by_text("Change", exact=True).click()
    page.get_by_role("link", name="Delete for good").click()
    page.wait_for_url("**/delete/")


def unremoved(page: Page) -> None:
    remove_person(page)
    unconfirmed(page)


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
    assessing("training, finished", "/judge/desk/training"),
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
    organising("people", "/campaigns/small/people/"),
    organising("assessor", "/campaigns/small/people/Small-grace/"),
    organising("copy the settings", "/campaigns/small/copy/"),
    organising("invitations", "/campaigns/small/invitations/", class_link),
    organising("invitations by a list", "/campaigns/small/invitations/", list_preview),
    organising("questions", "/campaigns/small/questions/"),
    organising("history", "/campaigns/small/history/", unfold_all),
    organising("campaign from a bundle", "/campaigns/new/bundle/"),
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
    *(organising(f"nothing yet, {page or 'overview'}", f"/campaigns/empty/{page}") for page in EMPTY_PAGES),
    organising("email settings", "/campaigns/small/mails/"),
    # Open, the menu lies over the page: on this one over nothing that is pressed.
    organising("menu", "/campaigns/small/adjudicate/", menu),
    organising("runs", "/campaigns/small/runs/"),
    organising("exports", "/campaigns/small/exports/"),
    organising("training of assessors", "/campaigns/desk/training/"),
    organising("examples", "/campaigns/desk/examples/"),
    organising(
        "examples, one to change",
        "/campaigns/desk/examples/",
        click("tr:first-child a[href^='?change']", "#change"),
    ),
    organising("quality", "/campaigns/desk/quality/"),
    organising("imported judgments", "/campaigns/desk/imports/"),
    organising("training of assessors, refused", "/campaigns/desk/training/", refused_item),
    *(organising(f"set up, {step}", f"/campaigns/draft/setup/?step={step}") for step in STEPS),
    organising("set up, files sorted", "/campaigns/draft/setup/", sorted_files),
    organising("set up, a data set refused", "/campaigns/draft/setup/?step=collection", refused_dataset),
    organising("configuration", "/campaigns/small/setup/?step=measure"),
    organising("configuration, refused", "/campaigns/small/setup/?step=measure", refused_settings),
    organising("deletion", "/campaigns/draft/delete/"),
    organising("deletion, refused", "/campaigns/draft/delete/", unconfirmed),
    organising("deletion of an open campaign", "/campaigns/small/delete/"),
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

OTHERS = [
    Screen("a team's runs", "/campaigns/given/team/", PARTICIPANT, unfold_all),
    Screen("a team's receipt", "/campaigns/given/team/", PARTICIPANT, receipt),
    Screen("a team's scores, not released", "/campaigns/given/team/scores/", PARTICIPANT),
    Screen("administration", "/administration/", ADMINISTRATOR),
    Screen("deletion of a person", "/accounts/?words=Desk-grace", ADMINISTRATOR, remove_person),
    Screen("deletion of a person, refused", "/accounts/?words=Desk-grace", ADMINISTRATOR, unremoved),
    Screen("deletion of an only organiser", "/accounts/?words=Differ-ada", ADMINISTRATOR, remove_person),
    organising("API tokens", "/tokens/"),
    organising("API tokens, refused", "/tokens/", no_scope),
    organising("account menu", "/campaigns/", account_menu),
    Screen("no API tokens", "/tokens/", LONER),
    Screen("help", "/help/", None),
    Screen("help, a page", "/help/concepts/", None, unfold_all),
    Screen("help, search", "/help/search/?q=residual", None),
    Screen("help, nothing found", "/help/search/?q=zzzz", None),
    Screen("assessor's guide", "/judge/guide.de.html", None, unfold_all),
    Screen("sign in", "/sign-in/", None),
    Screen("sign in, refused", "/sign-in/", None, wrong_name),
    Screen("invitation", "/sign-in/", None, invited),
    Screen("invitation that does not hold", "/join/#nothing", None, unheld),
    Screen("invitation, to be opened", "/join/", None),
    Screen("account", "/account/", ORGANISER),
    Screen("account, refused", "/account/", ORGANISER, refused_address),
    Screen("change password", "/account/password/", ORGANISER),
    Screen("change password, refused", "/account/password/", ORGANISER, refused_password),
    Screen("account without a password", "/account/", LONER),
    Screen("sign in, by a provider", "/sign-in/", None, instead(openid_sign_in)),
    Screen("sign in, by a provider, refused", "/sign-in/", None, instead(openid_refused)),
    Screen("second factor", "/account/second-factor/", ORGANISER),
    Screen("second factor, on", "/account/second-factor/", PROTECTED),
    Screen("second factor, recovery codes", "/sign-in/", None, instead(recovery_codes)),
    Screen("code", "/sign-in/", None, instead(wrong_code)),
    Screen("all accounts, with a second factor", "/accounts/?words=protected", ADMINISTRATOR, unfold_all),
    Screen("all accounts", "/accounts/?words=desk", ADMINISTRATOR, reset_link),
    Screen("emails, to be switched off", "/sign-in/", None, switching_off),
    Screen("emails, by a link that does not hold", "/emails-off/1:x/", None),
    Screen("forgotten password", "/reset/", None),
    Screen("forgotten password, by email", "/sign-in/", None, instead(asked_by_email)),
    Screen("reset sent", "/reset/sent/", None),
    Screen("reset link, to be opened", "/reset/open/", None),
    Screen("reset link that does not hold", "/reset/open/#nothing", None, unheld),
    Screen("new password", "/reset/open/", None, new_password),
    Screen("not found", "/no/such/page/", ASSESSOR),
    Screen("not by this method", "/campaigns/desk/move/", ORGANISER),
    Screen("not allowed", "/campaigns/desk/setup/", ASSESSOR),
    Screen(
        "not to be read", "/sign-in/", None, instead(lambda asked: bad_request(asked, SuspiciousOperation()))
    ),
    Screen("failed", "/sign-in/", None, instead(server_error)),
    Screen("away for a moment", "/sign-in/", None, instead(unavailable)),
]

ALL = [*ASSESSING, *ORGANISING, *OTHERS]
