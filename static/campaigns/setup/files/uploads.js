// The one place for files: recognised as they come, sorted and shown, and imported in the order of work whatever the
// order in which they were dropped.

import { fieldOf, html } from "../../../site/elements.js";
import { gettext, ngettext } from "../../../site/words.js";
import { chosenFiles, droppedFiles, pathOf } from "./dropped_files.js";
import { missingWords, recordWords } from "./columns.js";
import { PLACES, addressOf, docnosByPath, groupWords, headOf, kindIn, placeOf } from "./file_kinds.js";
import { Report } from "./report.js";
import { send } from "./sending.js";

// Of requests about one file: its beginning, its columns, its first values.
const MOST_ROUNDS = 4;
const GROUPS = [...PLACES, ""];
/** @type {Record<string, string[]>} */
const CHANGES = { archive: ["collection", "topics", "runs"], qrels: ["runs"] };

export class Uploads {
  /** @param {HTMLElement} section */
  constructor(section) {
    this.form = section.querySelector("form");
    this.api = section.dataset.api;
    this.bundleAddress = section.dataset.bundle;
    /** @param {string} name */
    this.find = (name) => this.form.querySelector(`[data-${name}]`);
    /** @type {Map<string, Upload>} */
    this.items = new Map();
    /** @type {Map<string, { element: HTMLElement, list: HTMLElement }>} */
    this.groups = new Map();
    /** @type {Import | null} */
    this.working = null;
    /** @type {Promise<void> | null} */
    this.looking = null;
    for (const input of this.form.querySelectorAll("input[type=file]")) {
      const take = () => {
        this.add(chosenFiles(input));
        // The same file, mended, can be chosen again.
        input.value = "";
      };
      input.addEventListener("change", take);
      // Files may have been chosen before this script came.
      if (input.files?.length) take();
    }
    this.acceptDrops(this.form.querySelector(".dropzone"));
    this.find("cancel").addEventListener("click", () => this.cancel());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.importAll();
    });
  }

  /** @param {HTMLElement} zone */
  acceptDrops(zone) {
    /** @param {boolean} is */
    const over = (is) => zone.classList.toggle("over", is);
    zone.addEventListener("dragover", (event) => {
      event.preventDefault();
      over(true);
    });
    zone.addEventListener("dragleave", (event) => zone.contains(/** @type {Node | null} */ (event.relatedTarget)) || over(false));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      over(false);
      if (event.dataTransfer) droppedFiles(event.dataTransfer).then((files) => this.add(files));
    });
  }

  get token() {
    return fieldOf(this.form, "csrfmiddlewaretoken").value;
  }

  /**
   * Recognise files, one request after the other, and show them sorted.
   * @param {File[]} files
   */
  add(files) {
    return this.look(async () => {
      for (const file of files) await this.recognise(file);
    });
  }

  /**
   * Recognise after what is being recognised; until then nothing can be imported.
   * @param {() => Promise<void>} task
   */
  async look(task) {
    const before = this.looking;
    const mine = (async () => {
      await before;
      await task();
    })();
    this.looking = mine;
    this.show();
    await mine;
    if (this.looking === mine) this.looking = null;
    this.show();
  }

  /**
   * @param {File} file
   * @param {Record<string, string>} [choice] the kind, the columns and the path of the text, where they were chosen
   */
  async recognise(file, choice = {}) {
    const { status, body } = await this.found(file, choice);
    const name = pathOf(file);
    // A file dropped again, or read otherwise, replaces what was said of it before.
    const former = this.items.get(name);
    const found = body?.kind ? body : { kind: "unknown", words: "", certain: true, first: [] };
    /** @type {UploadItem} */
    const waiting = { file, name, found, state: "waiting", place: placeOf(found), choice };
    /** @type {Upload} */
    const item = Object.assign(waiting, {
      report: new Report(waiting, {
        use: (place) => this.use(item, place),
        remove: () => this.remove(item),
        bundle: () => this.makeCampaign(file),
        choose: (chosen) => this.look(() => this.choose(item, chosen)),
        replace: () => {
          item.replace = true;
          this.use(item, item.place);
          this.importAll(() => (item.state === "waiting" ? [item] : []));
        },
      }),
    });
    this.items.set(name, item);
    if (former?.place === item.place) former.report.element.replaceWith(item.report.element);
    else {
      former?.report.element.remove();
      this.groupOf(item.place).append(item.report.element);
    }
    if (status !== 200) item.report.refused(status, body);
    this.show();
  }

  /**
   * What the server finds in a file: in its beginning, and in the pieces that it asks for.
   * @param {File} file @param {Record<string, string>} choice
   */
  async found(file, choice) {
    /** @type {SentFile} */
    let reply = { status: 0, body: null };
    for (let round = 0, pieces = [[0, headOf(file).size]]; round < MOST_ROUNDS && pieces?.length; round += 1) {
      const content = new Blob(pieces.map(([begin, end]) => file.slice(begin, end)));
      const fields = { size: file.size, ...choice, ...(round ? { pieces: JSON.stringify(pieces) } : {}) };
      reply = await send(`${this.api}recognition/`, { file: content, name: file.name, fields, token: this.token }).promise;
      pieces = reply.body?.pieces;
    }
    return reply;
  }

  /**
   * Read a file by other columns, and those that were dropped with it and have the same ones.
   * @param {Upload} item @param {Record<string, string>} chosen
   */
  async choose(item, chosen) {
    const focused = /** @type {HTMLSelectElement | null} */ (document.activeElement)?.name;
    const choice = { ...item.choice, ...chosen, kind: kindIn(item.place) };
    const columns = namesOf(item);
    const alike = this.inPlace(item.place).filter((one) => one !== item && one.state === "waiting" && columns && namesOf(one) === columns);
    for (const { file } of "columns" in chosen ? [item, ...alike] : [item]) await this.recognise(file, choice);
    const element = this.items.get(item.name)?.report.element;
    const columnsShown = element?.querySelector("details.table-columns");
    if (columnsShown && "columns" in chosen) columnsShown.open = true;
    [...(element?.querySelectorAll("select") ?? [])].find((field) => field.name === focused)?.focus();
  }

  /** @param {string} place */
  groupOf(place) {
    const known = this.groups.get(place);
    if (known) return known.list;
    const list = html("ul", { class: "uploads" });
    const element = html("section", { class: "file-group", "data-place": place || "other" }, html("h3"), html("p", { class: "first-record note" }), list);
    this.groups.set(place, { element, list });
    this.find("groups").append(...GROUPS.flatMap((one) => this.groups.get(one)?.element ?? []));
    return list;
  }

  /** @param {Upload} item @param {string} place */
  use(item, place) {
    if (item.found.table && item.state === "waiting" && placeOf(item.found) !== place) {
      this.look(() => this.recognise(item.file, { kind: kindIn(place) }));
      return;
    }
    item.place = place;
    item.state = "waiting";
    item.report.reset();
    this.groupOf(place).append(item.report.element);
    this.show();
  }

  /** @param {Upload} item */
  remove(item) {
    this.items.delete(item.name);
    item.report.element.remove();
    this.show();
  }

  /** @param {string} place */
  inPlace(place) {
    return [...this.items.values()].filter((item) => item.place === place);
  }

  waiting() {
    return PLACES.flatMap((place) => this.inPlace(place).filter((item) => item.state === "waiting"));
  }

  /** @param {() => Upload[]} waiting the files still to send */
  async importAll(waiting = () => this.waiting()) {
    if (this.working || this.looking || waiting().some((item) => missingWords(item.found))) return;
    /** @type {Import} */
    const working = { total: waiting().length, done: 0, cancelled: false, sending: false, cancel: () => {} };
    this.working = working;
    for (let [item] = waiting(); item && !working.cancelled; [item] = waiting()) {
      this.show();
      await this.importOne(item, working);
      working.done += 1;
    }
    this.working = null;
    this.show();
    // Refused files come first in their lists.
    for (const { list } of this.groups.values()) if (/** @type {HTMLElement | null} */ (list.firstElementChild)?.dataset.state === "refused") list.scrollTop = 0;
    if (!this.waiting().length) this.say(this.resultWords());
  }

  /** @param {Upload} item @param {Import} working */
  async importOne(item, working) {
    const { report, place } = item;
    item.state = "sending";
    report.sent(0);
    const list = this.groupOf(place);
    list.scrollTop = report.element.offsetTop - list.clientHeight / 2;
    const { columns, text_field: path } = item.choice;
    const ofDocuments = place === "collection" ? { ...(path === undefined ? {} : { text_field: path }), ...this.docnoField(item) } : {};
    const choice = { ...(columns ? { columns } : {}), ...ofDocuments };
    const fields = { ...this.fields(place), ...report.gradeFields(), ...choice, ...(item.replace ? { replace: true } : {}) };
    /** @param {number} share */
    const progress = (share) => {
      working.sending = share < 1;
      report.sent(share);
    };
    const sending = send(`${this.api}${addressOf(place)}`, { file: item.file, name: item.file.name, fields, token: this.token, progress });
    Object.assign(working, { cancel: sending.cancel, sending: true });
    const reply = await sending.promise;
    if (reply.status === null) {
      item.state = "waiting";
      report.reset();
      return;
    }
    item.state = report.done(reply) ? "taken" : "refused";
    if (item.state === "refused") list.prepend(report.element);
    // Of many files the page looks now and then, and at the last.
    else if (working.done % 10 === 0 || !this.waiting().some((other) => other.place === place)) this.changed(place);
  }

  /**
   * The docno of a page whose name other files have, too.
   * @param {Upload} item
   * @returns {{ docno?: string }}
   */
  docnoField(item) {
    const pages = [...this.items.values()].filter(({ found }) => found.kind === "document").map(({ name }) => name);
    const docno = docnosByPath(pages).get(item.name);
    return docno !== undefined && docno !== docnosByPath([item.name]).get(item.name) ? { docno } : {};
  }

  /** @param {string} place @returns {Record<string, string | boolean>} */
  fields(place) {
    const [group, contributes, lenient, reword] = ["group", "contributes", "lenient", "reword"].map((name) => fieldOf(this.form, name));
    /** @type {Record<string, string | boolean>} */
    const forTopics = reword ? { reword: reword.checked } : {};
    const forRuns = { group: group.value.trim(), contributes: contributes.checked, lenient: lenient.checked };
    return { topics: forTopics, runs: forRuns, archive: { ...forTopics, ...forRuns } }[place] ?? {};
  }

  /** @param {string} place */
  changed(place) {
    for (const part of CHANGES[place] ?? [place]) document.body.dispatchEvent(new CustomEvent(`changed-${part}`));
  }

  /** What was imported stays; a file that the server is storing already is not called back. */
  cancel() {
    if (this.working) {
      this.working.cancelled = true;
      if (this.working.sending) this.working.cancel();
    } else {
      for (const item of [...this.items.values()]) this.remove(item);
    }
    this.show();
  }

  /** @param {File} file */
  makeCampaign(file) {
    const form = html("form", { method: "post", action: this.bundleAddress, enctype: "multipart/form-data", hidden: true });
    const input = html("input", { type: "file", name: "file" });
    const transfer = new DataTransfer();
    transfer.items.add(file);
    input.files = transfer.files;
    form.append(html("input", { type: "hidden", name: "csrfmiddlewaretoken", value: this.token }), input);
    document.body.append(form);
    form.submit();
  }

  /** @param {string} words */
  say(words) {
    const said = this.find("said");
    if (said.textContent !== words) said.textContent = words;
  }

  show() {
    const waiting = this.waiting();
    this.find("sorted").hidden = !this.items.size && !this.looking;
    for (const [place, { element }] of this.groups) showGroup(place, element, this.inPlace(place));
    this.find("options").hidden = !waiting.some((item) => ["runs", "archive", "topics"].includes(item.place));
    const button = /** @type {HTMLButtonElement} */ (this.find("import"));
    button.hidden = !waiting.length || Boolean(this.working);
    const unread = waiting.filter((item) => missingWords(item.found)).map((item) => item.name);
    button.disabled = Boolean(this.looking) || unread.length > 0;
    const sentence = this.find("unread");
    sentence.hidden = !unread.length;
    sentence.textContent = gettext("Choose the columns first, or leave the file out: {files}", { files: unread.join(", ") });
    button.textContent = ngettext("Import {count} file", "Import {count} files", waiting.length);
    const cancel = this.find("cancel");
    cancel.textContent = this.working ? gettext("Cancel") : gettext("Clear the list");
    cancel.hidden = !this.working && !this.items.size;
    const tally = this.form.querySelector(".tally");
    tally.hidden = !this.working || this.working.total < 2;
    if (this.working) Object.assign(tally.children[0], { max: this.working.total, value: this.working.done });
    if (this.looking) this.say(gettext("Looking at the files …"));
    else if (!this.working) this.say(waiting.length || !this.hasResult() ? this.sumWords() : this.resultWords());
  }

  hasResult() {
    return [...this.items.values()].some((item) => item.state === "taken" || item.state === "refused");
  }

  sumWords() {
    return GROUPS.map((place) => ({ place, items: this.inPlace(place).filter((item) => item.state === "waiting") }))
      .filter(({ items }) => items.length)
      .map(({ place, items }) => groupWords(place, items))
      .join(" · ");
  }

  resultWords() {
    const counts = { taken: 0, refused: 0, waiting: 0, sending: 0 };
    for (const item of this.items.values()) counts[item.state] += 1;
    const parts = [ngettext("{count} file imported", "{count} files imported", counts.taken)];
    if (counts.refused) parts.push(ngettext("{count} refused", "{count} refused", counts.refused));
    if (counts.waiting) parts.push(ngettext("{count} left out", "{count} left out", counts.waiting));
    return parts.join(" · ");
  }
}

/** @param {Upload} item the names of its columns, as one text */
const namesOf = ({ found: { table } }) => (table ? JSON.stringify(table.names) : "");

/** @param {string} place @param {HTMLElement} element @param {Upload[]} items */
function showGroup(place, element, items) {
  element.hidden = !items.length;
  if (!items.length) return;
  element.querySelector("h3").textContent = groupWords(place, items);
  const shown = place ? items.find((item) => item.state === "waiting" && item.found.first.length) : null;
  const line = element.querySelector(".first-record");
  line.hidden = !shown;
  line.replaceChildren(html("span", {}, gettext("The first record:")), ...recordWords(shown?.found.first ?? []));
}
