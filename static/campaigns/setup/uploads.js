// Many files at once into one part of the campaign. They go one after the other: the first of two runs
// with one tag wins, and the reports come in the order of the files.

import { Report } from "./report.js";
import { send } from "./send.js";

export class Uploads {
  constructor(form, api) {
    this.form = form;
    this.url = `${api}${form.dataset.kind}/`;
    this.list = form.querySelector(".uploads");
    this.reports = new Map();
    this.waiting = [];
    this.busy = false;
    const input = form.querySelector("input[type=file]");
    input.addEventListener("change", () => {
      this.add([...input.files]);
      // The same file, mended, can be chosen again.
      input.value = "";
    });
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
      this.add([...event.dataTransfer.files]);
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
    if (!this.busy) this.work();
  }

  fields() {
    if (this.form.dataset.kind !== "runs") return {};
    const { group, contributes, lenient } = this.form.elements;
    return { group: group.value.trim(), contributes: contributes.checked, lenient: lenient.checked };
  }

  async work() {
    this.busy = true;
    const told = { taken: 0, refused: 0 };
    while (this.waiting.length) {
      const { file, report, fields } = this.waiting.shift();
      const token = this.form.elements.csrfmiddlewaretoken.value;
      report.sent(0);
      const reply = await send(this.url, { file, fields, token, progress: (share) => report.sent(share) });
      told[report.done(reply) ? "taken" : "refused"] += 1;
      if (!this.waiting.length || told.taken % 10 === 1) this.changed();
    }
    this.busy = false;
    this.form.querySelector("[data-said]").textContent = `${told.taken} taken, ${told.refused} refused`;
  }

  changed() {
    document.body.dispatchEvent(new CustomEvent(`changed-${this.form.dataset.kind}`));
  }
}
