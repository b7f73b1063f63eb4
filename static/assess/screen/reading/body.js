// The body of a document: text, sanitised HTML in a frame, an image or a PDF; or why nothing can be read.
import { html } from "../../../site/elements.js";
import { Frame } from "./frame.js";
import { image, pdf } from "./kinds.js";
import { elementsOf } from "./text.js";
import { showsNothing, takenOut } from "./taken_out.js";
import { gettext } from "../../../site/words.js";
/** @import { Portions } from "./portions.js" */

export class Body {
  #place;
  #parts;
  #frame;
  #advice;
  #left;

  // `parts`: the portions to fill; `advice`: what to do where nothing can be read, by the source's address; `left`: called
  // when the pointer leaves a PDF, whose viewer keeps the keys.
  /**
   * @param {HTMLElement} place
   * @param {Portions} parts
   * @param {{ advice: (url?: string) => string, left: () => void }} how
   */
  constructor(place, parts, { advice, left }) {
    this.#place = place;
    this.#parts = parts;
    this.#frame = new Frame(place);
    this.#advice = advice;
    this.#left = left;
  }

  /** @param {ShownDocument} shown */
  show(shown) {
    const { kind = "text", body, rendered, content } = shown;
    this.clear();
    if (typeof rendered === "string" && rendered.trim() && !showsNothing(rendered)) {
      this.#parts.growing = true;
      this.#frame.show(rendered, (parts) => this.#parts.take(parts));
    } else if (content) {
      this.#place.append(kind === "pdf" ? pdf(shown, this.#left) : image(shown, () => this.#unseen(shown)));
    } else if (kind === "other" && body) {
      this.#say(gettext("This page cannot show documents of the type {type}.", { type: shown.content_type }), shown.url);
    } else if (typeof rendered === "string" && body.trim()) {
      this.#say(nothingWords(body), shown.url);
    } else if (body.trim()) {
      this.#parts.fill(this.#place, elementsOf(body));
    } else {
      this.#say(gettext("The text of this document is not stored here."), shown.url);
    }
  }

  clear() {
    this.#parts.clear();
    this.#frame.hide();
    this.#place.replaceChildren();
  }

  /** @param {ShownDocument} shown */
  #unseen({ url }) {
    this.#place.replaceChildren();
    this.#say(gettext("This image cannot be shown: it did not arrive, or it is damaged."), url);
  }

  /** @param {string} words @param {string} [url] */
  #say(words, url) {
    const lines = [words, this.#advice(url)].filter(Boolean).map((text) => html("p", {}, text));
    this.#place.append(html("div", { class: "notice warn" }, ...lines));
  }
}

/** @param {string} source */
function nothingWords(source) {
  const parts = takenOut(source);
  const nothing = gettext("There is nothing to read in this document.");
  return parts.length ? `${nothing} ${gettext("Taken out: {parts}.", { parts: parts.join(", ") })}` : nothing;
}

// What is known of a document beside its title: docno, source, and the fields that organisers chose.
/** @param {ShownDocument} shown */
export function factsOf({ docno, title, url, metadata = [] }) {
  const facts = [];
  if (title && title !== docno) facts.push(html("span", { class: "mono" }, docno));
  if (url) {
    facts.push(html("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, gettext("open the source")));
  }
  for (const { name, value } of metadata) {
    facts.push(html("span", {}, html("b", {}, name), ` ${value}`));
  }
  return facts;
}
