// One run's row: its name, its interval, its figures. Places are fractions of the plot's width, so
// nothing has to be measured or redrawn when the window changes.

import { percent } from "./scale.js";
import { html, svg } from "../dom.js";
import { base, score, top } from "../../site/numbers.js";
import { gettext } from "../../site/words.js";

const LONG = 18;
const ENDING = 8;

export class Row {
  constructor(run) {
    this.group = html("span", { class: "run-group" });
    this.tag = html("span", { class: "run-tag" });
    this.note = html("span", { class: "run-note" });
    this.reach = svg("rect", { class: "run-reach", y: "18%", height: "64%" });
    this.end = svg("rect", { class: "run-end", y: "18%", height: "64%", width: 1.5 });
    this.base = svg("rect", { class: "run-base", y: "8%", height: "84%", width: 3 });
    this.projection = svg("rect", { class: "run-projection", y: "18%", height: "64%", width: 2 });
    this.range = html("span", { class: "run-range" });
    this.guess = html("span", { class: "run-guess" });
    const bars = [this.reach, this.end, this.projection, this.base];
    this.element = html(
      "li",
      { class: "run", id: `run-${run.id}`, role: "option", tabindex: "-1", "aria-selected": "false" },
      html("span", { class: "run-name" }, this.group, this.note, this.tag),
      svg("svg", { class: "run-plot", "aria-hidden": "true" }, ...bars),
      html("span", { class: "run-values" }, this.guess, this.range),
    );
    this.element.dataset.run = run.id;
  }

  mark(chosen) {
    this.element.setAttribute("aria-selected", String(chosen));
  }

  show(run, { leader = run, range = "full" } = {}) {
    const out = run.top < leader.base;
    const same = this.run === run && this.out === out && this.reached === range;
    if (same) return;
    Object.assign(this, { run, out, reached: range });
    const end = range === "projected" && run.residual < 1 ? run.projected : run.top;
    this.note.textContent = noteOf(run);
    this.name(run.run);
    this.tag.title = run.group ? `${run.run} · ${run.group}` : run.run;
    this.group.textContent = run.group;
    this.reach.setAttribute("x", percent(run.base));
    this.reach.setAttribute("width", percent(end - run.base));
    this.end.setAttribute("x", percent(end));
    this.base.setAttribute("x", percent(run.base));
    this.projection.setAttribute("x", percent(run.projected));
    this.range.textContent = `${base(run.base)} – ${top(run.top)}`;
    // With nothing judged there is nothing to project from.
    const blank = run.residual >= 1;
    this.projection.classList.toggle("absent", blank);
    this.guess.textContent = blank ? "–" : score(run.projected);
    this.element.classList.toggle("run-out", out);
    this.element.setAttribute("aria-label", spoken(run, out));
  }

  /** A long name in two parts, of which only the first may be cut. */
  name(tag) {
    if (this.tag.textContent === tag) return;
    const long = tag.length > LONG;
    this.tag.classList.toggle("long", long);
    if (!long) this.tag.textContent = tag;
    else this.tag.replaceChildren(html("span", {}, tag.slice(0, -ENDING)), html("span", {}, tag.slice(-ENDING)));
  }

  /** Places count rows from the top; the style sheet knows how high a row is and lets it glide. */
  place(position, index, among) {
    this.element.style.setProperty("--place", position);
    if (this.index === index && this.among === among) return;
    Object.assign(this, { index, among });
    this.element.setAttribute("aria-posinset", index + 1);
    this.element.setAttribute("aria-setsize", among);
  }
}

/** How many letters the longest row has before its bar. */
export function longest(runs, key) {
  const written = (run) => [key === "group" && run.group, noteOf(run), run.run].filter(Boolean).join(" ");
  return Math.max(0, ...runs.map((run) => written(run).length));
}

/** What tells a run apart from those that everything else on the picture takes for granted. */
function noteOf({ late, contributes }) {
  return [late && gettext("late"), contributes === false && gettext("scored only")].filter(Boolean).join(", ");
}

function spoken(run, out) {
  const group = run.group ? `, ${run.group}` : "";
  const fate = out ? `; ${gettext("can no longer be the best")}` : "";
  const figures = gettext("base {base}, top {top}, projected {projected}", {
    base: base(run.base),
    top: top(run.top),
    projected: score(run.projected),
  });
  const note = noteOf(run) && `, ${noteOf(run)}`;
  return `${run.run}${group}${note}: ${figures}${fate}`;
}
