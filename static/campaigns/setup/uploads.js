// Many files at once into one part of the campaign. They go one after the other: the first of two runs
// with one tag wins, and the reports come in the order of the files.

import { Report } from "./report.js";
import { Tally } from "./tally.js";

const listing = new Intl.Collator(undefined, { numeric: true });

export class Uploads {
  constructor(form, api) {
    this.form = form;
    this.url = `${api}${form.dataset.kind}/`;
    this.list = form.querySelector(".uploads");
    this.tally = new Tally(form.querySelector(".tally"));
    this.reports = new Map();
    this.waiting = [];
    this.busy = false;
    const input = form.querySelector("input[type=file]");
    const take = () => {
      this.add([...input.files]);
      // The same file, mended, can be chosen again.
      input.value = "";
    };
    input.addEventListener("change", take);
    // Somebody may have chosen before this script came.
    if (input.files.length) take();
    this.acceptDrops(form.querySelector(".dropzone"));
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  acceptDrops(zone) {
    const over = (is) => zone.classList.toggle("over", is);
    zone.addEventListener("dragover", (event) => {
      event.preventDefault();
      over(true);
    });
    zone.addEventListener("dragleave", (event) => zone.contains(event.relatedTarget) || over(false));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      over(false);
      droppedFiles(event.dataTransfer).then((files) => this.add(files));
    });
  }

  add(files) {
    const fields = this.fields();
    for (const file of files) {
      const report = new Report(file);
      // A file dropped again replaces what was said of it before.
      this.reports.get(file.name)?.element.remove();
      this.reports.set(file.name, report);
      this.list.append(report.element);
      this.waiting.push({ file, report, fields });
    }
    this.tally.expect(files.length);
    if (!this.busy) this.work();
  }

  fields() {
    const { kind } = this.form.dataset;
    const { reword } = this.form.elements;
    if (kind === "topics") return reword ? { reword: reword.checked } : {};
    if (kind !== "runs") return {};
    const { group, contributes, lenient } = this.form.elements;
    return { group: group.value.trim(), contributes: contributes.checked, lenient: lenient.checked };
  }

  async work() {
    this.busy = true;
    while (this.waiting.length) {
      const { file, report, fields } = this.waiting.shift();
      const token = this.form.elements.csrfmiddlewaretoken.value;
      report.sent(0);
      this.list.scrollTop = report.element.offsetTop - this.list.clientHeight / 2;
      const reply = await send(this.url, { file, fields, token, progress: (share) => report.sent(share) });
      const taken = report.done(reply);
      // What needs somebody's hand comes first.
      if (!taken) this.list.prepend(report.element);
      this.tally.note(taken);
      if (this.tally.due) this.changed();
    }
    this.busy = false;
    if (this.tally.counts.refused) this.list.scrollTop = 0;
    this.form.querySelector("[data-said]").textContent = this.tally.words();
  }

  changed() {
    document.body.dispatchEvent(new CustomEvent(`changed-${this.form.dataset.kind}`));
  }
}

/** The dropped files, and those in dropped folders at any depth, in the order of their names. Must be called while the
    drop is handled: afterwards the browser shows nothing of it. */
function droppedFiles({ items, files }) {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return Promise.resolve([...files]);
  return inside(entries);
}

async function inside(entries) {
  const shown = entries.filter((entry) => !entry.name.startsWith("."));
  const found = await Promise.all(shown.map((entry) => (entry.isDirectory ? inFolder(entry) : fileOf(entry))));
  return found.flat();
}

async function inFolder(folder) {
  const reader = folder.createReader();
  const entries = [];
  // A reader gives a hundred at a time, and nothing at the end.
  for (let some = await part(reader); some.length; some = await part(reader)) entries.push(...some);
  return inside(entries.sort((one, other) => listing.compare(one.name, other.name)));
}

const part = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

/** Post one file. Resolves to {status, body}; status 0 is a connection that broke. */
function send(url, { file, fields, token, progress }) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file);
  return new Promise((resolve) => {
    // XMLHttpRequest, because fetch does not tell how much has been sent.
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.setRequestHeader("X-CSRFToken", token);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) progress(event.loaded / event.total);
    });
    request.addEventListener("load", () => resolve({ status: request.status, body: parsed(request.responseText) }));
    request.addEventListener("error", () => resolve({ status: 0, body: null }));
    request.send(form);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
