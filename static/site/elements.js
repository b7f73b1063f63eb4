// Elements by id, elements made in one call, ids, and work in slices.

const SVG = "http://www.w3.org/2000/svg";
const SLICE = 8;
const IDLE_WITHIN = 250;

/** @template {string} Id @param {Id} id @returns {ElementOf<Id>} */
export const byId = (id) => document.getElementById(id);

// The field of that name.
/** @param {HTMLFormElement} form @param {string} name */
export function fieldOf(form, name) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
}

// The element of a template, once more.
/** @param {HTMLTemplateElement} template */
export function copyOf(template) {
  return /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));
}

// The element at the selector around what an event is about.
/** @template {string} Selector @param {Event} event @param {Selector} selector */
export function around(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

// Text always goes in as text. An attribute that is true has no value, one that is false or absent is left out, and a
// function listens: `onclick`.
/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, Attribute>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/**
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** @param {string} text */
export function paragraphs(text) {
  return text.split(/\n\s*\n/).filter(Boolean).map((part) => html("p", {}, part));
}

// crypto.randomUUID exists only on https and localhost; campaigns also run on plain intranet addresses.
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** @type {(work: () => void) => void} */
const whenIdle = "requestIdleCallback" in globalThis
  ? (work) => requestIdleCallback(work, { timeout: IDLE_WITHIN })
  : (work) => setTimeout(work, 0);

// Work in slices too short to be felt, between what the browser has to do. Takes from the iterator until it is
// done or stopped; `sliced` is called after each slice.
/**
 * @param {Iterator<unknown>} iterator
 * @param {{ sliced?: () => void, done?: () => void }} [told]
 * @returns {() => void} stops it
 */
export function inSlices(iterator, { sliced = () => {}, done = () => {} } = {}) {
  let stopped = false;
  const slice = () => {
    if (stopped) return;
    const until = performance.now() + SLICE;
    let step = iterator.next();
    while (!step.done && performance.now() < until) step = iterator.next();
    sliced();
    if (step.done) done();
    else whenIdle(slice);
  };
  whenIdle(slice);
  return () => {
    stopped = true;
  };
}
