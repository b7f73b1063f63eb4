// How much of a long document had come into sight before it was judged, in percent. A document that two screens
// hold has no such figure, nor has one whose scrolling is not this page's, such as a PDF.
import { byId } from "../../../site/elements.js";

const SCREENS = 2;
let furthest = 0; // pixels below the document's head that were in sight

// On a narrow screen the whole page scrolls, and the pane stands in it.
/** @returns {Element} */
function scroller() {
  const pane = byId("paper");
  return getComputedStyle(pane).overflowY === "visible" ? (document.scrollingElement ?? pane) : pane;
}

function look() {
  const { scrollTop, clientHeight } = scroller();
  furthest = Math.max(furthest, scrollTop + clientHeight);
}

export function watchSight() {
  addEventListener("scroll", look, { passive: true, capture: true });
}

export function restartSight() {
  furthest = 0;
}

// A part of an act: empty where nothing is known.
/** @returns {{ seen?: number }} */
export function sight() {
  const { scrollHeight, clientHeight } = scroller();
  if (!clientHeight || scrollHeight <= SCREENS * clientHeight) return {};
  look();
  return { seen: Math.min(Math.round((100 * furthest) / scrollHeight), 100) };
}
