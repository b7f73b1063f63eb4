// A line above a document whose text was replaced after the assessor judged or marked it. It opens the earlier one.
import { byId, html } from "../../../site/elements.js";
import { addressOf } from "./kinds.js";
import { gettext } from "../../../site/words.js";

export class Earlier {
  #api;
  #say;
  #line = byId("text-replaced");
  #button = byId("show-earlier");
  #dialog = /** @type {HTMLDialogElement} */ (byId("earlier"));
  /** @type {{ docno: string, revision: number, passages: Passage[] } | null} */
  #of = null;

  /** @param {{ api: Api, say: Say }} parts */
  constructor({ api, say }) {
    this.#api = api;
    this.#say = say;
    this.#button.addEventListener("click", () => this.#open());
  }

  /** @param {Current | null} reading @param {Annotation | undefined} annotation */
  show(reading, annotation) {
    const present = reading?.document.document_revision ?? 1;
    const judged = reading?.before?.document_revision ?? present;
    const annotated = (annotation?.passages.length && annotation.document_revision) || present;
    const revision = Math.min(judged, annotated);
    this.#line.hidden = !reading || revision >= present;
    this.#of = null;
    if (!reading || this.#line.hidden) return;
    const passages = annotated === revision ? (annotation?.passages ?? []) : [];
    this.#of = { docno: reading.document.docno, revision, passages };
    this.#explain(judged < present, "");
    this.#date(judged < present);
  }

  /** @param {boolean} judged @param {string} date */
  #explain(judged, date) {
    const words = judged
      ? gettext("This text was replaced on {date}; you judged the earlier one.", { date })
      : gettext("This text was replaced on {date}; you marked the earlier one.", { date });
    const undated = judged ? gettext("This text was replaced; you judged the earlier one.") : gettext("This text was replaced; you marked the earlier one.");
    byId("text-replaced-words").textContent = date ? words : undated;
  }

  // Without a network the line has no date; what a bundle left out can’t be shown.
  /** @param {boolean} judged */
  async #date(judged) {
    const of = this.#of;
    const { lang } = document.documentElement;
    this.#button.hidden = false;
    const text = await this.#fetch().catch(({ status }) => {
      if (of === this.#of) this.#button.hidden = status === 404;
    });
    if (text && of === this.#of) this.#explain(judged, new Date(text.replaced).toLocaleDateString(lang === "en" ? "en-GB" : lang, { dateStyle: "long" }));
  }

  /** @returns {Promise<ShownDocument & { replaced: string }>} */
  #fetch() {
    const { docno = "", revision = 1 } = this.#of ?? {};
    return this.#api.get(`documents/${encodeURIComponent(docno)}/earlier/`, { revision });
  }

  async #open() {
    const passages = this.#of?.passages ?? [];
    try {
      const text = await this.#fetch();
      byId("earlier-about").textContent = text.title || text.docno;
      byId("earlier-text").replaceChildren(...this.#parts(text, passages));
      this.#dialog.showModal();
    } catch {
      this.#say(gettext("The earlier text can’t be loaded right now. Try again in a moment."));
    }
  }

  /** @param {ShownDocument} text @param {Passage[]} passages */
  #parts(text, passages) {
    if (text.rendered != null) {
      const frame = html("iframe", { sandbox: "", title: text.title || text.docno });
      frame.srcdoc = text.rendered;
      return [frame, ...quoted(passages)];
    }
    if (text.content) return [html("a", { href: addressOf(text), target: "_blank", rel: "noopener" }, gettext("Open the document")), ...quoted(passages)];
    return [html("p", { class: "plain-text" }, ...marked(text.body, passages))];
  }
}

// A plain text with its passages marked, which may overlap. Offsets count code points.
/** @param {string} body @param {Passage[]} passages */
function marked(body, passages) {
  const points = [...body];
  /** @type {(Node | string)[]} */
  const parts = [];
  let at = 0;
  for (const { start, end } of passages) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    parts.push(points.slice(at, from).join(""), html("mark", {}, points.slice(from, end).join("")));
    at = end;
  }
  return [...parts, points.slice(at).join("")];
}

/** @param {Passage[]} passages */
function quoted(passages) {
  return passages.flatMap(({ text }) => (text ? [html("p", {}, html("mark", {}, text))] : []));
}
