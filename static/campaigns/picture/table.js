import { canBeBest } from "./order.js";
import { html } from "../dom.js";
import { gettext, number } from "../../site/words.js";

/** The same figures as a table: for screen readers, for copying, for whoever prefers numbers. */
export function fillTable(body, runs, { leader, digits }) {
  // On a phone each cell says what its column is called.
  const labels = [...body.closest("table").tHead.rows[0].cells].map((cell) => cell.textContent);
  const figure = (value) => [{ class: "number" }, number(value, digits)];
  const rows = runs.map((run) => {
    const told = canBeBest(run, leader) ? gettext("yes") : gettext("no");
    const cells = [[{}, run.group], figure(run.base), figure(run.projected), figure(run.top), [{}, told]];
    return html(
      "tr",
      {},
      html("th", { scope: "row" }, run.run),
      ...cells.map(([how, text], place) => html("td", { ...how, "data-label": labels[place + 1] }, text)),
    );
  });
  body.replaceChildren(...rows);
}
