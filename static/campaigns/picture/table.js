import { canBeBest } from "./order.js";
import { html } from "../dom.js";
import { base, score, top } from "../../site/numbers.js";
import { gettext } from "../../site/words.js";

/** The same figures as a table: for screen readers, for copying, for whoever prefers numbers. */
export function fillTable(body, runs, leader) {
  // On a phone each cell says what its column is called.
  const labels = [...body.closest("table").tHead.rows[0].cells].map((cell) => cell.textContent);
  const figure = (shown) => [{ class: "number" }, shown];
  const rows = runs.map((run) => {
    const told = canBeBest(run, leader) ? gettext("yes") : gettext("no");
    const cells = [[{}, run.group], figure(base(run.base)), figure(score(run.projected)), figure(top(run.top)), [{}, told]];
    return html(
      "tr",
      {},
      html("th", { scope: "row" }, run.run),
      ...cells.map(([how, text], place) => html("td", { ...how, "data-label": labels[place + 1] }, text)),
    );
  });
  body.replaceChildren(...rows);
}
