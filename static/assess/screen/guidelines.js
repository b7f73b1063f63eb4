// The organisers' guidelines beside the document, or over it as a sheet where there is no room beside it.
import { byId } from "./dom.js";

const NAME = "guidelines";
const BESIDE = "(min-width: 56.01rem)";

export class Guidelines {
  #panel = byId("guidelines");
  #button = byId("show-guidelines");

  constructor() {
    if (!this.#panel) return;
    this.#button.addEventListener("click", () => this.toggle());
    byId("hide-guidelines").addEventListener("click", () => this.toggle());
    this.#panel.addEventListener("keydown", ({ key }) => key === "Escape" && this.toggle());
    // A sheet that opens by itself would cover the document.
    this.#set(matchMedia(BESIDE).matches && wasOpen());
  }

  toggle() {
    if (!this.#panel) return;
    const open = this.#panel.hidden;
    this.#set(open);
    (open ? this.#panel : byId("document-title")).focus({ preventScroll: true });
    keep(open);
  }

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

function keep(open) {
  try {
    localStorage.setItem(NAME, open ? "open" : "");
  } catch {
    // it holds until the page is left
  }
}
