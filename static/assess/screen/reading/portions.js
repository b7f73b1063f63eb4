// A document in portions, in reading order. The first is there at once; those of a long document follow
// while it is already being read, and the browser lays out only what is near the eye.
import { html, inSlices } from "../../../site/elements.js";

const PORTION = 16_000;
// Lines of 75 characters, 1.8 rem high.
const LETTERS_PER_LINE = 75;
const LINE = 29;

export class Portions extends /** @type {Announcer<{ cleared: null, added: Portion, grown: null }>} */ (EventTarget) {
  #title;
  #stop = () => {};
  /** @type {Portion[]} */
  all = [];
  // Whether more are to come.
  growing = false;

  /** @param {HTMLElement} title */
  constructor(title) {
    super();
    this.#title = title;
  }

  clear() {
    this.#stop();
    this.growing = false;
    this.all = [{ root: this.#title, place: 0 }];
    this.dispatchEvent(new Event("cleared"));
  }

  /** @param {HTMLElement} root */
  add(root) {
    const portion = { root, place: this.all.length };
    this.all.push(portion);
    this.dispatchEvent(new CustomEvent("added", { detail: portion }));
  }

  // Puts elements into a container by portions.
  /** @param {HTMLElement} container @param {Iterable<HTMLElement>} elements */
  fill(container, elements) {
    const portions = this.#portionsOf(container, elements);
    this.growing = !portions.next().done;
    if (this.growing) this.#grow(portions);
  }

  // The parts of a tree that is there already.
  /** @param {HTMLElement[]} parts */
  take(parts) {
    const [first, ...later] = parts;
    if (first) this.add(first);
    this.growing = later.length > 0;
    if (this.growing) this.#grow(this.#adding(later));
    else this.dispatchEvent(new Event("grown"));
  }

  /** @param {Iterator<unknown>} iterator */
  #grow(iterator) {
    const tell = () => this.dispatchEvent(new Event("grown"));
    this.#stop = inSlices(iterator, {
      sliced: tell,
      done: () => {
        this.growing = false;
        tell();
      },
    });
  }

  /** @param {HTMLElement[]} parts */
  *#adding(parts) {
    for (const part of parts) yield this.add(part);
  }

  /** @param {HTMLElement} container @param {Iterable<HTMLElement>} elements */
  *#portionsOf(container, elements) {
    let fill = [];
    let letters = 0;
    for (const element of elements) {
      fill.push(element);
      letters += element.textContent.length;
      if (letters < PORTION) continue;
      yield this.#portion(container, fill, letters);
      fill = [];
      letters = 0;
    }
    if (fill.length) this.#portion(container, fill, letters);
  }

  /** @param {HTMLElement} container @param {HTMLElement[]} elements @param {number} letters */
  #portion(container, elements, letters) {
    const portion = html("div", { class: "portion" }, ...elements);
    if (container.firstChild) layOutLater(portion, letters);
    container.append(portion);
    this.add(portion);
  }
}

/** @param {HTMLElement} portion @param {number} letters */
function layOutLater(portion, letters) {
  portion.classList.add("later");
  portion.style.containIntrinsicBlockSize = `auto ${Math.ceil(letters / LETTERS_PER_LINE) * LINE}px`;
}

// A tree by those of its parts that are small enough. To lay out a long page takes seconds: where children may
// stand in an element of their own, they do so by portions, which are laid out when they come near.
/** @param {HTMLElement} tree */
export function partsOf(tree) {
  const parts = [...smallParts(tree)];
  for (const part of parts.slice(1)) {
    if (part.classList.contains("together")) layOutLater(part, part.textContent.length);
  }
  return parts;
}

const HOLDERS = new Set(["div", "main", "article", "section", "center"]);

/** @param {Node} node @returns {Generator<HTMLElement>} */
function* smallParts(node) {
  const text = node.textContent ?? "";
  if (text.length <= PORTION) {
    if (text.trim()) yield inElement(node);
  } else if (!node.firstChild) {
    yield inElement(node);
  } else {
    const children = node instanceof HTMLElement && HOLDERS.has(node.localName) ? together(node) : [...node.childNodes];
    for (const child of children) yield* smallParts(child);
  }
}

/** @param {Node} node @returns {HTMLElement} */
function inElement(node) {
  if (!(node instanceof Text)) return /** @type {HTMLElement} */ (node);
  const element = node.ownerDocument.createElement("span");
  node.replaceWith(element);
  element.append(node);
  return element;
}

// Neighbours that are small, by portions; those that are not, by themselves.
/** @param {HTMLElement} parent */
function together(parent) {
  /** @type {Node[]} */
  const groups = [];
  let room = 0;
  for (const child of [...parent.childNodes]) {
    const letters = child.textContent?.length ?? 0;
    if (letters > PORTION) groups.push(child);
    else if (letters <= room) groups.at(-1)?.appendChild(child);
    else {
      const group = parent.ownerDocument.createElement("div");
      group.className = "together";
      child.replaceWith(group);
      group.append(child);
      groups.push(group);
    }
    room = letters > PORTION ? 0 : (letters <= room ? room : PORTION) - letters;
  }
  return groups;
}
