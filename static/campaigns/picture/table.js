import { canBeBest } from "./order.js";
import { html } from "../dom.js";
import { gettext, number } from "../../site/words.js";

/** The same figures as a table: for screen readers, for copying, for whoever prefers numbers. */
export function fillTable(body, runs, { leader, digits }) {
  const cell = (value) => html("td", { class: "number" }, number(value, digits));
  const rows = runs.map((run) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, run.run),
      html("td", {}, run.group),
      cell(run.base),
      cell(run.projected),
      cell(run.top),
      html("td", {}, canBeBest(run, leader) ? gettext("yes") : gettext("no")),
    ),
  );
  body.replaceChildren(...rows);
}
