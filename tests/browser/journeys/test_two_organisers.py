"""Two organisers and three assessors at once, each in a browser of their own: from an empty page to qrels, by
which an independent evaluation finds the same intervals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from campaigns.models import Campaign, Deed, Judgment, Run
from campaigns.results.score_ranges import score_ranges_of
from tests.browser.collection_files import Files, files_to_bring
from tests.browser.dashboard.test_dashboard import LIVE, await_drawn
from tests.browser.judging_desk import Desk
from tests.browser.organiser import sign_in
from tests.browser.pages.test_people import accept
from tests.browser.setup.test_setup import ENDED, go_on
from tests.campaigns.factories import make_user
from tests.campaigns.management.offline.command_files import run_json
from tests.plumbing.browser.chromium_fixtures import visit
from tests.plumbing.idle import wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")

HOME = "/campaigns/desk/"
ASSESSORS = ("barbara", "edsger", "grace")
# The second assessor of a document mostly differs from the first.
KEYS = {"barbara": "2", "edsger": "0", "grace": "1"}
UPLOAD_MS = 120_000


@dataclass
class SentActs:
    """What everybody did, as they know it themselves."""

    given: dict[str, dict[str, int]] = field(default_factory=dict)
    decided: dict[str, int] = field(default_factory=dict)

    @property
    def acts(self) -> int:
        return sum(len(grades) for grades in self.given.values()) + len(self.decided)

    def qrels(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for docno, grades in self.given.items():
            agreed = set(grades.values())
            found[docno] = self.decided[docno] if len(agreed) > 1 else agreed.pop()
        return found


@dataclass
class Crowd:
    """The assessors at their desks, who all press a key before any of them has the next document."""

    desks: dict[str, Desk]
    sent: SentActs

    def judge(self, rounds: int) -> None:
        for _ in range(rounds):
            on_screen = {name: (desk.docno(), docno_of(desk)) for name, desk in self.desks.items()}
            for name, desk in self.desks.items():
                desk.press(KEYS[name])
            for name, (title, docno) in on_screen.items():
                self.desks[name].ringed(title)
                self.sent.given.setdefault(docno, {})[name] = int(KEYS[name])
        for desk in self.desks.values():
            desk.saved()


def docno_of(desk: Desk) -> str:
    """Of a document with a title, which is what stands at the head of the screen."""
    return desk.page.locator("#document-facts .mono").inner_text()


def test_two_organisers_and_three_assessors(
    page: Page, browser: Browser, live_site: str, tmp_path: Path
) -> None:
    files, sent = files_to_bring(tmp_path), SentActs()
    make_user("ada")
    sign_in(page, live_site, "ada")
    set_up(page, files)
    with ExitStack() as visits:
        tony, *others = (visits.enter_context(visit(browser, live_site)) for _ in range(4))
        links = invite_all(page)
        open_it(page, runs=len(files.runs))
        accept(tony, links["tony"], "tony")
        tony.goto(HOME)
        expect(tony.locator(".run")).to_have_count(len(files.runs))
        desks = {}
        for name, other in zip(ASSESSORS, others, strict=True):
            accept(other, links[name], name)
            desks[name] = Desk(other, live_site, topic=files.topic, who="")
            desks[name].open()
        crowd = Crowd(desks, sent)
        campaign = Campaign.objects.get()

        crowd.judge(3)
        watched(tony, campaign, sent)
        beside = tony.context.new_page()
        bring_late_run(beside, files)
        crowd.judge(1)
        expect(tony.locator(".run")).to_have_count(len(files.runs) + 1, timeout=LIVE)
        gone = withdraw(beside, campaign)
        crowd.judge(1)
        expect(tony.locator(f"#run-{gone.id}")).to_have_count(0, timeout=LIVE)
        watched(tony, campaign, sent)

        change_settings_at_once(page, beside, campaign)
        decide_all(beside, sent)
        watched(tony, campaign, sent)
        check_log(campaign, sent)
        qrels = export_qrels(beside, tmp_path)
        assert read_qrels(qrels, files.topic) == sent.qrels()
        compare_with_evaluate(campaign, [*files.runs, files.late], qrels, gone)
        check_history(page, gone)


def set_up(page: Page, files: Files) -> None:
    """Through the guided page, step by step, up to the people."""
    page.goto("/campaigns/")
    page.get_by_role("link", name="New campaign").click()
    page.fill("#name", "Desk")
    page.get_by_role("button", name="Make the campaign").click()
    for kind, paths, following in (
        ("collection", [files.documents], "topics"),
        ("topics", [files.topics], "runs"),
        ("runs", files.runs, "measure"),
    ):
        upload(page, paths)
        go_on(page, kind, following)
    go_on(page, "measure", "grades")
    go_on(page, "grades", "judging")
    page.fill("#min_judgments", "5")
    page.fill("#overlap_share", "1")
    go_on(page, "judging", "people")


def upload(page: Page, paths: Sequence[Path]) -> None:
    lines = page.locator(".upload-file")
    before = lines.count()
    page.locator("#any-files").set_input_files([str(path) for path in paths])
    page.locator("[data-import]").click()
    expect(lines).to_have_count(before + len(paths))
    for line in lines.all():
        expect(line).to_have_attribute("data-state", ENDED, timeout=UPLOAD_MS)
        expect(line).to_have_attribute("data-state", "taken")


def invite_all(page: Page) -> dict[str, str]:
    links: dict[str, str] = {}
    for name in ("tony", *ASSESSORS):
        page.locator("#invite-role").select_option("organiser" if name == "tony" else "assessor")
        page.get_by_role("button", name="Create invitation").click()
        link = page.locator("#invitation-link")
        for known in links.values():
            expect(link).not_to_have_value(known)
        expect(link).to_have_value(re.compile("/join/"))
        links[name] = link.input_value()
    assert len(set(links.values())) == len(links)
    return links


def open_it(page: Page, *, runs: int) -> None:
    go_on(page, "people", "open")
    page.get_by_role("button", name="Open the campaign").click()
    expect(page.get_by_text("The campaign is open")).to_be_visible()
    expect(page.locator(".run")).to_have_count(runs)


def watched(tony: Page, campaign: Campaign, sent: SentActs) -> None:
    """The dashboard that has been open all the time shows what the log says, bars and all."""
    shown = tony.locator('.verdict-strip [data-counted="judged-documents"]')
    expect(shown).to_contain_text(f"{len(sent.given)} judged document", timeout=LIVE)
    wait_until_idle()
    await_drawn(tony, campaign)


def bring_late_run(page: Page, files: Files) -> None:
    page.goto(f"{HOME}setup/?step=runs")
    upload(page, [files.late])


def withdraw(page: Page, campaign: Campaign) -> Run:
    run = campaign.runs.order_by("id")[1]
    page.goto(f"{HOME}runs/{run.id}/")
    page.locator("summary", has_text="Participation").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator(".chip", has_text="withdrawn")).to_be_visible()
    return run


def change_settings_at_once(ada: Page, tony: Page, campaign: Campaign) -> None:
    for page in (ada, tony):
        page.goto(f"{HOME}setup/?step=measure")
        expect(page.locator("#p")).to_have_value("0.8")
    tony.fill("#p", "0.5")
    save(tony, "measure")
    # Ada's page shows the old p still, and says so; what she saves of her own leaves his.
    expect(ada.locator("#meanwhile")).to_contain_text("tony has just changed the settings.")
    fill_budget(ada, "300")
    save(ada, "judging")
    ada.reload()
    expect(ada.locator("#p")).to_have_value("0.5")
    expect(tony.locator("#meanwhile")).to_contain_text("ada has just changed the settings.")
    # What both change is asked about.
    fill_budget(tony, "200")
    tony.locator("#judging").get_by_role("button", name="Save").click()
    expect(tony.get_by_role("alert")).to_contain_text("ada has since changed “budget” to: 300")
    campaign.refresh_from_db()
    assert (campaign.p, campaign.budget) == (0.5, 300)
    save(tony, "judging")
    campaign.refresh_from_db()
    assert (campaign.p, campaign.budget) == (0.5, 200)


def fill_budget(page: Page, budget: str) -> None:
    page.locator("#judging > summary").click()
    page.fill("#budget", budget)


def save(page: Page, step: str) -> None:
    form = page.locator(f"#{step}")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_text("The settings are saved.")).to_be_visible()


def decide_all(page: Page, sent: SentActs) -> None:
    disputed = {docno for docno, grades in sent.given.items() if len(set(grades.values())) > 1}
    assert disputed
    page.goto(f"{HOME}adjudicate/")
    while sent.decided.keys() != disputed:
        form = page.locator(".decide [name=docno]")
        docno = form.input_value()
        page.keyboard.press("1")
        expect(page.locator(".notice").first).to_contain_text(f"{docno} is decided: 1.")
        # Keys are taken once the page's script is there.
        page.wait_for_load_state()
        sent.decided[docno] = 1
    expect(page.get_by_text("Every disagreement is decided.")).to_be_visible()


def check_log(campaign: Campaign, sent: SentActs) -> None:
    """Every key that was pressed is one row, and there is no other."""
    rows = (
        Judgment.objects.filter(campaign=campaign).select_related("document", "assessor").order_by("sequence")
    )
    assert [row.sequence for row in rows] == list(range(1, sent.acts + 1))
    found: dict[str, dict[str, int | None]] = {}
    for row in rows:
        if not row.adjudication:
            found.setdefault(row.document.docno, {})[row.assessor.username] = row.grade
    assert found == sent.given
    # No document went to all three, and none to one assessor twice.
    assert {len(grades) for grades in found.values()} <= {1, 2}
    assert {row.document.docno: row.grade for row in rows if row.adjudication} == sent.decided


def export_qrels(page: Page, folder: Path) -> Path:
    page.goto(f"{HOME}exports/")
    with page.expect_download() as started:
        page.get_by_role("button", name="adjudicated.qrels", exact=True).click()
    assert started.value.suggested_filename == "desk.adjudicated.qrels.txt"
    path = folder / "exported.qrels.txt"
    started.value.save_as(path)
    return path


def read_qrels(path: Path, topic: str) -> dict[str, int]:
    rows = [line.split() for line in path.read_text().splitlines()]
    assert {row[0] for row in rows} == {topic}
    return {docno: int(grade) for _, _, docno, grade in rows}


def compare_with_evaluate(campaign: Campaign, runs: list[Path], qrels: Path, gone: Run) -> None:
    wait_until_idle()
    given = ["--runs", *runs, "--qrels", qrels, "--measure", f"RBP(p={campaign.p:g})", "--gains", "0,0.5,1"]
    scores = {row["run"]: row for row in run_json("evaluate", *given)["scores"]}
    live = {row.run: row for row in score_ranges_of(campaign=campaign)}
    assert live.keys() == scores.keys() - {gone.tag}
    assert len({row.as_of for row in live.values()}) == 1
    for tag, row in live.items():
        assert row.base == pytest.approx(scores[tag]["base"], abs=1e-9), tag
        assert row.residual == pytest.approx(scores[tag]["residual"], abs=1e-9), tag
    assert max(row.base for row in live.values()) > 0


def check_history(page: Page, gone: Run) -> None:
    """Who did what, under their own names."""
    kinds = set(Deed.objects.values_list("actor_name", "kind"))
    for one in (("ada", "opened"), ("tony", "joined"), ("tony", "runs"), ("tony", "run withdrawn")):
        assert one in kinds, one
    assert {("ada", "settings"), ("tony", "settings"), ("tony", "exported")} <= kinds
    page.goto(f"{HOME}history/")
    expect(page.locator("main")).to_contain_text(f"withdrew the run {gone.tag}")
    expect(page.locator("main")).to_contain_text("persistence p 0.8 → 0.5")
