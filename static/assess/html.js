// HTML documents are read as text: parsed where nothing runs and nothing loads, and rebuilt from text
// alone in elements of our own making.
import { plainText } from "./text.js";

const SKIPPED = new Set(["script", "style", "template", "noscript", "iframe", "object", "svg", "head", "form"]);
const HEADINGS = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);
const BLOCKS = new Set([
  ...["address", "article", "aside", "blockquote", "body", "dd", "div", "dl", "dt", "fieldset", "figcaption"],
  ...["figure", "footer", "header", "hr", "li", "main", "nav", "ol", "p", "section", "table", "td", "th", "tr", "ul"],
  ...["br"],
]);

const QUOTED = /[^>"']*(?:>|"[^"]*"|'[^']*')/y;

// Attributes are of no use to text, and a handler among them would alarm the content policy before it is
// thrown away. One pass, whatever the source does with its quotes.
function withoutAttributes(source) {
  let kept = "";
  let done = 0;
  for (const tag of source.matchAll(/<\/?[a-z][^\s/>]*/gi)) {
    if (tag.index < done) continue;
    kept += `${source.slice(done, tag.index)}${tag[0]}>`;
    QUOTED.lastIndex = tag.index + tag[0].length;
    let piece = QUOTED.exec(source);
    while (piece && !piece[0].endsWith(">")) piece = QUOTED.exec(source);
    if (!piece) return kept; // never closed: a browser shows nothing of it either
    done = piece.index + piece[0].length;
  }
  return kept + source.slice(done);
}

class Rebuilder {
  fragment = document.createDocumentFragment();
  #line = "";

  walk(node) {
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) this.#line += child.data;
      else if (child.nodeType === Node.ELEMENT_NODE) this.#element(child);
    }
  }

  #element(child) {
    const name = child.localName;
    if (SKIPPED.has(name)) return;
    if (name === "pre") return this.#whole(() => this.#add("pre", child.textContent));
    if (HEADINGS.has(name)) return this.#whole(() => this.#add("h2", child.textContent.replace(/\s+/g, " ").trim()));
    if (!BLOCKS.has(name)) return this.walk(child);
    return this.#whole(() => {
      this.walk(child);
      this.flush(name === "li" ? "item" : "");
    });
  }

  #whole(build) {
    this.flush();
    build();
  }

  flush(className = "") {
    const text = this.#line.replace(/\s+/g, " ").trim();
    this.#line = "";
    if (text) this.#add("p", text, className);
  }

  #add(name, text, className = "") {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    this.fragment.append(made);
  }
}

export function htmlAsText(source) {
  const parsed = new DOMParser().parseFromString(withoutAttributes(source), "text/html");
  const rebuilder = new Rebuilder();
  rebuilder.walk(parsed.body);
  rebuilder.flush();
  return rebuilder.fragment;
}

// How a document's text is shown, by its type; null where this page cannot show it.
export function rendered({ body, content_type: type }) {
  const kind = type.split(";", 1)[0].trim().toLowerCase();
  if (kind === "text/html" || kind === "application/xhtml+xml") return htmlAsText(body);
  if (!kind || kind.startsWith("text/") || /[/+](?:json|xml)$/.test(kind)) return plainText(body);
  return null;
}
