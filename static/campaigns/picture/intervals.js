// The interval picture: a bar per run from base to top, sorted, gliding when a judgment arrives.

import { Axis } from "./axis.js";
import { walkByKeyboard } from "./keyboard.js";
import { best, matching, sorted } from "./order.js";
import { longest, Row } from "./row.js";
import { html } from "../dom.js";
import { fillTable } from "./table.js";
import { atMostEvery } from "../throttle.js";
import { gettext } from "../../site/words.js";

const REDRAW_MILLISECONDS = 300;
const SETTLE_MILLISECONDS = 1200;
const ROOMY = 40;
const GAP_BETWEEN_GROUPS = 0.7;

export class IntervalPicture {
  constructor(root, { table = null } = {}) {
    this.root = root;
    this.table = table;
    // A table that nobody has unfolded is not written.
    this.fold = table?.closest("details");
    this.fold?.addEventListener("toggle", () => this.fold.open && this.tell?.());
    this.rows = new Map();
    this.runs = [];
    this.marked = [];
    this.key = "base";
    this.range = "full";
    this.text = "";
    this.axis = new Axis();
    this.list = html("ul", { class: "picture-rows", role: "listbox", "aria-label": gettext("Runs"), "aria-multiselectable": "true" });
    this.nothing = html("p", { class: "picture-nothing", hidden: true }, gettext("No run matches the filter."));
    const body = html("div", { class: "picture-body" }, this.axis.lines, this.list, this.axis.over);
    root.append(this.axis.head, body, this.nothing);
    this.keepReachable = walkByKeyboard(this.list, () => this.shown(), (element) => this.pin(element));
    this.redraw = atMostEvery(REDRAW_MILLISECONDS, () => this.draw());
  }

  /** Everything anew, as `intervals/` tells it. */
  load(runs) {
    this.runs = runs;
    this.redraw();
  }

  sortBy(key) {
    this.key = key;
    this.draw();
  }

  /** "full": bars reach to the top; "projected": to the projection. */
  reachTo(range) {
    this.range = range;
    this.draw();
  }

  filter(text) {
    this.text = text;
    this.draw();
  }

  pin(element) {
    const id = Number(element.dataset.run);
    this.mark(this.marked.includes(id) ? this.marked.filter((one) => one !== id) : [...this.marked, id]);
    this.root.dispatchEvent(new Event("marked"));
  }

  /** These runs, in this order, and no others. */
  mark(ids) {
    this.marked = ids;
    for (const [id, row] of this.rows) row.mark(ids.includes(id));
  }

  shown() {
    return (this.order ?? []).map((run) => this.rows.get(run.id).element);
  }

  draw() {
    const leader = best(this.runs);
    this.order = sorted(matching(this.runs, this.text), this.key);
    this.root.dataset.density = this.runs.length > ROOMY ? "dense" : "roomy";
    this.root.dataset.sort = this.key;
    this.root.style.setProperty("--letters", longest(this.runs, this.key));
    this.forgetMissing();
    for (const run of this.runs) this.rowOf(run).show(run, { leader, range: this.range });
    this.placeRows();
    this.axis.show(leader);
    this.nothing.hidden = this.order.length > 0 || this.runs.length === 0;
    this.tell = () => leader && fillTable(this.table, this.order, leader);
    if (this.fold?.open) this.tell();
    this.keepReachable();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settle(), SETTLE_MILLISECONDS);
  }

  rowOf(run) {
    if (!this.rows.has(run.id)) {
      const row = new Row(run);
      row.mark(this.marked.includes(run.id));
      this.rows.set(run.id, row);
      this.list.append(row.element);
    }
    return this.rows.get(run.id);
  }

  forgetMissing() {
    const present = new Set(this.runs.map((run) => run.id));
    for (const [id, row] of this.rows) {
      if (present.has(id)) continue;
      row.element.remove();
      this.rows.delete(id);
    }
  }

  placeRows() {
    // Hiding and showing again would cost a row its focus.
    const shown = new Set(this.order.map((run) => run.id));
    for (const [id, row] of this.rows) row.element.hidden = !shown.has(id);
    let position = 0;
    let previous = null;
    this.order.forEach((run, index) => {
      const apart = this.key === "group" && previous && previous.group !== run.group;
      if (apart) position += GAP_BETWEEN_GROUPS;
      const row = this.rows.get(run.id);
      row.place(position, index, this.order.length);
      row.element.classList.toggle("run-first-of-group", !previous || previous.group !== run.group);
      position += 1;
      previous = run;
    });
    this.root.style.setProperty("--places", position);
  }

  /** Once all is still, the document's order follows the eye's, unless that would take the focus away. */
  settle() {
    if (this.list.contains(document.activeElement)) return;
    const elements = this.shown();
    const inPlace = elements.every((element, i) => this.list.children[i] === element);
    if (!inPlace) this.list.append(...elements);
  }
}
