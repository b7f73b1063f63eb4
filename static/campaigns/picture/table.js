import { canBeBest } from "./order.js";
import { html } from "../dom.js";

/** The same figures as a table: for screen readers, for copying, for whoever prefers numbers. */
export function fillTable(body, runs, { leader, digits }) {
  const number = (value) => html("td", { class: "number" }, value.toFixed(digits));
  const rows = runs.map((run) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, run.run),
      html("td", {}, run.group),
      number(run.base),
      number(run.projected),
      number(run.top),
      html("td", {}, canBeBest(run, leader) ? "yes" : "no"),
    ),
  );
  body.replaceChildren(...rows);
}
