// Highlighted terms: their counts above the document, t and T from one to the next, the assessor's own.
import { byId, make, plural } from "./dom.js";
import { clearMarks, highlight } from "./highlight.js";
import { termsOf } from "./terms.js";

export class Matches {
  #marks = [];
  #at = -1;
  #title;
  #personal;
  #parts;
  #say;

  constructor({ title, personal, parts, say }) {
    this.#title = title;
    this.#personal = personal;
    this.#parts = parts;
    this.#say = say;
    byId("add-term").addEventListener("submit", (event) => this.#add(event));
    byId("next-match").addEventListener("click", () => this.step(1));
    this.#listPersonal();
  }

  // Called for each new document, and again when the assessor's own terms change.
  mark() {
    const terms = termsOf(this.#title, this.#personal.all);
    for (const part of this.#parts) clearMarks(part);
    this.#marks = this.#parts.flatMap((part) => highlight(part, terms));
    this.#at = -1;
    this.#count(terms);
  }

  #count(terms) {
    const counts = terms
      .map((term) => [term.label, this.#marks.filter((mark) => mark.term === term).length])
      .filter(([, count]) => count);
    byId("next-match").hidden = !counts.length;
    const total = plural(this.#marks.length, "match", "matches");
    byId("match-counts").textContent = counts.length
      ? `${total}: ${counts.map(([label, count]) => `${label} ${count}`).join(" · ")}`
      : "None of the topic’s words occur.";
  }

  step(direction) {
    if (!this.#marks.length) return;
    this.#marks[this.#at]?.mark.classList.remove("here");
    const from = this.#at < 0 && direction < 0 ? 0 : this.#at;
    this.#at = (from + direction + this.#marks.length) % this.#marks.length;
    const { mark, term } = this.#marks[this.#at];
    mark.classList.add("here");
    mark.scrollIntoView({ block: "center" });
    this.#say(`${term.label}, ${this.#at + 1} of ${this.#marks.length}`);
  }

  #add(event) {
    event.preventDefault();
    const field = event.target.elements.term;
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

  #item(label) {
    const attributes = { type: "button", "aria-label": `Remove the term ${label}`, title: "remove" };
    const remove = () => {
      this.#personal.remove(label);
      this.#changed();
      byId("add-term").elements.term.focus();
    };
    const button = make("button", { text: "×", className: "remove", attributes, on: { click: remove } });
    return make("li", {}, make("span", { text: label }), button);
  }
}
