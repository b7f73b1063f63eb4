// Highlighted terms: their counts above the document, t and T from one to the next, d to where they stand
// closest, the assessor's own. Terms are counted everywhere and marked where they are in sight.
import { byId, fieldOf, html, inSlices } from "../../site/elements.js";
import { clearMarks, find, highlight, indexOf } from "./highlight.js";
import { termsOf } from "./terms.js";
import { number } from "../../site/numbers.js";
import { gettext, ngettext } from "../../site/words.js";
/** @import { Portions } from "../screen/reading/portions.js" */
/** @import { PersonalTerms } from "./terms.js" */

const AT_ONCE = 2;
const FEW = 2;
const SETTLING = 4;
const NEAR = "100% 0%";
const PASSAGE = 600;

// The document scrolls alone where there is room for a rail beside it, and with the page where there is none.
function scroller() {
  const paper = byId("paper");
  return getComputedStyle(paper).overflowY === "visible" ? null : paper;
}

// The number, in reading order, of the first match in the passage in which the most different terms stand, and of
// such passages in the one with the most matches.
/** @param {Portion[]} portions */
function densest(portions) {
  /** @type {{ term: Term, place: number }[]} */
  const matches = [];
  let before = 0;
  for (const { found, length } of portions) {
    for (const { term, place } of found ?? []) matches.push({ term, place: before + place });
    before += length ?? 0;
  }
  const inside = new Map();
  let best = { first: 0, terms: 0, matches: 0 };
  let first = 0;
  matches.forEach(({ term, place }, last) => {
    inside.set(term, (inside.get(term) ?? 0) + 1);
    for (; place - matches[first].place > PASSAGE; first += 1) {
      const left = (inside.get(matches[first].term) ?? 0) - 1;
      if (left) inside.set(matches[first].term, left);
      else inside.delete(matches[first].term);
    }
    const here = { first, terms: inside.size, matches: last - first + 1 };
    if (here.terms > best.terms || (here.terms === best.terms && here.matches > best.matches)) best = here;
  });
  return best.first;
}

export class Matches {
  /** @type {Term[]} */
  #terms = [];
  /** @type {TermIndex} */
  #index = indexOf([]);
  #at = -1;
  #title;
  #personal;
  #parts;
  #say;
  /** @type {WeakMap<Element, Portion>} */
  #watched = new WeakMap();
  /** @type {IntersectionObserver | null} */
  #eye = null;
  /** @type {HTMLElement | null} */
  #here = null;
  #stop = () => {};

  /** @param {{ title: string, personal: PersonalTerms, parts: Portions, say: Say }} parts */
  constructor({ title, personal, parts, say }) {
    this.#title = title;
    this.#personal = personal;
    this.#parts = parts;
    this.#say = say;
    byId("add-term").addEventListener("submit", (event) => this.#add(event));
    byId("next-match").addEventListener("click", () => this.step(1));
    byId("densest-match").addEventListener("click", () => this.densest());
    parts.addEventListener("cleared", () => this.#cleared());
    parts.addEventListener("added", ({ detail: portion }) => this.#search(portion));
    parts.addEventListener("grown", () => this.#count());
    this.#listPersonal();
  }

  // Called for each new document, and again when the assessor's own terms change.
  mark() {
    this.#cleared();
    for (const portion of this.#parts.all) {
      if (portion.marks) clearMarks(portion.root);
      portion.found = portion.marks = null;
    }
    this.#stop = inSlices(this.#searching([...this.#parts.all]), { sliced: () => this.#count() });
    for (const portion of this.#parts.all.slice(0, AT_ONCE)) this.#search(portion);
    this.#count();
  }

  #cleared() {
    this.#stop();
    this.#eye?.disconnect();
    this.#eye = new IntersectionObserver((seen) => this.#seen(seen), { root: scroller(), rootMargin: NEAR });
    this.#terms = termsOf(this.#title, this.#personal.all);
    this.#index = indexOf(this.#terms);
    this.#at = -1;
  }

  /** @param {Portion[]} portions */
  *#searching(portions) {
    for (const portion of portions) yield this.#search(portion);
  }

  /** @param {Portion} portion */
  #search(portion) {
    if (portion.found) return;
    const { found } = Object.assign(portion, find(portion.root, this.#index));
    if (!found.length) return;
    const atOnce = portion.place < AT_ONCE || portion.root.ownerDocument !== document;
    if (atOnce) {
      this.#mark(portion);
      return;
    }
    this.#watched.set(portion.root, portion);
    this.#eye?.observe(portion.root);
  }

  /** @param {Portion} portion */
  #mark(portion) {
    portion.marks ??= highlight(portion.root, this.#index);
    return portion.marks;
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #seen(entries) {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      this.#eye?.unobserve(target);
      const portion = this.#watched.get(target);
      if (portion?.found) this.#mark(portion);
    }
  }

  get #total() {
    return this.#parts.all.reduce((sum, { found }) => sum + (found?.length ?? 0), 0);
  }

  get #searched() {
    return !this.#parts.growing && this.#parts.all.every(({ found }) => found);
  }

  #count() {
    const counted = new Map(this.#terms.map((term) => [term, 0]));
    for (const { found } of this.#parts.all) {
      for (const { term } of found ?? []) counted.set(term, (counted.get(term) ?? 0) + 1);
    }
    const counts = [...counted].filter(([, count]) => count);
    byId("next-match").hidden = !counts.length;
    byId("densest-match").hidden = this.#total < FEW;
    const each = counts.flatMap(([{ label }, count], at) => [
      at ? " · " : ": ",
      html("bdi", {}, `${label}\u00a0${number(count)}`),
    ]);
    byId("match-counts").replaceChildren(counts.length ? this.#totalWords() : this.#noneWords(), ...each);
  }

  #totalWords() {
    if (this.#searched) return ngettext("{count} match", "{count} matches", this.#total);
    return ngettext("{count} match so far", "{count} matches so far", this.#total);
  }

  #noneWords() {
    const isText = this.#parts.all.length > 1 || this.#parts.growing;
    if (!isText || !this.#terms.length) return "";
    if (this.#searched) return gettext("No topic terms found in this document.");
    return gettext("None of the topic’s words occur so far.");
  }

  /** @param {number} direction */
  step(direction) {
    const total = this.#total;
    if (!total) return;
    const from = this.#at < 0 && direction < 0 ? 0 : this.#at;
    this.#go((from + direction + total) % total, total);
  }

  // To the passage where the most different terms stand within a few lines.
  densest() {
    const total = this.#total;
    if (total) this.#go(densest(this.#parts.all), total);
  }

  /** @param {number} at @param {number} total */
  #go(at, total) {
    this.#at = at;
    this.#here?.classList.remove("here");
    let left = at;
    const portion = this.#parts.all.find(({ found }) => {
      if (found && left < found.length) return true;
      left -= found?.length ?? 0;
      return false;
    });
    if (!portion) return;
    const { mark, term } = this.#mark(portion)[left];
    this.#here = mark;
    mark.classList.add("here");
    this.#bring(mark, SETTLING);
    this.#say(gettext("{term}, {place} of {total}", { term: term.label, place: at + 1, total }));
  }

  // What is laid out on the way there may be higher than it was taken to be.
  /** @param {HTMLElement} mark @param {number} frames */
  #bring(mark, frames) {
    if (mark !== this.#here || !mark.isConnected) return;
    mark.scrollIntoView({ block: "center", behavior: "instant" });
    if (frames) requestAnimationFrame(() => this.#bring(mark, frames - 1));
  }

  /** @param {Event} event */
  #add(event) {
    event.preventDefault();
    const field = fieldOf(byId("add-term"), "term");
    if (this.#personal.add(field.value)) this.#changed();
    field.value = "";
  }

  #changed() {
    this.#listPersonal();
    this.mark();
  }

  #listPersonal() {
    byId("my-terms").replaceChildren(...this.#personal.all.map((label) => this.#item(label)));
  }

  /** @param {string} label */
  #item(label) {
    const attributes = { type: "button", "aria-label": gettext("Remove the term {term}", { term: label }), title: gettext("remove") };
    const remove = () => {
      this.#personal.remove(label);
      this.#changed();
      fieldOf(byId("add-term"), "term").focus();
    };
    const button = html("button", { class: "remove", ...attributes, onclick: remove }, "×");
    return html("li", {}, html("span", { dir: "auto" }, label), button);
  }
}
