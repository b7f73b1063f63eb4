// One uploaded file's line: progress first, then what was taken and noticed, or what is wrong and where.

import { html } from "../dom.js";
import { number } from "../../site/numbers.js";
import { gettext, ngettext } from "../../site/words.js";

const MANY_ERRORS = 6;
const ONLY_IF_ANY = ["revised", "unchanged"];

export class Report {
  constructor(file) {
    this.name = file.name;
    this.bar = html("progress", { max: "1", value: "0", "aria-label": gettext("sending {file}", { file: file.name }) });
    this.state = html("span", { class: "upload-state" }, gettext("waiting"));
    this.body = html("div", { class: "upload-report" });
    const name = html("span", { class: "mono upload-name" }, file.name);
    this.element = html(
      "li",
      { class: "upload-file", "data-state": "waiting" },
      html("p", { class: "upload-head" }, name, html("span", { class: "note" }, size(file.size)), this.state),
      this.bar,
      this.body,
    );
  }

  sent(share) {
    this.say("sending", share < 1 ? gettext("sending, {share} %", { share: Math.floor(share * 100) }) : gettext("checking …"));
    // Without a value the bar moves to and fro: how long checking takes is not known.
    if (share < 1) this.bar.value = share;
    else this.bar.removeAttribute("value");
  }

  say(state, words) {
    this.element.dataset.state = state;
    this.state.textContent = words;
  }

  done({ status, body }) {
    this.bar.remove();
    if (status === 201 && body) this.taken(body);
    else this.refused(status, body);
    return status === 201;
  }

  taken({ taken, noticed }) {
    this.say("taken", gettext("imported: {what}", { what: takenWords(taken) }));
    if (!noticed?.length) return;
    const summary = html("summary", {}, ngettext("{count} warning", "{count} warnings", noticed.length));
    this.body.append(html("details", {}, summary, list(noticed.map(noticedLine), "noticed")));
  }

  refused(status, body) {
    this.say("refused", gettext("refused"));
    this.body.append(html("p", {}, body?.detail ? sentence(body.detail) : explain(status)));
    const lines = (body?.errors ?? []).map((error) => errorLine(error));
    if (!lines.length) return;
    this.body.append(list(lines.slice(0, MANY_ERRORS), "errors"));
    const more = lines.slice(MANY_ERRORS);
    if (!more.length) return;
    const summary = html("summary", {}, ngettext("{count} more", "{count} more", more.length));
    this.body.append(html("details", {}, summary, list(more, "errors")));
  }
}

function list(lines, name) {
  return html("ul", { class: name }, ...lines);
}

function errorLine({ line, field, detail }) {
  const item = html("li", {});
  // The spaces are for whoever copies the report.
  if (line != null) item.append(html("span", { class: "mono where" }, gettext("line {line}", { line: number(line) })), " ");
  if (field) item.append(html("span", { class: "soft" }, `${field}: `));
  item.append(detail);
  return item;
}

function noticedLine({ run, what, count: times, detail }) {
  const head = `${what}${times ? ` (${number(times)})` : ""}`;
  const item = html("li", {});
  if (run) item.append(html("span", { class: "mono" }, run), " ");
  item.append(html("strong", {}, head), detail ? `: ${detail}` : "");
  return item;
}

// What the server counts when it has taken a file.
function counted(what, taken) {
  switch (what) {
    case "documents": return ngettext("{count} document", "{count} documents", taken);
    case "topics": return ngettext("{count} topic", "{count} topics", taken);
    case "runs": return ngettext("{count} run", "{count} runs", taken);
    case "added": return ngettext("{count} added", "{count} added", taken);
    case "revised": return ngettext("{count} revised", "{count} revised", taken);
    case "unchanged": return ngettext("{count} unchanged", "{count} unchanged", taken);
    default: return `${number(taken)} ${what}`;
  }
}

function takenWords(taken) {
  const parts = Object.entries(taken).filter(([what, taken]) => taken || !ONLY_IF_ANY.includes(what));
  return parts.map(([what, taken]) => counted(what, taken)).join(", ");
}

function sentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function explain(status) {
  if (status === 0) return gettext("Upload interrupted; nothing was imported. Please try again.");
  if (status === 401 || status === 403) return gettext("You are not signed in any more, or not an organiser here.");
  if (status === 413) return gettext("The file is larger than the server takes.");
  return gettext("The server failed ({status}); nothing of the file was stored. Its log says why.", { status });
}

export function size(bytes) {
  const units = [gettext("bytes"), "kB", "MB", "GB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return `${number(bytes / 1000 ** step, step && bytes / 1000 ** step < 10 ? 1 : 0)} ${units[step]}`;
}
