// What the organiser chose on the picture: order, filter, reach and marked runs. It stays in the address,
// so that it can be sent to somebody; of marked runs the curves are drawn.

import { grown } from "../curves/growing.js";
import { ScoreCurves } from "../curves/scores.js";
import { html } from "../dom.js";
import { sorted } from "../picture/order.js";
import { read } from "./reading.js";
import { gettext } from "../../site/words.js";

const FIRST = 3;
const MOST = 6;
const REST_MILLISECONDS = 10_000;
// So many points are drawn as the page heard them; then all are fetched anew.
const MOST_HEARD = 100;

export class Marked {
  constructor(picture, controls, { curves, pair, runs }) {
    Object.assign(this, { picture, controls, addresses: { curves, pair, runs } });
    this.place = document.getElementById("marked");
    this.part = document.getElementById("curves");
    Object.assign(this, { drawn: { key: null, judged: -1, at: -Infinity }, curves: null, ofBest: null, heard: 0, waiting: null });
    const asked = new URLSearchParams(location.search);
    for (const name of ["filter", "sort", "range"]) {
      const field = controls.elements[name];
      const fits = field.options ? [...field.options].some(({ value }) => value === asked.get(name)) : true;
      if (asked.has(name) && fits) field.value = asked.get(name);
    }
    picture.mark(asked.getAll("run").map(Number).filter(Number.isInteger));
    controls.addEventListener("input", () => this.follow());
    controls.addEventListener("submit", (event) => event.preventDefault());
    picture.root.addEventListener("marked", () => this.changed());
    picture.root.addEventListener("dblclick", ({ target }) => this.open(target.closest("[data-run]")));
    this.follow();
  }

  follow() {
    const { filter, sort, range } = this.controls.elements;
    if (this.picture.text !== filter.value) this.picture.filter(filter.value);
    if (this.picture.key !== sort.value) this.picture.sortBy(sort.value);
    if (this.picture.range !== range.value) this.picture.reachTo(range.value);
    this.remember();
  }

  changed() {
    this.remember();
    this.list();
    this.draw();
  }

  remember() {
    const address = new URL(location.href);
    const { filter, sort, range } = this.controls.elements;
    const chosen = { filter: filter.value, sort: sort.value, range: range.value };
    const usual = { filter: "", sort: "base", range: "full" };
    for (const [name, value] of Object.entries(chosen)) {
      if (value === usual[name]) address.searchParams.delete(name);
      else address.searchParams.set(name, value);
    }
    address.searchParams.delete("run");
    for (const id of this.picture.marked) address.searchParams.append("run", id);
    if (address.href !== location.href) history.replaceState(history.state, "", address);
  }

  /** Newer figures. Names are written anew only when they differ, the curves only now and then. */
  show(runs, judged) {
    this.runs = runs;
    this.judged = judged;
    this.list();
    this.draw();
  }

  list() {
    const known = new Map((this.runs ?? []).map((run) => [run.id, run]));
    const marked = this.picture.marked.filter((id) => known.has(id)).map((id) => known.get(id));
    const key = JSON.stringify(marked.map(({ id, run }) => [id, run]));
    if (this.listed === key) return;
    this.listed = key;
    const chips = marked.map((run) => this.chip(run));
    if (marked.length > 1) {
      const [one, other] = marked;
      const beside = `${this.addresses.pair}?one=${one.id}&other=${other.id}`;
      chips.push(html("a", { href: beside }, gettext("Set the first two beside each other")));
    }
    if (marked.length) chips.push(html("a", { href: "#curves" }, gettext("Curves")));
    this.place.replaceChildren(...(chips.length ? chips : [hint()]));
  }

  chip(run) {
    const away = html("button", { type: "button", class: "plain", "aria-label": gettext("Unmark {run}", { run: run.run }) }, "×");
    away.addEventListener("click", () => {
      this.picture.mark(this.picture.marked.filter((id) => id !== run.id));
      this.changed();
      this.picture.root.querySelector(`#run-${run.id}`)?.focus();
    });
    return html("span", { class: "chip" }, html("a", { href: `${this.addresses.runs}${run.id}/` }, run.run), away);
  }

  open(row) {
    if (row) location.assign(`${this.addresses.runs}${row.dataset.run}/`);
  }

  /** Of the best runs the stream brings the curves; null where there is no stream. */
  tell(curves) {
    this.ofBest = curves;
    this.draw();
  }

  async draw() {
    const chosen = this.chosen();
    if (!chosen.length && this.ofBest) return this.drawBest();
    const wanted = chosen.length ? chosen : sorted(this.runs ?? [], "base").slice(0, FIRST).map((run) => run.id);
    const key = wanted.join();
    const other = this.drawn.key !== key;
    const rest = this.drawn.at + REST_MILLISECONDS - performance.now();
    if (!wanted.length || (!other && this.drawn.judged === this.judged)) return;
    if (!other && rest > 0) return this.drawAfter(rest);
    this.drawn = { key, judged: this.judged, at: performance.now() };
    if (other) this.curves = null;
    if (this.curves && this.heard < MOST_HEARD) {
      this.heard += 1;
      return this.drawCurves(grown(this.curves, this.judged, this.runs));
    }
    const found = await read(`${this.addresses.curves}?${wanted.map((id) => `run=${id}`).join("&")}`);
    // Others may have been chosen meanwhile.
    if (!found || this.drawn.key !== key) return;
    this.heard = 0;
    this.drawCurves(found);
  }

  /** Whatever is known by then: nothing further may be heard until then. */
  drawAfter(milliseconds) {
    this.waiting ??= setTimeout(() => {
      this.waiting = null;
      this.draw();
    }, milliseconds);
  }

  drawBest() {
    if (this.curves === this.ofBest) return;
    this.drawn = { key: null, judged: -1, at: -Infinity };
    this.drawCurves(this.ofBest);
  }

  drawCurves(curves) {
    this.curves = curves;
    // One point is no curve: nothing was judged yet.
    if (curves.judged.length < 2) return;
    this.part.hidden = false;
    this.chart ??= new ScoreCurves(document.getElementById("score-curves"));
    this.chart.show(curves);
  }

  chosen() {
    const here = new Set((this.runs ?? []).map((run) => run.id));
    return this.picture.marked.filter((id) => here.has(id)).slice(0, MOST);
  }
}

function hint() {
  const words = matchMedia("(hover: none)").matches
    ? gettext("A tap marks a run; what is marked is listed here, with a link to its page.")
    : gettext("A click or Enter marks a run, a double click opens its page.");
  return html("span", { class: "note" }, words);
}
