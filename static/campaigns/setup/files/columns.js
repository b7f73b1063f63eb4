// The columns of a table: which of them has which role, its first rows, and the first record as it will be read.

import { html } from "../../../site/elements.js";
import { gettext } from "../../../site/words.js";
import { fieldWords } from "./file_kinds.js";

/** @param {FoundFile} found what must be chosen before the file can be imported; "" if nothing */
export function missingWords({ table, kind }) {
  if (!table || kind === "unknown") return "";
  const either = new Intl.ListFormat(document.documentElement.lang, { type: "disjunction" });
  const all = new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" });
  const missing = table.missing.map((roles) => either.format(roles.map(fieldWords)));
  if (missing.length) return gettext("Choose which column is: {what}.", { what: all.format(missing) });
  return table.refusal;
}

/**
 * @param {FoundFile} found
 * @param {(columns: Record<string, string>) => void} choose
 */
export function columnFields(found, choose) {
  const { table, first } = found;
  if (!table) throw new Error("no table");
  // The text of JSON documents may be deeper, and has a field of its own.
  const roles = table.roles.filter(({ role }) => role !== "text" || (found.text_fields?.length ?? 0) < 2);
  const missing = missingWords(found);
  const fields = roles.map(({ role, column }) => {
    const options = ["", ...table.names].map((name) => html("option", { value: name, selected: name === column }, name || "–"));
    const select = html("select", { name: `column-${role}` }, ...options);
    select.addEventListener("change", () => {
      select.focus();
      choose(chosen());
    });
    return { role, select, label: html("label", { class: "column-field" }, html("span", {}, fieldWords(role)), select) };
  });
  const chosen = () => Object.fromEntries(fields.filter(({ select }) => select.value).map(({ role, select }) => [role, select.value]));
  // Where a text lacks, what can be chosen is shown at once.
  const isOpen = Boolean(missing) || table.roles.some(({ role, column }) => !column && role === (found.kind === "documents" ? "text" : "title"));
  const summary = roles.filter(({ column }) => column).map(({ role, column }) => `${fieldWords(role)} = ${column}`);
  return html(
    "details",
    { class: "table-columns", open: isOpen || !roles.length },
    html("summary", {}, summary.length ? gettext("Columns: {what}", { what: summary.join(", ") }) : gettext("Columns")),
    missing ? html("p", { class: "columns-missing" }, missing) : "",
    html("div", { class: "column-fields" }, ...fields.map(({ label }) => label)),
    firstRows(table),
    first.length && roles.length ? html("p", { class: "read-as note" }, html("span", {}, gettext("The first record:")), ...recordWords(first)) : "",
  );
}

/** @param {{ name: string, value: string }[]} first */
export function recordWords(first) {
  return first.map(({ name, value }) => html("span", {}, html("b", {}, fieldWords(name)), " ", html("bdi", {}, value)));
}

/** @param {FoundTable} table */
function firstRows({ names, rows }) {
  const head = html("tr", {}, ...names.map((name) => html("th", { scope: "col" }, html("bdi", {}, name))));
  const body = rows.map((row) => html("tr", {}, ...row.map((value) => html("td", {}, html("bdi", {}, value)))));
  const element = html("table", { class: "first-rows" }, html("thead", {}, head), html("tbody", {}, ...body));
  return html("div", { class: "first-rows-frame", tabindex: "0", role: "group", "aria-label": gettext("The first rows") }, element);
}
