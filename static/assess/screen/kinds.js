// Images and PDF: bytes with an address of their own.
import { make } from "./dom.js";
import { gettext } from "../../site/words.js";

const base = () => JSON.parse(document.getElementById("screen-data").textContent).api;

export const addressOf = ({ content }) => (content ? base() + content : "");

// Brings the bytes into the browser's cache, so that they are there when the document is shown.
export function fetchAhead(shown) {
  const address = addressOf(shown);
  if (address) fetch(address).catch(() => {});
}

function link(address, text) {
  return make("a", { text, attributes: { href: address, target: "_blank", rel: "noopener noreferrer" } });
}

export function image(shown, failed) {
  const attributes = { src: addressOf(shown), alt: shown.title || shown.docno, decoding: "async" };
  return make("img", { className: "picture", attributes, on: { error: failed } });
}

export function pdf(shown, leave) {
  const address = addressOf(shown);
  if (!navigator.pdfViewerEnabled) {
    return make("p", {}, gettext("This browser can’t display PDF files here:"), " ", link(address, gettext("open the PDF")));
  }
  const attributes = { src: address, title: shown.title || shown.docno };
  // The browser's own viewer keeps the keys to itself: they come back when the pointer leaves it.
  const viewer = make("iframe", { className: "pdf", attributes, on: { mouseleave: leave } });
  return make("div", {}, viewer, make("p", { className: "note" }, link(address, gettext("open the PDF in a tab of its own"))));
}
