// One replay's picture: a row for each run with its score range, the highest base first, and all runs in a strip.

import { copyOf, html } from "../../site/elements.js";
import { base as rounded, number, top as roundedUp } from "../../site/numbers.js";
/** @import { Trajectory } from "./trajectory.js" */

const GLIDE = { duration: 350, easing: "ease-out" };
// The way of rows further outside the window is not seen.
const NEAR = 4;

export class Picture {
  /**
   * `place`: a copy of the fragment's template.
   * @param {HTMLElement} place
   * @param {Trajectory} trajectory
   */
  constructor(place, trajectory) {
    this.place = place;
    this.trajectory = trajectory;
    this.list = place.querySelector(".run-rows");
    this.rows = trajectory.runs.map((name) => makeRow(place.querySelector("template"), name));
    this.order = [...trajectory.runs.keys()];
    this.first = this.shown = Number(place.dataset.first);
    this.list.append(...this.rows.map((row) => row.item));
    this.strip = { range: place.querySelector(".strip-whisker"), base: place.querySelector(".strip-dot") };
    place.querySelector("[data-label]").textContent = trajectory.label;
    place.querySelector(".strip").hidden = this.rows.length <= this.first;
    place.querySelector("[data-when=unjudged]").hidden = trajectory.handled.at(-1) === trajectory.length;
    for (const moved of ["scroll", "resize"]) addEventListener(moved, () => (this.sight = null), { passive: true });
  }

  /** @param {boolean} all */
  showAll(all) {
    this.shown = all ? this.rows.length : this.first;
  }

  /**
   * Bars in sight: each frame of the screen.
   * @param {number} judged
   */
  drawBars(judged) {
    const { base, top } = this.trajectory.rangesAt(judged);
    const best = Math.max(...base);
    if (this.sight) {
      for (const run of this.inSight()) drawRow(this.rows[run], base[run], top[run], best);
      this.drawStrip(base, top);
    } else {
      this.drawFigures(judged);
    }
  }

  /**
   * Also what is read rather than watched. `gliding`: whether rows are seen to move to their new places.
   * @param {number} judged
   * @param {boolean} [gliding]
   */
  drawFigures(judged, gliding = false) {
    const { base, top } = this.trajectory.rangesAt(judged);
    const best = Math.max(...base);
    this.sight ??= this.rowsInSight();
    this.arrange(base, gliding);
    const { first } = this.sight;
    this.inSight().forEach((run, place) => {
      const row = this.rows[run];
      drawRow(row, base[run], top[run], best);
      setText(row.rank, number(first + place + 1));
      setText(row.range, `${rounded(base[run])}–${roundedUp(top[run])}`);
    });
    const counts = { ...this.counts(judged), may: top.filter((each) => each >= best).length };
    for (const [name, count] of Object.entries(counts)) {
      setText(this.place.querySelector(`[data-count="${name}"]`), number(count));
    }
    this.drawStrip(base, top);
  }

  /**
   * At rest, every row is right, for those who search the page or read all of it.
   * @param {number} judged
   */
  drawAll(judged) {
    this.sight = { first: 0, last: this.rows.length, height: 0 };
    this.drawFigures(judged);
    this.sight = null;
  }

  /**
   * Exact, of the last frame.
   * @param {number} judged
   */
  counts(judged) {
    const { judged: done, relevant, handled } = this.trajectory;
    const frame = this.trajectory.frameAt(judged);
    return { judged: done[frame], relevant: relevant[frame], unjudged: handled[frame] - done[frame] };
  }

  /** @param {Float64Array} base @param {boolean} gliding */
  arrange(base, gliding) {
    const before = this.order;
    // Runs that tie keep their places.
    const places = new Map(before.map((run, at) => [run, at]));
    /** @param {number} run */
    const place = (run) => places.get(run) ?? 0;
    this.order = [...before].sort((one, other) => base[other] - base[one] || place(one) - place(other));
    if (this.order.every((run, at) => run === before[at])) return;
    this.order.forEach((run, at) => {
      // Without the head of the list.
      const now = this.list.children[at + 1];
      if (now !== this.rows[run].item) this.list.insertBefore(this.rows[run].item, now);
    });
    // Of many rows that move at once, eyes follow none; and a browser draws each on a layer of its own.
    if (!gliding || !this.sight || this.shown > this.first) return;
    const { first, last, height } = this.sight;
    this.order.forEach((run, at) => {
      const from = place(run);
      if (from === at || Math.max(from, at) < first || Math.min(from, at) > last) return;
      const way = (from - at) * height;
      this.rows[run].item.animate([{ transform: `translateY(${way}px)` }, { transform: "none" }], GLIDE);
    });
  }

  inSight() {
    return this.sight ? this.order.slice(this.sight.first, Math.min(this.sight.last + 1, this.shown)) : [];
  }

  /** A row's height, and the places that are in the window or near it. */
  rowsInSight() {
    const [head, row] = this.list.children;
    const { height } = row.getBoundingClientRect();
    const above = Math.max(-head.getBoundingClientRect().bottom, 0);
    const first = Math.max(Math.floor(above / height) - NEAR, 0);
    return { height, first, last: first + Math.ceil(innerHeight / height) + 2 * NEAR };
  }

  /** @param {Float64Array} base @param {Float64Array} top */
  drawStrip(base, top) {
    if (this.shown > this.first) return;
    const step = 100 / this.order.length;
    let [ranges, bases] = ["", ""];
    this.order.forEach((run, at) => {
      const x = ((at + 0.5) * step).toFixed(2);
      const low = (100 - 100 * base[run]).toFixed(2);
      ranges += `M${x} ${low}V${(100 - 100 * top[run]).toFixed(2)}`;
      bases += `M${x} ${low}h0`;
    });
    this.strip.range.setAttribute("d", ranges);
    this.strip.base.setAttribute("d", bases);
  }
}

/** @param {HTMLTemplateElement} template @param {string} name @returns {RunRow} */
function makeRow(template, name) {
  const item = copyOf(template);
  // Not SVG, as elsewhere: that would be laid out again for each frame, these are only painted.
  const [reach, base] = ["run-reach", "run-base"].map((part) => ({ element: html("span", { class: part }) }));
  item.querySelector(".col-plot").append(reach.element, base.element);
  item.querySelector(".run-tag").textContent = name;
  item.querySelector(".col-run").title = name;
  const [rank, range] = [item.querySelector("[data-rank]"), item.querySelector("[data-range]")];
  return { item, reach, base, rank, range, may: null };
}

/** @param {RunRow} row @param {number} base @param {number} top @param {number} best */
function drawRow(row, base, top, best) {
  move(row.reach, `translateX(${percent(base)}) scaleX(${(top - base).toFixed(4)})`);
  move(row.base, `translateX(${percent(base)})`);
  const may = top >= best;
  if (may === row.may) return;
  row.may = may;
  row.item.classList.toggle("may", may);
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(2)}%`;
}

/**
 * Where it changed: most bars stand still in most frames.
 * @param {Bar} bar
 * @param {string} transform
 */
function move(bar, transform) {
  if (bar.transform === transform) return;
  bar.transform = transform;
  bar.element.style.transform = transform;
}

/** @param {HTMLElement} place @param {string} text */
function setText(place, text) {
  if (place.textContent !== text) place.textContent = text;
}
