// Questions to the organisers about the document on screen, and their answers. A question goes to the server in a
// request of its own, and waits in the browser while there is no network.
import { byId, html, uuid } from "../../../site/elements.js";
import { gettext } from "../../../site/words.js";
/** @import { Outbox } from "../../offline/outbox.js" */

export const PATH = "questions/";

export class Questions {
  #outbox;
  #topic;
  #say;
  /** @type {Question[]} */
  #known;
  /** @type {ShownDocument | null} */
  #current = null; // the document on screen
  #from = 0; // of what is known, the first that may be shown
  /** @type {string | null} */
  #about = null; // the document that the words in the field are about
  #dialog = byId("asking");
  #field = byId("asking-text");

  /** @param {{ data: ScreenData, outbox: Outbox, say: Say }} parts */
  constructor({ data, outbox, say }) {
    this.#outbox = outbox;
    this.#topic = data.topic;
    this.#say = say;
    const sent = data.questions.map(({ document__docno: docno, text, answer }) => ({ docno, text, answer }));
    const waiting = outbox.acts.filter(({ path, body }) => path === PATH && body.topic === data.topic);
    this.#known = [...sent, ...waiting.map(({ body: { docno, text = "" } }) => ({ docno, text, answer: "" }))];
    byId("ask").addEventListener("click", () => this.open());
    byId("asking-cancel").addEventListener("click", () => this.#dialog.close());
    byId("asking-form").addEventListener("submit", (event) => this.#send(event));
    this.#dialog.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("asking-form").requestSubmit();
    });
  }

  // `fresh`: it comes as new, though it was judged before: what was asked then would betray that.
  /** @param {ShownDocument} shown @param {{ fresh: boolean }} how */
  show(shown, { fresh }) {
    this.#current = shown;
    this.#from = fresh ? this.#known.length : 0;
    this.#paint();
  }

  leave() {
    this.#current = null;
    this.#paint();
  }

  open() {
    if (!this.#current) return;
    const { docno, title } = this.#current;
    // Words that were left in the field stay there for their document.
    if (this.#about !== docno) this.#field.value = "";
    this.#about = docno;
    byId("asking-about").textContent = title || docno;
    this.#dialog.showModal();
    this.#field.focus();
  }

  /** @param {Event} event */
  #send(event) {
    event.preventDefault();
    const text = this.#field.value.trim();
    const docno = this.#about;
    if (!text || !docno) return;
    this.#outbox.put(PATH, { key: uuid(), topic: this.#topic, docno, text });
    this.#known.push({ docno, text, answer: "" });
    this.#field.value = "";
    this.#dialog.close();
    this.#paint();
    this.#say(navigator.onLine ? gettext("Question sent") : gettext("Question kept, not sent yet"));
  }

  #paint() {
    const rows = this.#known.slice(this.#from).filter(({ docno }) => docno === this.#current?.docno);
    byId("ask").setAttribute("aria-disabled", String(!this.#current));
    byId("asked").hidden = !rows.length;
    byId("asked").replaceChildren(...rows.map(rowOf));
  }
}

/** @param {Question} question */
function rowOf({ text, answer }) {
  const asked = html("p", { class: "question" }, text);
  return html("li", {}, asked, html("p", { class: answer ? null : "soft" }, answer || gettext("No answer yet")));
}
