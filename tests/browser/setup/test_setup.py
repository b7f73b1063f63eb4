"""From an empty page to an open campaign, by mouse and files alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from campaigns.models import Campaign, Document
from campaigns.setup.campaigns import open_campaign
from campaigns.setup.steps import STEPS
from tests.browser.organiser import fits, sign_in
from tests.campaigns.factories import Api, make_campaign, make_user, run_text
from tests.plumbing.browser.chromium_fixtures import intercept

TOPICS = b"1\tsorting rows\n2\tcounting columns\n"
DOCUMENTS = "".join(
    json.dumps({"docno": docno, "title": f"About {docno}", "body": "Rows and columns."}) + "\n"
    for docno in "abcdk"
).encode()
ENDED = re.compile("^(taken|refused)$")
GOOD = {"1": ["a", "b", "c"], "2": ["k", "a"]}


def file(name: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": content}


def upload(page: Page, *files: FilePayload) -> None:
    """Choose files, and import them once they have been recognised."""
    page.locator("#any-files").set_input_files(list(files))
    import_files(page)


def import_files(page: Page) -> None:
    page.locator("[data-import]").click()


def to_step(page: Page, name: str) -> None:
    page.locator(f"#{name} > summary").click()
    expect(page.locator(f"#{name}")).to_have_attribute("open", "")


def go_on(page: Page, here: str, following: str) -> None:
    """Save the step one is at, and find oneself at the next."""
    page.locator(f"#{here} .go-on button").click()
    expect(page.locator(f"#{following}")).to_have_attribute("open", "")
    expect(page.locator(f"#{here}")).not_to_have_attribute("open", "")


def report(page: Page, name: str) -> str:
    """What is said of a file once it has been checked."""
    line = page.locator(".upload-file", has=page.get_by_text(name, exact=True))
    expect(line).to_have_attribute("data-state", ENDED)
    return line.inner_text()


@pytest.fixture
def setup(page: Page, live_site: str) -> Page:
    make_campaign("Small", opened=False)
    sign_in(page, live_site, "Small-ada")
    page.goto("/campaigns/small/setup/?step=runs")
    return page


def test_from_nothing_to_an_open_campaign(celery_worker: object, page: Page, live_site: str) -> None:
    make_user("ada")
    sign_in(page, live_site, "ada")
    page.goto("/")
    page.get_by_role("link", name="New campaign").click()
    page.fill("#name", "Python questions")
    expect(page.locator("#slug")).to_have_value("python-questions")
    page.get_by_role("button", name="Make the campaign").click()

    expect(page.locator("#collection")).to_have_attribute("open", "")
    upload(page, file("docs.jsonl", DOCUMENTS))
    assert "5 documents" in report(page, "docs.jsonl")
    expect(page.locator("#state-collection")).to_contain_text("5 documents")
    to_step(page, "open")
    expect(page.get_by_role("button", name="Open the campaign")).to_be_disabled()
    page.locator(".lacking").get_by_role("link", name="topics").click()
    expect(page.locator("#topics")).to_have_attribute("open", "")
    upload(page, file("topics.tsv", TOPICS))
    assert "2 topics" in report(page, "topics.tsv")
    go_on(page, "topics", "runs")
    runs = [file("x.run", run_text("x", GOOD)), file("y.run", run_text("y", {"1": ["b"]}))]
    page.locator("#any-files").set_input_files(runs)
    page.get_by_text("Import options").click()
    page.fill("#runs-group", "Bench")
    import_files(page)
    assert "1 run" in report(page, "x.run")
    assert "1 warning" in report(page, "y.run")
    page.get_by_text("1 warning").last.click()
    expect(page.locator(".upload-report .noticed").last).to_contain_text("topics missing (1)")
    expect(page.locator("[data-said]")).to_have_text("4 files imported")
    expect(page.locator(".run-list tbody tr")).to_have_count(2)
    expect(page.locator(".run-list")).to_contain_text("Bench")
    expect(page.locator("#state-runs")).to_contain_text("2 runs")
    expect(page.locator("#ready")).to_contain_text("Ready to open")

    for here, following in (
        ("runs", "measure"),
        ("measure", "grades"),
        ("grades", "judging"),
        ("judging", "people"),
    ):
        go_on(page, here, following)
    page.get_by_text("Add a person without an invitation").click()
    page.fill("#create-username", "grace")
    page.get_by_role("button", name="Make an account").click()
    expect(page.locator(".credentials")).to_contain_text("grace")
    expect(page.locator("#state-people")).to_contain_text("1 assessor")
    go_on(page, "people", "open")
    expect(page.locator("#ready")).to_be_empty()
    page.get_by_role("button", name="Open the campaign").click()
    expect(page.locator(".run")).to_have_count(2)
    expect(page.get_by_text("The campaign is open")).to_be_visible()
    campaign = Campaign.objects.get(slug="python-questions")
    assert campaign.status == "open"
    assert set(campaign.memberships.values_list("user__username", flat=True)) == {"ada", "grace"}


def test_topics_of_a_wrong_file_are_taken_out(setup: Page) -> None:
    to_step(setup, "topics")
    upload(setup, file("wrong.tsv", b"8\tnot this\n9\tnor this\n"))
    assert "2 topics" in report(setup, "wrong.tsv")
    expect(setup.locator("#state-runs")).to_contain_text("2 topics are in none of them")
    setup.once("dialog", lambda dialog: dialog.dismiss())
    setup.get_by_role("button", name="Remove topic 8").click()
    setup.once("dialog", lambda dialog: dialog.accept())
    setup.get_by_role("button", name="Remove topic 9").click()
    expect(setup.get_by_text("One topic is taken out.")).to_be_visible()
    expect(setup.locator("details.step[open]")).to_have_attribute("id", "topics")
    expect(setup.locator("#state-topics")).to_contain_text("3 topics")
    setup.once("dialog", lambda dialog: dialog.accept())
    setup.get_by_role("button", name="Remove all topics").click()
    expect(setup.get_by_text("3 topics are taken out.")).to_be_visible()
    assert not Campaign.objects.get().topics.exists()


def test_judged_topics_are_reworded_only_if_that_is_meant(setup: Page) -> None:
    campaign = Campaign.objects.get()
    open_campaign(campaign=campaign)
    assert Api(campaign, "Small-grace").judge("1", "a", 1).status_code == 201
    setup.goto("/campaigns/small/setup/?step=topics")
    expect(setup.get_by_role("button", name="Remove topic 1")).to_have_count(0)
    renamed = file("new.tsv", b"1\tother words\n")
    upload(setup, renamed)
    said = report(setup, "new.tsv")
    assert "topic 1 has a judgment and would be renamed: 'title 1' → 'other words'" in said
    setup.locator("#any-files").set_input_files([renamed])
    setup.get_by_text("Import options").click()
    setup.locator("[name=reword]").check()
    import_files(setup)
    expect(setup.locator("#topics .there")).to_contain_text("other words")
    assert "imported" in report(setup, "new.tsv")


def test_a_step_says_what_is_wrong_and_what_was_saved(setup: Page) -> None:
    to_step(setup, "grades")
    setup.get_by_text("My own scale").click()
    setup.get_by_role("button", name="Add a grade").click()
    setup.locator("#grades .go-on button").click()
    expect(setup.locator("#grades [role=alert]")).to_contain_text("label")
    expect(setup.locator("#grade-rows tr")).to_have_count(4)
    setup.locator("#grade-rows tr").last.locator("[name=label]").fill("perfect")
    go_on(setup, "grades", "judging")
    expect(setup.locator("#state-grades")).to_contain_text("3 perfect")
    expect(setup.locator("#grades [role=alert]")).to_have_count(0)
    assert [row["label"] for row in Campaign.objects.get().grades][-1] == "perfect"
    # The form that came back after saving works like the first one.
    to_step(setup, "grades")
    setup.get_by_role("button", name="Add a grade").click()
    expect(setup.locator("#grade-rows tr")).to_have_count(5)


def test_results_of_a_form_are_in_sight_beside_its_button(setup: Page) -> None:
    open_campaign(campaign=Campaign.objects.get())
    setup.goto("/campaigns/small/setup/?step=judging")
    setup.locator("#judging .go-on button").click()
    said = setup.locator("#judging-said [role=status]")
    expect(said).to_be_focused()
    expect(said).to_be_in_viewport()
    setup.locator("#judging form").evaluate("form => { form.noValidate = true; }")
    setup.fill("#overlap_assessors", "1")
    setup.fill("#budget", "0")
    setup.locator("#judging .go-on button").click()
    expect(setup.locator("#budget")).to_be_focused()
    expect(setup.locator("#budget")).to_be_in_viewport()


def test_results_of_a_form_are_in_sight_without_scripts(setup: Page, live_site: str) -> None:
    open_campaign(campaign=Campaign.objects.get())
    assert setup.context.browser
    context = setup.context.browser.new_context(
        java_script_enabled=False, storage_state=setup.context.storage_state(), base_url=live_site
    )
    page = context.new_page()
    page.goto("/campaigns/small/setup/?step=judging")
    page.locator("#judging .go-on button").click()
    expect(page.locator("#judging-said [role=status]")).to_be_in_viewport()
    context.close()


def test_an_address_of_a_setting_focuses_its_field(setup: Page) -> None:
    for step, name in (("measure", "batch"), ("judging", "policy"), ("grades", "unjudged_not_relevant")):
        setup.goto("about:blank")
        setup.goto(f"/campaigns/small/setup/?step={step}#{name}")
        field = setup.locator(f"[name={name}]:focus")
        expect(field).to_be_in_viewport()
    setup.evaluate("location.hash = '#batch'")
    expect(setup.locator("#batch")).to_be_focused()
    expect(setup.locator("#batch")).to_be_in_viewport()


def test_a_draft_is_left_and_taken_up_again(setup: Page) -> None:
    setup.goto("/campaigns/small/setup/")
    with setup.expect_response("**/setup/at/"):
        to_step(setup, "people")
    setup.goto("/campaigns/")
    setup.get_by_role("link", name="Small", exact=True).click()
    expect(setup.locator("details.step[open]")).to_have_attribute("id", "people")
    setup.goto("/campaigns/small/setup/#topics")
    expect(setup.locator("details.step[open]")).to_have_attribute("id", "topics")


def test_the_walk_by_keyboard(setup: Page) -> None:
    setup.locator("#runs > summary").focus()
    setup.keyboard.press("Enter")
    expect(setup.locator("details.step[open]")).to_have_count(0)
    setup.keyboard.press("Tab")
    expect(setup.locator("#measure > summary")).to_be_focused()
    setup.keyboard.press("Space")
    expect(setup.locator("#measure")).to_have_attribute("open", "")
    setup.locator("#measure .go-on button").focus()
    setup.keyboard.press("Enter")
    expect(setup.locator("#grades > summary")).to_be_focused()


def test_no_step_scrolls_sideways(setup: Page) -> None:
    for name in STEPS:
        setup.goto(f"/campaigns/small/setup/?step={name}")
        expect(setup.locator("details.step[open]")).to_have_attribute("id", name)
        assert fits(setup), name


def test_errors_come_with_their_lines_and_the_mended_file_is_taken(setup: Page) -> None:
    broken = run_text("w", GOOD).replace(b"99 w", b"high w", 1) + b"1 Q0 d\n"
    upload(setup, file("w.run", broken))
    said = report(setup, "w.run")
    assert "line 1 score:" in said
    assert "line 6 3 columns" in said
    assert "nothing was stored" in said
    expect(setup.locator(".run-list tbody tr")).to_have_count(3)
    upload(setup, file("w.run", run_text("w", GOOD)))
    expect(setup.locator(".upload-file")).to_have_count(1)
    assert "imported" in report(setup, "w.run")
    expect(setup.locator(".run-list tbody tr")).to_have_count(4)


def test_files_can_be_dropped(setup: Page) -> None:
    names = ["v1.run", "v2.run", "v3.run"]
    contents = [[name, run_text(name[:2], GOOD).decode()] for name in names]
    transfer = setup.evaluate_handle(
        """contents => {
          const transfer = new DataTransfer();
          for (const [name, text] of contents) transfer.items.add(new File([text], name));
          return transfer;
        }""",
        contents,
    )
    zone = ".dropzone"
    setup.dispatch_event(zone, "dragover", {"dataTransfer": transfer})
    expect(setup.locator(zone)).to_have_class("dropzone over")
    setup.dispatch_event(zone, "drop", {"dataTransfer": transfer})
    expect(setup.locator(zone)).to_have_class("dropzone")
    import_files(setup)
    for name in names:
        assert "imported" in report(setup, name)
    expect(setup.locator(".run-list tbody tr")).to_have_count(6)


def test_runs_that_do_not_contribute(setup: Page) -> None:
    setup.locator("#any-files").set_input_files([file("late.run", run_text("late", GOOD))])
    setup.get_by_text("Import options").click()
    setup.get_by_text("Assessors judge their documents").click()
    import_files(setup)
    report(setup, "late.run")
    expect(setup.locator(".run-list tr", has_text="late")).to_contain_text("not in the pool")


def test_a_connection_that_breaks_is_said(setup: Page) -> None:
    intercept(setup, re.compile("/runs/$"), lambda route: route.abort())
    upload(setup, file("w.run", run_text("w", GOOD)))
    assert "Upload interrupted" in report(setup, "w.run")


def test_a_large_file_goes_through_sending_to_checking(setup: Page, tmp_path: Path) -> None:
    """50,000 lines are sent from disk; the bar ends without a value while the server reads."""
    lists = {"1": [f"d{i:05}" for i in range(25_000)], "2": [f"d{i:05}" for i in range(25_000)]}
    path = tmp_path / "long.run"
    path.write_bytes(run_text("long", lists))
    setup.evaluate(
        """() => {
          window.said = [];
          new MutationObserver(() => {
            const state = document.querySelector(".upload-state");
            if (state) window.said.push(state.textContent);
          }).observe(document.querySelector("[data-groups]"), {
            childList: true, subtree: true, characterData: true
          });
        }"""
    )
    setup.locator("#any-files").set_input_files(path)
    import_files(setup)
    expect(setup.locator(".upload-file")).to_have_attribute("data-state", "taken", timeout=60_000)
    said = setup.evaluate("window.said")
    assert "checking …" in said
    assert said[-1] == "imported: 1 run, 2 topics, 50,000 lines"
    expect(setup.locator(".upload-file progress")).to_have_count(0)


def test_a_folder_is_dropped_as_a_whole(setup: Page, tmp_path: Path) -> None:
    inner = tmp_path / "runs" / "more"
    inner.mkdir(parents=True)
    (inner.parent / "run10.txt").write_bytes(run_text("run10", GOOD))
    (inner.parent / "run9.txt").write_bytes(run_text("run9", GOOD))
    (inner.parent / ".hidden").write_bytes(b"not a run")
    (inner / "deep.txt").write_bytes(run_text("deep", {"1": ["a"]}))
    drop(setup, ".dropzone", inner.parent)
    import_files(setup)
    for name in ("runs/more/deep.txt", "runs/run9.txt", "runs/run10.txt"):
        assert "1 run" in report(setup, name)
    expect(setup.locator("[data-said]")).to_have_text("3 files imported")
    names = setup.locator(".upload-name").all_inner_texts()
    assert names == ["runs/more/deep.txt", "runs/run9.txt", "runs/run10.txt"]


def test_pages_of_one_name_are_told_apart_by_their_folders(setup: Page, tmp_path: Path) -> None:
    pages = {
        "site/a/index.html": "first page",
        "site/b/index.html": "second page",
        "site/c.html": "third page",
    }
    for path, text in pages.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"<!doctype html><html><p>{text}</html>", encoding="utf-8")
    drop(setup, ".dropzone", tmp_path / "site")
    expect(setup.locator(".upload-name")).to_have_count(3)
    for path in pages:
        line = setup.locator(".upload-file", has_text=path)
        line.get_by_role("button", name="documents").click()
    import_files(setup)
    expect(setup.locator("[data-said]")).to_have_text("3 files imported")
    stored = Document.objects.filter(docno__in=["site/a/index", "site/b/index", "c"])
    assert {row.docno: row.body.split("<p>")[1].split("</")[0] for row in stored} == {
        "site/a/index": "first page",
        "site/b/index": "second page",
        "c": "third page",
    }


def drop(page: Page, where: str, path: Path) -> None:
    """What is dragged in from outside the browser, which no event of a script can bring."""
    zone = page.locator(where)
    zone.scroll_into_view_if_needed()
    box = zone.bounding_box()
    assert box
    place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, **place, "data": data})


def test_people_come_and_go(setup: Page) -> None:
    make_user("edsger")
    to_step(setup, "people")
    setup.get_by_text("Add a person without an invitation").click()
    setup.fill("#add-username", "edsger")
    setup.get_by_role("button", name="Add", exact=True).click()
    expect(setup.get_by_text("edsger is now an assessor")).to_be_visible()
    expect(setup.locator("#state-people")).to_contain_text("3 assessors")
    setup.get_by_text("Add a person without an invitation").click()
    setup.fill("#add-username", "nobody")
    setup.get_by_role("button", name="Add", exact=True).click()
    expect(setup.get_by_text("There is no account named “nobody”")).to_be_visible()
    expect(setup.locator("#add-username")).to_have_value("nobody")
    setup.on("dialog", lambda dialog: dialog.accept())
    setup.locator("tr", has_text="edsger").locator("summary").click()
    setup.get_by_role("button", name="Remove edsger").click()
    expect(setup.get_by_text("edsger has no role here any more")).to_be_visible()


def test_a_run_is_removed_only_after_a_yes(setup: Page) -> None:
    setup.once("dialog", lambda dialog: dialog.dismiss())
    setup.get_by_role("button", name="Remove z").click()
    expect(setup.locator(".run-list tbody tr")).to_have_count(3)
    setup.once("dialog", lambda dialog: dialog.accept())
    setup.get_by_role("button", name="Remove z").click()
    expect(setup.get_by_text("The run z is out of the campaign")).to_be_visible()
    expect(setup.locator(".run-list tbody tr")).to_have_count(2)


def test_the_pictures_of_p_follow_the_sliders(setup: Page) -> None:
    to_step(setup, "measure")
    second = setup.locator(".reader-bar").nth(1)
    expect(second).to_have_attribute("height", "96")
    expect(setup.locator("#judged-words")).to_contain_text("the residual is 0.107")
    setup.fill("#p", "0.5")
    expect(second).to_have_attribute("height", "60")
    expect(setup.locator("#p-slider")).to_have_value("0.5")
    expect(setup.locator("#reader-words")).to_contain_text("2 documents on average")
    expect(setup.locator("#judged-words")).to_contain_text("the residual is < 0.001")
    setup.locator("#p-slider").focus()
    setup.keyboard.press("ArrowRight")
    expect(setup.locator("#p")).to_have_value("0.51")
    setup.fill("#p", "0.5")
    slider = setup.locator("#judged-depth")
    slider.fill("3")
    expect(setup.locator(".depth-figure")).to_have_text("0.125")
    slider.press("ArrowLeft")
    expect(setup.locator("#judged-words")).to_contain_text("first 2 documents of every run judged")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("the residual is 0.250"))
    setup.fill("#p", "1")
    expect(setup.locator("#reader")).to_be_hidden()
    expect(setup.locator("#judged")).to_be_hidden()


def test_a_scale_of_ones_own(setup: Page) -> None:
    setup.goto("/campaigns/small/setup/?step=grades")
    setup.get_by_text("My own scale").click()
    setup.get_by_role("button", name="Add a grade").click()
    rows = setup.locator("#grade-rows tr")
    expect(rows).to_have_count(4)
    rows.nth(3).locator("[name=label]").fill("perfect")
    rows.nth(1).get_by_role("button", name="Remove").click()
    setup.get_by_role("button", name="Save").click()
    expect(setup.locator("#judging")).to_have_attribute("open", "")
    grades = Campaign.objects.get().grades
    assert [(row["grade"], row["label"], row["gain"]) for row in grades] == [
        (0, "not relevant", 0.0),
        (2, "highly relevant", 1.0),
        (3, "perfect", 1.0),
    ]
