// One uploaded file's line: progress first, then what was taken and noticed, or what is wrong and where.

import { html } from "../../../site/elements.js";
import { number } from "../../../site/numbers.js";
import { gettext, ngettext } from "../../../site/words.js";
import { GradeChoice } from "../grade_choice.js";
import { columnFields } from "./columns.js";
import { adviceWords, choicesOf, contentWords, placeOf, placeWords } from "./file_kinds.js";

const MANY_ERRORS = 6;
// A file of this size that is not recognised is no list of topics or judgments, and is not offered as one.
const LARGE = 1 << 29;
const ONLY_IF_ANY = ["new", "changed", "revised", "unchanged"];

export class Report {
  /**
   * @param {UploadItem} item
   * @param {{ use: (place: string) => void, remove: () => void, bundle: () => void, choose: (choice: Record<string, string>) => void, replace: () => void }} acts
   */
  constructor(item, acts) {
    this.item = item;
    this.acts = acts;
    const { file, name } = item;
    this.bar = html("progress", { max: "1", value: "0", "aria-label": gettext("sending {file}", { file: name }) });
    this.state = html("span", { class: "upload-state" });
    this.body = html("div", { class: "upload-report" });
    this.choice = html("span", { class: "upload-choice" });
    this.element = html(
      "li",
      { class: "upload-file" },
      html("p", { class: "upload-head" }, html("span", { class: "mono upload-name" }, name), html("span", { class: "note" }, size(file.size)), this.state, this.choice),
      this.body,
    );
    this.reset();
  }

  /** As it was before it was sent. */
  reset() {
    const { found, place, name } = this.item;
    this.bar.remove();
    this.body.replaceChildren();
    this.say("waiting", place ? "" : contentWords(found));
    const advice = place ? "" : adviceWords(found);
    if (advice) this.body.append(html("p", {}, advice));
    if (place === "collection" && (found.text_fields?.length ?? 0) > 1) this.body.append(this.textFields());
    if (found.table && (!place || placeOf(found) === place)) this.body.append(columnFields(found, (columns) => this.acts.choose({ columns: JSON.stringify(columns) })));
    if (place) this.warn(found.noticed, gettext("In the first records"));
    this.grades = place === "qrels" && found.other_grades ? new GradeChoice(found.other_grades, name) : null;
    if (this.grades) this.body.append(this.grades.element);
    const remove = button(gettext("Leave out"), this.acts.remove, gettext("Leave out {file}", { file: name }));
    const others = choicesOf(found, this.item.file.size > LARGE).filter((other) => other !== place);
    const uses = others.map((other) => button(gettext("Use as {what}", { what: placeWords(other) }), () => this.acts.use(other)));
    if (found.kind === "bundle") uses.push(button(gettext("Make a campaign from it"), this.acts.bundle));
    this.choice.replaceChildren(...uses, remove);
  }

  /** The field of JSON documents that is their text: the preview shows what becomes of it. */
  textFields() {
    const { text_fields: offered = [], text_field: chosen } = this.item.found;
    /** @param {{ path: string, value: string }} field */
    const words = ({ path, value }) => (value ? `${path}: ${value.slice(0, 60)}` : path);
    const options = offered.map((field) => html("option", { value: field.path, selected: field.path === chosen }, words(field)));
    if (!chosen) options.unshift(html("option", { value: "", selected: true }, gettext("choose a field")));
    const choose = () => {
      select.focus();
      this.acts.choose({ text_field: select.value });
    };
    const select = html("select", { name: "text-field", onchange: choose }, ...options);
    return html("label", { class: "text-field" }, html("span", {}, gettext("Text of the documents")), select);
  }

  /** What becomes of the grades of qrels that have others than the campaign. */
  gradeFields() {
    return this.grades?.fields() ?? {};
  }

  /** @param {number} share */
  sent(share) {
    this.choice.replaceChildren();
    if (!this.bar.isConnected) this.body.before(this.bar);
    this.say("sending", share < 1 ? gettext("sending, {share}%", { share: Math.floor(share * 100) }) : gettext("checking …"));
    // Without a value the bar moves to and fro: how long checking takes is not known.
    if (share < 1) this.bar.value = share;
    else this.bar.removeAttribute("value");
  }

  /** @param {string} state @param {string} words */
  say(state, words) {
    this.element.dataset.state = state;
    this.state.textContent = words;
  }

  /** @param {SentFile} reply */
  done({ status, body }) {
    this.bar.remove();
    this.grades?.element.remove();
    if (status === 201 && body) this.taken(body);
    else this.refused(status, body);
    return status === 201;
  }

  /** @param {{ taken: Record<string, number>, noticed?: Noticed[] }} body */
  taken({ taken, noticed }) {
    for (const field of this.body.querySelectorAll(".text-field, .table-columns")) field.remove();
    this.say("taken", gettext("imported: {what}", { what: takenWords(taken) }));
    this.warn(noticed);
  }

  /** @param {Noticed[] | undefined} noticed @param {string} [where] */
  warn(noticed, where) {
    this.body.querySelector("details.warnings")?.remove();
    if (!noticed?.length) return;
    const words = ngettext("{count} warning", "{count} warnings", noticed.length);
    const summary = html("summary", {}, where ? `${where}: ${words}` : words);
    this.body.append(html("details", { class: "warnings", open: noticed.length < MANY_ERRORS }, summary, list(noticed.map(noticedLine), "noticed")));
  }

  /** @param {number | null} status @param {any} body */
  refused(status, body) {
    this.say("refused", gettext("refused"));
    this.body.append(html("p", {}, body?.detail ? sentence(body.detail) : explain(status)));
    const lines = grouped(body?.errors ?? []).map((error) => errorLine(error));
    if (lines.length) this.body.append(list(lines.slice(0, MANY_ERRORS), "errors"));
    const more = lines.slice(MANY_ERRORS);
    if (more.length) {
      const summary = html("summary", {}, ngettext("{count} more", "{count} more", more.length));
      this.body.append(html("details", {}, summary, list(more, "errors")));
    }
    if (body?.code === "judged_documents") this.body.append(this.replacing());
    const other = placeOf(this.item.found);
    const uses = other && other !== this.item.place ? [button(gettext("Use as {what}", { what: placeWords(other) }), () => this.acts.use(other))] : [];
    this.choice.replaceChildren(...uses, button(gettext("Leave out"), this.acts.remove, gettext("Leave out {file}", { file: this.item.name })));
  }

  // The choice that a refused file with other texts of judged documents leaves.
  replacing() {
    const replace = html("button", { type: "button", class: "button" }, gettext("Replace judged documents"));
    replace.addEventListener("click", this.acts.replace);
    return html("p", { class: "replacing" }, replace, html("span", { class: "note" }, gettext("Judgments, notes and passages keep the earlier texts.")));
  }
}

/** @param {string} words @param {() => void} act @param {string} [label] */
function button(words, act, label) {
  const element = html("button", { type: "button", class: "plain", "aria-label": label }, words);
  element.addEventListener("click", act);
  return element;
}

/** @param {HTMLElement[]} lines @param {string} name */
function list(lines, name) {
  return html("ul", { class: name }, ...lines);
}

/**
 * Errors that differ only in the values that they quote, as the first of them and the number of the others.
 * @param {FileError[]} errors
 */
function grouped(errors) {
  const groups = new Map();
  for (const error of errors) {
    const key = `${error.field} ${error.detail.replace(/'[^']*'/g, "''").replace(/\d+/g, "0")}`;
    const group = error.line == null ? null : groups.get(key);
    if (group) group.more += 1 + (error.more ?? 0);
    else groups.set(error.line == null ? Symbol("alone") : key, { ...error, more: error.more ?? 0 });
  }
  return [...groups.values()];
}

/** @param {FileError} error */
function errorLine({ line, field, detail, more }) {
  const item = html("li", {});
  // The spaces are for those who copy the report.
  if (line != null) {
    const values = { line: number(line) };
    const where = more ? ngettext("line {line} and {count} more", "line {line} and {count} more", more, values) : gettext("line {line}", values);
    item.append(html("span", { class: "mono where" }, where), " ");
  }
  if (field) item.append(html("span", { class: "soft" }, `${field}: `));
  item.append(detail);
  return item;
}

/** @param {Noticed} noticed */
function noticedLine({ run, what, count: times, detail }) {
  const head = `${what}${times ? ` (${number(times)})` : ""}`;
  const item = html("li", {});
  if (run) item.append(html("span", { class: "mono" }, run), " ");
  item.append(html("strong", {}, head), detail ? `: ${detail}` : "");
  return item;
}

// What the server counts when it has taken a file.
/** @param {string} what @param {number} taken */
function counted(what, taken) {
  switch (what) {
    case "documents": return ngettext("{count} document", "{count} documents", taken);
    case "topics": return ngettext("{count} topic", "{count} topics", taken);
    case "runs": return ngettext("{count} run", "{count} runs", taken);
    case "lines": return ngettext("{count} line", "{count} lines", taken);
    case "judgments": return ngettext("{count} judgment", "{count} judgments", taken);
    case "added": return ngettext("{count} added", "{count} added", taken);
    case "new": return ngettext("{count} new", "{count} new", taken);
    case "changed": return ngettext("{count} changed", "{count} changed", taken);
    case "revised": return ngettext("{count} revised", "{count} revised", taken);
    case "unchanged": return ngettext("{count} unchanged", "{count} unchanged", taken);
    default: return `${number(taken)} ${what}`;
  }
}

/** @param {Record<string, number>} taken */
function takenWords(taken) {
  const parts = Object.entries(taken).filter(([what, count]) => count || !ONLY_IF_ANY.includes(what));
  return parts.map(([what, count]) => counted(what, count)).join(", ");
}

/** @param {string} text */
function sentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** @param {number | null} status */
function explain(status) {
  if (status === 0) return gettext("Upload interrupted; nothing was imported. Please try again.");
  if (status === 401 || status === 403) return gettext("You are not signed in any more, or not an organiser here.");
  if (status === 413) return gettext("The file is larger than the server takes.");
  return gettext("The server failed ({status}); no part of the file was stored. The server’s log shows why.", { status });
}

/** @param {number} bytes */
export function size(bytes) {
  const units = [gettext("bytes"), "kB", "MB", "GB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return `${number(bytes / 1000 ** step, step && bytes / 1000 ** step < 10 ? 1 : 0)} ${units[step]}`;
}
