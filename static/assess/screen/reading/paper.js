// The document's own part of the screen.
import { Body, factsOf } from "./body.js";
import { byId } from "../../../site/elements.js";
import { Portions } from "./portions.js";
import { restartSight, watchSight } from "./sight.js";
import { gettext } from "../../../site/words.js";

const SLOW = 400;
const SETTLING = 6; // frames

// A frame's callbacks run before it is painted, a task asked for there after.
/** @returns {Promise<void>} */
function nextFrame() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });
}

/** @param {string} [url] */
function advice(url) {
  return url
    ? gettext("Open the original to judge it. If you can’t, choose “cannot judge”.")
    : gettext("If the document ID is enough to judge by, judge it. Otherwise choose “cannot judge: missing text”.");
}

export class Paper {
  #pane = byId("paper");
  #title = byId("document-title");
  #facts = byId("document-facts");
  #document = byId("document");
  #between = byId("between");
  #end = byId("end");
  #finished = byId("finished");
  #timer = 0;
  #settling = 0;
  /** @type {symbol | null} */
  #drawing = null;
  // The parts in which terms are looked for.
  marked = new Portions(this.#title);
  #body = new Body(byId("document-text"), this.marked, { advice, left: () => this.#focus() });

  constructor() {
    watchSight();
    for (const moves of ["keydown", "wheel", "pointerdown"]) {
      addEventListener(moves, () => { this.#settling = 0; }, { capture: true, passive: true });
    }
  }

  /** @param {{ document: ShownDocument, claim: Claim }} served @param {NameOf} gradeName */
  show({ document: shown, claim }, gradeName) {
    clearTimeout(this.#timer);
    const { docno, title } = shown;
    this.#title.textContent = title || docno;
    this.#facts.replaceChildren(...factsOf(shown));
    this.#body.show(shown);
    this.#revising(claim.revising == null ? "" : gradeName(claim.revising));
    this.#only(this.#document);
    this.#document.classList.remove("leaving");
    this.#toTop();
    return this.#drawn();
  }

  // Once the document is before the eyes, unless another has been shown meanwhile.
  async #drawn() {
    const drawing = (this.#drawing = Symbol("drawing"));
    this.#pane.setAttribute("aria-busy", "true");
    await nextFrame();
    if (this.#drawing !== drawing) return false;
    this.#pane.removeAttribute("aria-busy");
    return true;
  }

  // The old document stays, faded, until the next is there.
  leave() {
    this.#drawing = null;
    this.#pane.setAttribute("aria-busy", "true");
    this.#document.classList.add("leaving");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#only(this.#between), SLOW);
  }

  /** @param {string} words */
  explain(words) {
    this.#between.querySelector("p").textContent = words;
  }

  end() {
    this.#finish(this.#end, "h1");
  }

  // The way on has the focus: Enter takes it.
  finish() {
    this.#finish(this.#finished, "a.primary");
  }

  /** @param {HTMLElement} part @param {string} focused */
  #finish(part, focused) {
    this.#drawing = null;
    clearTimeout(this.#timer);
    this.#pane.removeAttribute("aria-busy");
    this.#only(part);
    part.querySelector(focused).focus({ preventScroll: true });
  }

  /** @param {HTMLElement} part */
  #only(part) {
    const parts = [this.#document, this.#between, this.#end, this.#finished].filter(Boolean);
    for (const each of parts) each.hidden = each !== part;
  }

  /** @param {string} grade */
  #revising(grade) {
    const note = byId("revising");
    note.hidden = !grade;
    note.querySelector("span").textContent = gettext("You judged this {grade}. A new judgment replaces it.", { grade });
  }

  #toTop() {
    restartSight();
    this.#settling = SETTLING;
    this.#settle();
    if (getComputedStyle(this.#pane).overflowY === "visible") scrollTo(0, 0);
    this.#focus();
  }

  // A key's smooth scrolling of the last document may still be under way, and goes on for a frame or two;
  // movement in this one is not held back.
  #settle() {
    this.#pane.scrollTop = 0;
    this.#settling -= 1;
    if (this.#settling > 0) requestAnimationFrame(() => this.#settling > 0 && this.#settle());
  }

  // A dialog keeps the focus while it is open.
  #focus() {
    if (!document.querySelector("dialog[open]")) this.#title.focus({ preventScroll: true });
  }
}
