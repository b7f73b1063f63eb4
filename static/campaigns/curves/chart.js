// Lines over the number of judgments, some with a band: drawn at the width that there is, read out by
// pointer and arrow keys.

import { svg, html } from "../../site/elements.js";
import { number } from "../../site/numbers.js";
import { ngettext } from "../../site/words.js";

const MARGIN = { top: 8, right: 8, bottom: 22, left: 34 };

export class Chart {
  /**
   * `series`: {name, tone, line, low, high}, arrays as long as `judged`, null where nothing was measured;
   * `starts`: the points of `judged` that no line joins to the one before; `say`: a value in words.
   * @param {HTMLElement} root
   * @param {ChartOptions} options
   */
  constructor(root, { domain, label, say, ticks }) {
    this.root = root;
    this.domain = domain;
    this.say = say;
    this.ticks = ticks;
    /** @type {number[]} */
    this.judged = [];
    /** @type {Set<number>} */
    this.starts = new Set();
    /** @type {Series[]} */
    this.series = [];
    /** @type {number | null} */
    this.at = null;
    this.width = this.height = 0;
    this.guide = svg("line", { class: "curve-guide", y1: MARGIN.top });
    this.drawing = svg("svg", { class: "curve-drawing", role: "img", tabindex: "0", "aria-label": label });
    this.words = html("p", { class: "curve-words", "aria-live": "polite" });
    root.replaceChildren(this.drawing, this.words);
    new ResizeObserver(() => this.draw()).observe(root);
    this.drawing.addEventListener("pointermove", (event) => this.readAt(this.nearest(event.offsetX)));
    this.drawing.addEventListener("pointerleave", () => this.readAt(null));
    this.drawing.addEventListener("keydown", (event) => this.step(event));
  }

  /** @param {Pick<Curves, "judged" | "starts">} points @param {Series[]} series */
  show({ judged, starts }, series) {
    this.judged = judged;
    this.starts = new Set(starts);
    this.series = series;
    this.at = null;
    this.draw();
  }

  draw() {
    const width = this.root.clientWidth;
    if (!this.series.length || !width) return;
    this.width = width;
    this.height = this.drawing.clientHeight || 200;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    this.drawing.dataset.several = String(this.series.length > 1);
    this.drawing.replaceChildren(...this.axes(), ...this.series.flatMap((one) => this.strokes(one)));
    this.guide.setAttribute("y2", this.height - MARGIN.bottom);
    this.drawing.append(this.guide);
    this.readAt(this.at);
  }

  /** @param {number} judged */
  x(judged) {
    const most = this.judged.at(-1) || 1;
    return MARGIN.left + (judged / most) * (this.width - MARGIN.left - MARGIN.right);
  }

  /** @param {number} value */
  y(value) {
    const [low, high] = this.domain;
    const share = (value - low) / (high - low || 1);
    const inside = this.height - MARGIN.top - MARGIN.bottom;
    return MARGIN.top + inside * (1 - share);
  }

  axes() {
    const marks = this.ticks.flatMap((value) => {
      const y = this.y(value);
      const line = svg("line", { class: "curve-line", x1: MARGIN.left, x2: this.width - MARGIN.right, y1: y, y2: y });
      const text = svg("text", { class: "curve-tick", x: MARGIN.left - 6, y: y + 4, "text-anchor": "end" }, number(value, 2, 0));
      return [line, text];
    });
    /** @type {[number, string][]} */
    const at = [
      [0, "start"],
      [this.judged.at(-1) ?? 0, "end"],
    ];
    const below = at.map(([value, anchor]) => {
      const words = value ? ngettext("{count} judged", "{count} judged", value) : "0";
      return svg("text", { class: "curve-tick", x: this.x(value), y: this.height - 4, "text-anchor": anchor }, words);
    });
    return [...marks, ...below];
  }

  /** @param {Series} series */
  strokes({ tone, line, low, high }) {
    const parts = this.stretches(line);
    /** @param {number[]} part @param {Figures} values */
    const along = (part, values) => part.map((i) => this.point(i, values[i])).join("L");
    // Round caps draw a line of no length, at a point alone, as a dot.
    /** @param {Figures} values */
    const path = (values) => parts.map((part) => `M${along(part, values)}h0`).join("");
    const drawn = [];
    if (low && high) {
      const band = parts.map((part) => `M${along(part, low)}L${along(part.toReversed(), high)}Z`).join("");
      drawn.push(svg("path", { class: "curve-band", "data-tone": tone, d: band }));
      drawn.push(svg("path", { class: "curve-top", "data-tone": tone, d: path(high) }));
    }
    drawn.push(svg("path", { class: "curve-stroke", "data-tone": tone, d: path(line) }));
    return drawn;
  }

  /**
   * Lists of the places of points that a line joins.
   * @param {Figures} values
   * @returns {number[][]}
   */
  stretches(values) {
    /** @type {number[][]} */
    const parts = [];
    values.forEach((value, i) => {
      if (value === null) return;
      if (!parts.length || this.starts.has(this.judged[i]) || values[i - 1] === null) parts.push([]);
      parts[parts.length - 1].push(i);
    });
    return parts;
  }

  /** @param {number} i @param {number | null} value */
  point(i, value) {
    return `${this.x(this.judged[i]).toFixed(1)} ${this.y(value ?? 0).toFixed(1)}`;
  }

  /** @param {number} offset */
  nearest(offset) {
    let best = 0;
    this.judged.forEach((judged, i) => {
      if (Math.abs(this.x(judged) - offset) < Math.abs(this.x(this.judged[best]) - offset)) best = i;
    });
    return best;
  }

  /** @param {KeyboardEvent} event */
  step(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[event.key];
    const last = this.judged.length - 1;
    if (event.key === "Home") this.readAt(0);
    else if (event.key === "End") this.readAt(last);
    else if (step) this.readAt(Math.min(last, Math.max(0, (this.at ?? last) + step)));
    else return;
    event.preventDefault();
  }

  /**
   * What the curves say there; at their ends, if nowhere is named.
   * @param {number | null} at
   */
  readAt(at) {
    this.at = at;
    const shown = at ?? this.judged.length - 1;
    this.guide.classList.toggle("absent", at === null);
    const x = this.x(this.judged[shown]);
    this.guide.setAttribute("x1", x);
    this.guide.setAttribute("x2", x);
    const values = this.series.map((one) =>
      html("span", { class: "curve-value" }, html("span", { class: "curve-key", "data-tone": one.tone }), this.say(one, shown)),
    );
    const when = html("span", {}, `${ngettext("{count} judged", "{count} judged", this.judged[shown])}: `);
    this.words.replaceChildren(when, ...values);
  }
}
