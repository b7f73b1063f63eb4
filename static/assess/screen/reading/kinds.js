// Images and PDF: bytes with an address of their own.
import { html } from "../../../site/elements.js";
import { gettext } from "../../../site/words.js";

const base = () => JSON.parse(document.getElementById("screen-data").textContent).api;

/** @param {ShownDocument} shown */
export const addressOf = ({ content }) => (content ? base() + content : "");

// Brings the bytes into the browser's cache, so that they are there when the document is shown.
/** @param {ShownDocument} shown */
export function fetchAhead(shown) {
  const address = addressOf(shown);
  if (address) fetch(address).catch(() => {});
}

/** @param {string} address @param {string} text */
function link(address, text) {
  return html("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, text);
}

/** @param {ShownDocument} shown @param {() => void} failed */
export function image(shown, failed) {
  const attributes = { src: addressOf(shown), alt: shown.title || shown.docno, decoding: "async" };
  return html("img", { class: "picture", ...attributes, onerror: failed });
}

/** @param {ShownDocument} shown @param {() => void} leave */
export function pdf(shown, leave) {
  const address = addressOf(shown);
  if (!navigator.pdfViewerEnabled) {
    return html("p", {}, gettext("This browser can’t display PDF files here:"), " ", link(address, gettext("open the PDF")));
  }
  const attributes = { src: address, title: shown.title || shown.docno };
  // The browser's own viewer keeps the keys to itself: they come back when the pointer leaves it.
  const viewer = html("iframe", { class: "pdf", ...attributes, onmouseleave: leave });
  return html("div", {}, viewer, html("p", { class: "note" }, link(address, gettext("open the PDF in a tab of its own"))));
}
