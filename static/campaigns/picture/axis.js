import { TICKS, percent } from "./scale.js";
import { html, svg } from "../dom.js";
import { base, number } from "../../site/numbers.js";
import { gettext } from "../../site/words.js";

/** The head of the picture, which stays in sight while the rows scroll, and the lines behind the rows. */
export class Axis {
  constructor() {
    this.scale = svg("svg", { class: "picture-scale", "aria-hidden": "true" });
    for (const value of TICKS) {
      this.scale.append(svg("text", { class: "picture-tick", x: percent(value), y: "1.1em" }, number(value, 1, 0)));
    }
    this.label = svg("text", { class: "picture-best", y: "2.5em" });
    this.scale.append(this.label);
    const figures = html("p", { class: "picture-figures", "aria-hidden": "true" });
    figures.append(html("span", { class: "run-guess" }, gettext("projected")), html("span", {}, gettext("base – top")));
    this.head = html("div", { class: "picture-head" }, this.scale, figures);

    this.lines = svg("svg", { class: "picture-lines", "aria-hidden": "true" });
    for (const value of TICKS) {
      this.lines.append(svg("rect", { class: "picture-line", x: percent(value), width: 1, height: "100%" }));
    }
    // A line has no `x` that could glide; a nested drawing has.
    this.guide = svg("svg", { class: "picture-guide" }, svg("line", { x1: 0, x2: 0, y1: 0, y2: "100%" }));
    this.over = svg("svg", { class: "picture-over", "aria-hidden": "true" }, this.guide);
  }

  show(leader) {
    const known = leader !== null && leader.base > 0;
    this.guide.classList.toggle("absent", !known);
    this.label.classList.toggle("absent", !known);
    if (!known) return;
    this.guide.setAttribute("x", percent(leader.base));
    this.label.setAttribute("x", percent(leader.base));
    this.label.textContent = gettext("best base {base}", { base: base(leader.base) });
    // Near an end of the axis the words hang inwards.
    const anchor = leader.base > 0.9 ? "end" : leader.base < 0.1 ? "start" : "middle";
    this.label.setAttribute("text-anchor", anchor);
  }
}
