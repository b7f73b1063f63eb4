// Progress, the last ten, and everything judged or set aside: each a click away.
import { byId, html } from "../../../site/elements.js";
import { gettext, ngettext } from "../../../site/words.js";
/** @import { Tally } from "./tally.js" */

const LAST = 10;

export class History {
  #tally;
  #recall;
  #nameOf;
  #reasons;

  /**
   * @param {{ tally: Tally, recall: (docno: string) => unknown, nameOf: NameOf, reasons: Record<string, string> }} parts
   */
  constructor({ tally, recall, nameOf, reasons }) {
    this.#tally = tally;
    this.#recall = recall;
    this.#nameOf = nameOf;
    this.#reasons = reasons;
    tally.addEventListener("change", () => this.#paint());
    // A long list is built only for those who look at it.
    byId("history").addEventListener("toggle", () => this.#paintList());
    this.#paint();
  }

  // Marks the entry that is on the screen; a document that came as new has none, except where it was set aside.
  /** @param {Current} current */
  current({ document: { docno }, before }) {
    for (const button of document.querySelectorAll("[data-docno]")) {
      if (button.dataset.docno === docno && (before || button.closest("[data-aside]"))) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  #paint() {
    const { judged, relevant, minimum } = this.#tally.progress;
    const done = judged < minimum ? gettext("{judged} of {minimum}", { judged, minimum }) : ngettext("{count} judged", "{count} judged", judged);
    for (const place of document.querySelectorAll("[data-progress]")) {
      place.textContent = place.dataset.progress === "short" ? done : `${done} · ${ngettext("{count} relevant", "{count} relevant", relevant)}`;
    }
    const bar = byId("progress-bar");
    bar.max = Math.max(minimum, 1);
    bar.value = Math.min(judged, bar.max);
    this.#paintLast();
    this.#paintList();
    this.#paintAside();
  }

  #paintLast() {
    const entries = this.#tally.newestFirst.slice(0, LAST).reverse();
    byId("last-none").hidden = entries.length > 0;
    refill(byId("last"), entries.map((entry) => html("li", {}, this.#chip(entry))));
  }

  /** @param {Entry} entry */
  #chip(entry) {
    const name = `${entry.title || entry.docno}: ${this.#verdict(entry)}`;
    const attributes = { class: "mark-chip", title: name, "aria-label": gettext("Revise {name}", { name }) };
    const button = this.#button(entry, attributes, String(entry.grade ?? "–"));
    button.dataset.grade = String(entry.grade ?? "none");
    return button;
  }

  #paintList() {
    const entries = this.#tally.newestFirst;
    byId("history-count").textContent = ngettext("{count} judgment", "{count} judgments", this.#tally.progress.judged);
    byId("history").hidden = !entries.length;
    if (!byId("history").open) return;
    refill(byId("history-list"), entries.map((entry) => html("li", {}, this.#row(entry))));
  }

  /** @param {Entry} entry */
  #row(entry) {
    const grade = html("span", { class: "mark-chip" }, String(entry.grade ?? "–"));
    grade.dataset.grade = String(entry.grade ?? "none");
    const name = html("span", { class: "name", dir: "auto" }, entry.title || entry.docno);
    const verdict = html("small", {}, this.#verdict(entry));
    return this.#button(entry, { class: "entry" }, grade, name, verdict);
  }

  #paintAside() {
    const entries = this.#tally.aside;
    byId("aside").hidden = !entries.length;
    byId("aside-count").textContent = ngettext("{count} to judge later", "{count} to judge later", entries.length);
    for (const list of document.querySelectorAll("[data-aside]")) {
      const rows = entries.map((entry) => {
        const name = html("span", { class: "name", dir: "auto" }, entry.title || entry.docno);
        return html("li", {}, this.#button(entry, { class: "entry" }, name));
      });
      refill(list, rows);
    }
  }

  /**
   * @param {NamedDocument} entry
   * @param {Record<string, Attribute>} attributes
   * @param {...(Node | string)} children
   */
  #button(entry, attributes, ...children) {
    const recall = () => this.#recall(entry.docno);
    const button = html("button", { type: "button", ...attributes, onclick: recall }, ...children);
    button.dataset.docno = entry.docno;
    return button;
  }

  /** @param {Entry} entry */
  #verdict({ grade, reason }) {
    return grade === null ? gettext("cannot judge: {reason}", { reason: this.#reasons[reason] ?? reason }) : this.#nameOf(grade);
  }
}

/** @param {Element} item */
function look(item) {
  const button = /** @type {HTMLElement} */ (item.firstElementChild);
  return `${button.dataset.docno}\n${button.title}\n${item.textContent}`;
}

// Items that look as before keep their elements: an answer may come while one of them is clicked or has the focus.
/** @param {Element} list @param {HTMLElement[]} items */
function refill(list, items) {
  const there = new Map([...list.children].map((item) => [look(item), item]));
  const wanted = items.map((item) => there.get(look(item)) ?? item);
  const stays = new Set(wanted);
  for (const item of there.values()) if (!stays.has(item)) item.remove();
  wanted.forEach((item, place) => {
    if (list.children[place] !== item) list.insertBefore(item, list.children[place] ?? null);
  });
}
