import { Chart } from "./chart.js";
import { base, top } from "../../site/numbers.js";
import { gettext } from "../../site/words.js";

const TONES = 6;

/** Base to top of several runs over the judgments. */
export class ScoreCurves {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.chart = new Chart(root, {
      domain: [0, 1],
      ticks: [0, 0.25, 0.5, 0.75, 1],
      label: gettext("Base and top of the runs over the judgments. Arrow keys move through them."),
      say: ({ name, low, high }, at) => {
        const [least, most] = [low?.[at], high?.[at]];
        return least == null || most == null ? `${name} –` : `${name} ${base(least)} – ${top(most)}`;
      },
    });
  }

  /** @param {Curves} curves */
  show({ judged, starts, runs }) {
    const series = runs.map((one, i) => ({
      name: one.run,
      tone: i % TONES,
      line: one.base,
      low: one.base,
      high: one.top,
    }));
    this.chart.show({ judged, starts }, series);
  }
}
