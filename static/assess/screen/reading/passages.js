// Passages of the document: what is selected, and what is marked, painted over the text without changing it.
import { Offsets } from "./offsets.js";
/** @import { Portions } from "./portions.js" */

const NAME = "passage";

export class Passages {
  #parts;
  #source = "";
  /** @type {Passage[]} */
  #marked = [];
  /** @type {HighlightRegistry | null} */
  #painted = null;
  #waiting = 0;
  #changes = new MutationObserver(() => this.#repaint());

  // `parts`: the portions of the document, its title first.
  /** @param {Portions} parts */
  constructor(parts) {
    this.#parts = parts;
    parts.addEventListener("grown", () => this.#repaint());
  }

  get #roots() {
    return this.#parts.all.slice(1).map(({ root }) => root);
  }

  /** @param {string} source @param {Passage[]} marked */
  show(source, marked) {
    this.#source = source;
    this.#marked = marked;
    this.#repaint();
  }

  // What is selected in the document, or null.
  get selected() {
    const range = this.#selection;
    return range && !range.collapsed ? new Offsets(this.#roots, this.#source).ofRange(range) : null;
  }

  get hasSelection() {
    const range = this.#source ? this.#selection : null;
    return range !== null && !range.collapsed && range.toString().trim() !== "";
  }

  unselect() {
    this.#roots[0]?.ownerDocument.getSelection()?.removeAllRanges();
  }

  // The marked passage in which the caret stands, or null.
  get atCaret() {
    const range = this.#selection;
    if (!range) return null;
    const offsets = new Offsets(this.#roots, this.#source);
    /** @param {Passage} passage */
    const holds = (passage) => offsets.toRange(passage)?.isPointInRange(range.startContainer, range.startOffset);
    return this.#marked.find(holds) ?? null;
  }

  /** @param {Passage} passage */
  scrollTo(passage) {
    const range = new Offsets(this.#roots, this.#source).toRange(passage);
    range?.startContainer.parentElement?.scrollIntoView({ block: "center" });
  }

  // A selection that begins or ends outside of the document counts as far as it is inside.
  get #selection() {
    const roots = this.#roots;
    if (!roots.length) return null;
    const selection = roots[0].ownerDocument.getSelection();
    const range = selection?.rangeCount ? selection.getRangeAt(0) : null;
    return range && roots.some((root) => range.intersectsNode(root)) ? range : null;
  }

  // Terms are highlighted by splitting text nodes, now and whenever a part comes into sight.
  #repaint() {
    if (!this.#marked.length && !this.#painted) return;
    cancelAnimationFrame(this.#waiting);
    this.#waiting = requestAnimationFrame(() => this.#paint());
  }

  #paint() {
    this.#painted?.delete(NAME);
    this.#painted = null;
    this.#changes.disconnect();
    const roots = this.#roots;
    const view = roots[0]?.ownerDocument.defaultView;
    if (!this.#marked.length || !view?.CSS.highlights) return;
    for (const root of roots) this.#changes.observe(root, { childList: true, subtree: true });
    const offsets = new Offsets(roots, this.#source);
    const ranges = this.#marked.map((passage) => offsets.toRange(passage)).filter((range) => range !== null);
    view.CSS.highlights.set(NAME, new view.Highlight(...ranges));
    this.#painted = view.CSS.highlights;
  }
}
