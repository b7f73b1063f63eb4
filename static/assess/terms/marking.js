// Marks a topic’s terms in documents that are shown without a line of their counts.
import { clearMarks, highlight, indexOf } from "./highlight.js";
import { termsOf } from "./terms.js";
/** @import { Portions } from "../screen/reading/portions.js" */

/** @param {Iterable<Element>} roots @param {string} title */
export function markTerms(roots, title) {
  const index = indexOf(termsOf(title, []));
  for (const root of roots) {
    clearMarks(root);
    highlight(root, index);
  }
}

// Each portion of a paper as it comes; `titleOf` gives the topic’s title at that moment.
/** @param {Portions} parts @param {() => string} titleOf */
export function markAsItGrows(parts, titleOf) {
  parts.addEventListener("added", ({ detail: { root } }) => markTerms([root], titleOf()));
}
