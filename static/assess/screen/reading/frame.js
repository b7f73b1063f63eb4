// A frame for other people's HTML. It comes sanitised from the server; here it is kept apart as well: no
// script runs in the frame, nothing is loaded, nothing is submitted, and no link leads anywhere.
import { html } from "../../../site/elements.js";
import { SIGNS } from "../acts/clock.js";
import { partsOf } from "./portions.js";
import { gettext } from "../../../site/words.js";

const policy = `default-src 'none'; style-src ${location.origin}; font-src ${location.origin}; img-src data:; base-uri 'none'; form-action 'none'`;

function shell() {
  const inert = document.implementation.createHTMLDocument("");
  const meta = inert.createElement("meta");
  meta.httpEquiv = "Content-Security-Policy";
  meta.content = policy;
  inert.head.prepend(meta);
  for (const { href } of /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll("link[rel=stylesheet]"))) {
    const link = inert.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    inert.head.append(link);
  }
  inert.documentElement.className = "framed";
  inert.body.className = "text rendered";
  inert.body.dir = "auto";
  return `<!doctype html>${inert.documentElement.outerHTML}`;
}

// Of an image that does not come along its description stays, as words.
/** @param {HTMLElement} whole */
function describe(whole) {
  for (const image of /** @type {NodeListOf<HTMLImageElement>} */ (whole.querySelectorAll("img:not([src])"))) {
    if (image.alt.trim()) image.replaceWith(html("span", { class: "image-of" }, image.alt));
    else image.remove();
  }
}

export class Frame {
  #place;
  /** @type {HTMLIFrameElement | null} */
  #frame = null;
  /** @type {Promise<void> | true | undefined} */
  #loaded;
  #wanted = 0;

  /** @param {HTMLElement} place */
  constructor(place) {
    this.#place = place;
  }

  // Calls back with the parts that are shown: at once, but for the first time.
  /** @param {string} source @param {(parts: HTMLElement[]) => void} shown */
  async show(source, shown) {
    const wanted = (this.#wanted += 1);
    this.#frame ??= this.#make();
    this.#frame.hidden = false;
    if (this.#loaded !== true) await this.#loaded;
    if (wanted === this.#wanted) shown(this.#put(source));
  }

  hide() {
    this.#wanted += 1;
    if (!this.#frame) return;
    this.#frame.hidden = true;
    this.#inside?.body.replaceChildren();
  }

  get #inside() {
    return this.#frame?.contentDocument ?? null;
  }

  #make() {
    const attributes = { sandbox: "allow-same-origin", title: gettext("Document"), tabindex: "-1", srcdoc: shell() };
    const frame = html("iframe", { class: "frame", ...attributes });
    this.#loaded = /** @type {Promise<void>} */ (new Promise((resolve) => {
      frame.addEventListener("load", () => {
        this.#loaded = true;
        if (frame.contentDocument) this.#connect(frame.contentDocument);
        resolve();
      });
    }));
    this.#place.after(frame);
    return frame;
  }

  /** @param {Document} inside */
  #connect(inside) {
    new ResizeObserver(() => this.#fit()).observe(inside.body);
    const theme = () => {
      inside.documentElement.lang = "";
      inside.documentElement.dataset.theme = document.documentElement.dataset.theme ?? "auto";
      inside.body.style.fontSize = getComputedStyle(this.#place).fontSize;
    };
    const watch = new MutationObserver(theme);
    watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    watch.observe(this.#place.closest("[data-size]") ?? this.#place, { attributeFilter: ["data-size"] });
    theme();
    for (const sign of SIGNS) {
      inside.addEventListener(sign, (event) => this.#relay(event), { passive: sign !== "keydown", capture: true });
    }
  }

  /** @param {string} source */
  #put(source) {
    const { body } = new DOMParser().parseFromString(source, "text/html");
    const whole = html("div");
    while (body.firstChild) whole.append(body.firstChild);
    describe(whole);
    const parts = partsOf(whole);
    this.#inside?.body.replaceChildren(whole);
    this.#fit();
    return parts;
  }

  // As high as what it holds: the paper around it scrolls.
  #fit() {
    const inside = this.#inside;
    if (!this.#frame || !inside) return;
    const root = inside.documentElement;
    const bar = root.scrollWidth > root.clientWidth ? 18 : 0;
    this.#frame.style.blockSize = `${Math.ceil(inside.body.getBoundingClientRect().height) + bar}px`;
  }

  // Keys and signs of life count in here as they do around it.
  /** @param {Event} event */
  #relay(event) {
    const Kind = event.type === "keydown" ? KeyboardEvent : Event;
    const { key, code, ctrlKey, altKey, metaKey, shiftKey, repeat, isComposing } = /** @type {KeyboardEvent} */ (event);
    const copy = { key, code, ctrlKey, altKey, metaKey, shiftKey, repeat, isComposing, bubbles: true, cancelable: true };
    if (!this.#frame?.dispatchEvent(new Kind(event.type, copy)) && event.type === "keydown") event.preventDefault();
  }
}
