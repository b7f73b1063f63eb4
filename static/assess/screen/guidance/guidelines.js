// The organisers' guidelines beside the document, or over it as a sheet where there is no room beside it. Their
// examples are loaded once the panel opens.
import { byId } from "../../../site/elements.js";
/** @import { Examples } from "./examples.js" */

const NAME = "guidelines";
const BESIDE = "(min-width: 56.01rem)";
const IDLE_WITHIN = 2000;

/** @type {(work: () => void) => void} */
const whenIdle = "requestIdleCallback" in globalThis
  ? (work) => requestIdleCallback(work, { timeout: IDLE_WITHIN })
  : (work) => setTimeout(work, IDLE_WITHIN);

export class Guidelines {
  #panel = byId("guidelines");
  #button = byId("show-guidelines");
  /** @type {ExampleSource} */
  #source;
  /** @type {Examples | null} */
  #examples = null; // once loaded

  // `source`: what the examples need, see there.
  /** @param {ExampleSource} source */
  constructor(source) {
    if (!this.#panel) return;
    this.#source = source;
    this.#button.addEventListener("click", () => this.toggle());
    byId("hide-guidelines").addEventListener("click", () => this.toggle());
    this.#panel.addEventListener("keydown", (event) => event.key === "Escape" && this.#escape(event));
    // A sheet that opens by itself would cover the document.
    const open = matchMedia(BESIDE).matches && wasOpen();
    this.#set(open);
    // The first document comes before the examples.
    if (open) whenIdle(() => this.#load());
  }

  toggle() {
    if (!this.#panel) return;
    const open = this.#panel.hidden === true;
    if (!open && this.#examples?.reading) this.#examples.leave();
    this.#set(open);
    (open ? this.#panel : byId("document-title")).focus({ preventScroll: true });
    keep(open);
    if (open) this.#load();
  }

  // From an example back to the guidelines, from there to the document.
  /** @param {Event} event */
  #escape(event) {
    event.preventDefault();
    if (this.#examples?.reading) this.#examples.back();
    else this.toggle();
  }

  async #load() {
    if (!("examples" in this.#panel.dataset)) return;
    try {
      const { Examples } = await import("./examples.js");
      this.#examples ??= new Examples(this.#source);
      await this.#examples.refresh();
    } catch {
      // without the script there are only the guidelines; the next opening tries again
    }
  }

  /** @param {boolean} open */
  #set(open) {
    this.#panel.hidden = !open;
    this.#button.setAttribute("aria-expanded", String(open));
  }
}

function wasOpen() {
  try {
    return localStorage.getItem(NAME) === "open";
  } catch {
    return false;
  }
}

/** @param {boolean} open */
function keep(open) {
  try {
    localStorage.setItem(NAME, open ? "open" : "");
  } catch {
    // it holds until the page is left
  }
}
