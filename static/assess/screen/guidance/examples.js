// The examples of the guidelines, by grade beside its definition. Each opens in the panel, beside the document that is
// being judged; nothing in it is highlighted. What was read once is there without a network, too.
import { Body, factsOf } from "../reading/body.js";
import { byId, html } from "../../../site/elements.js";
import { ExampleTexts } from "../reading/example_texts.js";
import { Portions } from "../reading/portions.js";
import { gettext } from "../../../site/words.js";

export class Examples {
  #panel = byId("guidelines");
  #page = byId("guidelines-page");
  #list = byId("examples");
  #state = byId("examples-state");
  #shown = byId("example");
  #title = byId("example-title");
  #body = new Body(byId("example-text"), new Portions(this.#title), {
    advice: () => "",
    left: () => this.#title.focus({ preventScroll: true }),
  });
  #texts;
  #grades;
  #topic;
  #drawn = "";
  /** @type {{ id: string, scrolled: number } | null} */
  #from = null; // the button that opened the example, and how far the panel was scrolled

  // `grades`: the scale; `topic`: returns the number of the open topic; `store` and `place`: where to keep them.
  /** @param {ExampleSource} source */
  constructor({ api, store = null, place = "", grades, topic }) {
    this.#texts = new ExampleTexts({ api, store, place });
    this.#grades = grades;
    this.#topic = topic;
    byId("example-back").addEventListener("click", () => this.back());
    byId("to-examples").addEventListener("click", () => this.#toList());
  }

  get reading() {
    return !this.#shown.hidden;
  }

  async refresh() {
    const rows = await this.#texts.list();
    if (rows === null) this.#say(gettext("The examples can’t be loaded right now. Close the guidelines and open them again."));
    else if (!rows.length) this.#say(gettext("There are no examples for your topics."));
    else this.#say("");
    if (!rows) return;
    // A list that is being read stays as it is unless it changed.
    const drawn = JSON.stringify([this.#topic(), rows]);
    if (this.#drawn !== drawn) {
      this.#drawn = drawn;
      this.#list.replaceChildren(...this.#grades.map((grade) => this.#group(grade, rows)).filter((each) => each !== null));
    }
    byId("to-examples").hidden = !rows.length;
    this.#texts.fetchAhead(this.#inOrder(rows));
  }

  /** @param {ExampleRow} row @param {HTMLElement} button */
  async open(row, button) {
    this.#from = { id: button.id, scrolled: this.#panel.scrollTop };
    const found = await this.#texts.document(row.id);
    if (!found) {
      this.#say(gettext("{docno} can’t be loaded right now. Try again in a moment.", { docno: row.docno }));
      this.#state.scrollIntoView({ block: "nearest" });
      return;
    }
    this.#say("");
    const grade = this.#grades.find((each) => each.grade === row.grade);
    byId("example-grade").dataset.grade = String(row.grade);
    byId("example-grade").replaceChildren(html("strong", {}, grade?.label ?? ""), ` ${row.reason}`);
    this.#title.textContent = row.title || row.docno;
    byId("example-facts").replaceChildren(...this.#topicOf(row), ...factsOf(found));
    this.#page.hidden = true;
    byId("to-examples").hidden = true;
    this.#shown.hidden = false;
    this.#body.show(found);
    this.#panel.scrollTop = 0;
    this.#title.focus({ preventScroll: true });
  }

  // To the place in the list from which the example was opened.
  back() {
    this.leave();
    this.#panel.scrollTop = this.#from?.scrolled ?? 0;
    byId(this.#from?.id ?? "")?.focus({ preventScroll: true });
  }

  leave() {
    this.#shown.hidden = true;
    this.#page.hidden = false;
    byId("to-examples").hidden = false;
    this.#body.clear();
  }

  #toList() {
    const heading = byId("examples-title");
    heading.scrollIntoView({ block: "start" });
    heading.focus({ preventScroll: true });
  }

  /** @param {string} words */
  #say(words) {
    this.#state.textContent = words;
    this.#state.hidden = !words;
  }

  // The open topic first, then what is for every topic, then other topics.
  /** @param {ExampleRow[]} rows */
  #inOrder(rows) {
    const open = this.#topic();
    /** @param {ExampleRow} row */
    const rank = ({ topic }) => (topic === open ? 0 : topic === null ? 1 : 2);
    return [...rows].sort((one, other) => rank(one) - rank(other));
  }

  /** @param {Grade} grade @param {ExampleRow[]} rows */
  #group({ grade, label, definition }, rows) {
    const own = this.#inOrder(rows.filter((row) => row.grade === grade));
    if (!own.length && !definition) return null;
    const group = html("section", { class: "example-group" }, html("h4", {}, label));
    group.dataset.grade = String(grade);
    if (definition) group.append(html("p", {}, definition));
    if (own.length) group.append(html("ul", {}, ...own.map((row) => this.#item(row))));
    return group;
  }

  /** @param {ExampleRow} row */
  #item(row) {
    const attributes = { type: "button", id: `example-${row.id}`, class: "plain example-link" };
    const button = html("button", attributes, row.title || row.docno);
    button.addEventListener("click", () => this.open(row, button));
    return html("li", {}, button, html("p", {}, row.reason), ...this.#topicOf(row));
  }

  // An example of another topic says what was asked there.
  /** @param {ExampleRow} row */
  #topicOf({ topic, topic_title: title }) {
    if (topic === null || topic === this.#topic()) return [];
    return [html("p", { class: "note" }, gettext("topic {topic}: {title}", { topic, title }))];
  }
}
