// The assessor's note on the document on screen, and the passages they marked in it. Both go to the server in a
// request of their own, beside the judgments.
import { byId, html, uuid } from "../../../site/elements.js";
import { sourceOf, wordsOf } from "../reading/offsets.js";
import { Passages } from "../reading/passages.js";
import { gettext } from "../../../site/words.js";
/** @import { Outbox } from "../../offline/outbox.js" */
/** @import { Portions } from "../reading/portions.js" */

const MOST = 50;
const LONGEST = 5000;
/** @type {{ note: string, passages: Passage[], document_revision?: number }} */
const EMPTY = { note: "", passages: [], document_revision: undefined };
// The page was kept from an earlier visit: what was noted since stands in the browser only.
const isOld = "kept" in document.documentElement.dataset;

export class Annotations {
  #outbox;
  #topic;
  #name;
  #asked;
  #labelOf;
  #say;
  #passages;
  /** @type {Map<string, Annotation>} */
  #known;
  /** @type {About | null} */
  #current = null; // {docno, source, note, passages}
  /** @type {(NamedDocument & { grade: number }) | null} */
  #judged = null; // the document judged last: {docno, title, grade}
  /** @type {About | null} */
  #about = null; // what the form is about: the document on screen, or the one judged last
  /** @type {(() => void) | null} */
  #then = null; // what follows once the note that a grade asks for is given
  #form = byId("note-form");
  #field = byId("note-text");

  /** @param {{ data: ScreenData, outbox: Outbox, parts: Portions, nameOf: NameOf, say: Say }} parts */
  constructor({ data, outbox, parts, nameOf, say }) {
    this.#outbox = outbox;
    this.#topic = data.topic;
    this.#name = `annotations:${data.assessor}:${data.campaign}:${data.topic}`;
    this.#asked = new Set(data.grades.filter(({ note }) => note).map(({ grade }) => grade));
    this.#labelOf = nameOf;
    this.#say = say;
    this.#passages = new Passages(parts);
    this.#known = new Map(data.annotations.map((each) => [each.docno, each]));
    for (const each of isOld ? this.#left() : []) this.#known.set(each.docno, each);
    for (const { path, body } of outbox.acts) {
      if (path === "annotations/" && body.topic === data.topic) this.#known.set(body.docno, { ...EMPTY, ...body });
    }
    this.#listen();
  }

  #listen() {
    this.#form.addEventListener("submit", (event) => this.#submit(event));
    this.#form.addEventListener("keydown", (event) => this.#key(event));
    byId("note-cancel").addEventListener("click", () => this.#close());
    byId("note").addEventListener("click", () => this.open());
    byId("note-edit").addEventListener("click", () => this.open());
    byId("note-asked-write").addEventListener("click", () => this.openAsked());
    byId("note-asked-no").addEventListener("click", () => this.#dismissAsked());
    // Pressing it must not take the selection away.
    byId("mark").addEventListener("pointerdown", (event) => event.preventDefault());
    byId("mark").addEventListener("click", () => this.mark());
    const offer = () => this.#offer();
    for (const sign of ["selectionchange", "pointerup"]) document.addEventListener(sign, offer);
    byId("document").addEventListener("pointerup", offer, true);
    setInterval(() => this.#offer(), 500); // a selection inside the frame of a web page is not said out here
  }

  // `fresh`: it comes as new, though it was judged before: what was said of it then would betray that.
  /** @param {ShownDocument} shown @param {{ fresh: boolean }} how */
  show(shown, { fresh }) {
    if (this.#current?.docno === shown.docno && this.#current.document_revision === shown.document_revision) return;
    this.leave();
    const known = (!fresh && this.#known.get(shown.docno)) || { ...EMPTY, docno: shown.docno };
    const { docno, document_revision } = shown;
    // Passages are shown in the text in which they were marked, and stay with a note that is written in another.
    const here = (known.document_revision ?? 1) === (document_revision ?? 1);
    const [passages, earlier] = here ? [known.passages, null] : [[], known];
    this.#current = { docno, source: sourceOf(shown), note: known.note, passages, document_revision, earlier };
    this.#paint();
  }

  /** @param {string} docno */
  of(docno) {
    return this.#known.get(docno);
  }

  // A note that was being written is kept, not lost.
  leave() {
    this.#keepDraft();
    this.#close({ focus: false });
    if (!this.#current) return;
    this.#current = null;
    this.#paint();
  }

  // Called with a grade before it is given: where the organisers ask for a note, the note comes first.
  /** @param {number} grade @param {() => void} give */
  before(grade, give) {
    const written = this.#current?.note || (this.#about === this.#current && this.#draft);
    if (this.#current && this.#asked.has(grade) && !written) return this.open({ then: give, label: this.#labelOfNote(grade) });
    this.#keepDraft();
    return give();
  }

  /** @param {number} grade */
  #labelOfNote(grade) {
    return gettext("Note on “{grade}”", { grade: this.#labelOf(grade) });
  }

  // Called after each act, with the document if it was given a grade: a request for a note is about the last one.
  /** @param {NamedDocument | null} document @param {number | null} [grade] */
  judged(document, grade = null) {
    this.#judged = document && grade !== null ? { docno: document.docno, title: document.title, grade } : null;
    byId("note-asked").hidden = true;
  }

  // The organisers ask for a note on a grade that is recorded. Keys go on judging; n opens the form.
  /** @param {ActBody} act */
  ask({ topic, docno }) {
    const last = this.#judged;
    if (topic !== this.#topic || docno !== last?.docno || this.#known.get(docno)?.note) return;
    byId("note-asked-words").textContent = `${this.#labelOfNote(last.grade)} · ${last.title || docno}`;
    byId("note-asked").hidden = false;
  }

  // Whether a note was asked for, whose form is open now.
  openAsked() {
    if (byId("note-asked").hidden || !this.#judged) return false;
    const { docno, title, grade } = this.#judged;
    const about = this.#current?.docno === docno ? this.#current : { title, ...EMPTY, ...this.#known.get(docno), docno };
    byId("note-asked").hidden = true;
    this.open({ label: this.#labelOfNote(grade), about });
    return true;
  }

  #dismissAsked() {
    byId("note-asked").hidden = true;
    byId("document-title").focus({ preventScroll: true });
  }

  /** @param {{ then?: (() => void) | null, label?: string, about?: About | null }} [how] */
  open({ then = null, label = gettext("Note"), about = this.#current } = {}) {
    if (!about) return;
    this.#then = then;
    byId("note-label").textContent = label;
    byId("note-about").textContent = about === this.#current ? "" : about.title || about.docno;
    byId("note-save").textContent = then ? gettext("Save and judge") : gettext("Save");
    this.#field.required = then !== null;
    if (this.#about !== about) {
      this.#keepDraft();
      this.#field.value = about.note;
    }
    this.#about = about;
    this.#form.hidden = false;
    this.#field.focus();
  }

  // Marks what is selected; with only a caret in a marked passage, removes that one.
  mark() {
    if (!this.#current) return;
    const passage = this.#passages.selected;
    if (passage) this.#add(this.#current, passage);
    else this.#removeAtCaret();
  }

  /** @param {About} about @param {Passage} passage */
  #add(about, passage) {
    if (passage.end - passage.start > LONGEST) {
      this.#say(gettext("A passage has at most {most} characters.", { most: LONGEST }));
      return;
    }
    if (about.passages.length >= MOST) {
      this.#say(gettext("A document has at most {most} passages.", { most: MOST }));
      return;
    }
    if (!about.passages.some(({ start, end }) => start === passage.start && end === passage.end)) {
      const passages = [...about.passages, passage].sort((one, other) => one.start - other.start);
      this.#save({ passages }, about);
    }
    this.#passages.unselect();
    this.#offer();
    this.#say(gettext("Passage marked"));
  }

  #removeAtCaret() {
    const passage = this.#passages.atCaret;
    if (passage) this.#remove(passage);
    else this.#say(gettext("Select words of the document, then press m."));
  }

  /** @param {Passage} passage */
  #remove(passage) {
    const about = this.#current;
    if (!about) return;
    this.#save({ passages: about.passages.filter((each) => each !== passage) }, about);
    this.#say(gettext("Passage removed"));
  }

  get #draft() {
    return this.#form.hidden ? "" : this.#field.value.trim();
  }

  #keepDraft() {
    if (this.#about && this.#draft && this.#draft !== this.#about.note) this.#save({ note: this.#draft }, this.#about);
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    const then = this.#then;
    const note = this.#field.value.trim();
    if (then && !note) return;
    if (this.#about && note !== this.#about.note) this.#save({ note }, this.#about);
    this.#close();
    then?.();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing) return;
    if (event.key === "Escape") this.#close();
    else if (event.key !== "Enter" || event.shiftKey || event.target !== this.#field) return;
    else this.#form.requestSubmit();
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {{ focus?: boolean }} [how] */
  #close({ focus = true } = {}) {
    if (this.#form.hidden) return;
    this.#then = this.#about = null;
    this.#form.hidden = true;
    if (focus) byId("document-title").focus({ preventScroll: true });
  }

  /** @param {Partial<Annotation>} change @param {About} of */
  #save(change, of) {
    const { docno, note, earlier, ...marked } = Object.assign(of, change);
    const { passages: shown, document_revision } = earlier?.passages.length && !marked.passages.length ? earlier : marked;
    const passages = shown.map(({ start, end }) => ({ start, end }));
    this.#known.set(docno, { docno, note, passages, document_revision });
    this.#outbox.put("annotations/", { id: uuid(), topic: this.#topic, docno, note, passages, document_revision });
    this.#keep();
    this.#paint();
  }

  #paint() {
    const { note, passages, source = "" } = this.#current ?? { ...EMPTY, source: "" };
    byId("annotations").hidden = !note && !passages.length;
    byId("note-shown").hidden = !note;
    byId("note-words").textContent = note;
    byId("passages").replaceChildren(...passages.map((passage) => this.#row(passage, source)));
    this.#passages.show(source, passages);
    this.#offer();
  }

  /** @param {Passage} passage @param {string} source */
  #row(passage, source) {
    const words = wordsOf(source, passage);
    const go = () => this.#passages.scrollTo(passage);
    const remove = () => this.#remove(passage);
    const removes = gettext("Remove the passage “{words}”", { words: words.slice(0, 40) });
    return html(
      "li",
      {},
      html("button", { type: "button", class: "plain words", onclick: go }, words),
      html("button", { type: "button", class: "remove", "aria-label": removes, onclick: remove }, "×"),
    );
  }

  /** @returns {void} */
  #offer() {
    byId("mark").hidden = !this.#current || !this.#passages.hasSelection;
  }

  /** @returns {Annotation[]} */
  #left() {
    try {
      return JSON.parse(localStorage.getItem(this.#name) ?? "null") ?? [];
    } catch {
      return [];
    }
  }

  #keep() {
    try {
      localStorage.setItem(this.#name, JSON.stringify([...this.#known.values()]));
    } catch {
      // without a network, a reload then shows what the page knew
    }
  }
}
