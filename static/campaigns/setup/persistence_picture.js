// What p means: how likely the reader of a ranking is to look at each rank.

import { svg } from "../../site/elements.js";
import { number } from "../../site/numbers.js";
import { gettext } from "../../site/words.js";

const RANKS = 30;
const HEIGHT = 120;
// Room for the figures above the tallest bar.
const ABOVE = 20;
const STEP = 100 / RANKS;
const LABELLED = [1, 5, 10, 15, 20, 25, 30];

export function readerPicture() {
  /** @type {Element[]} */
  const bars = [];
  const shares = new Map();
  const size = { height: ABOVE + HEIGHT + 24, width: "100%" };
  const picture = svg("svg", { class: "reader-svg", role: "img", "aria-labelledby": "reader-words", ...size });
  for (let rank = 1; rank <= RANKS; rank += 1) {
    const left = (rank - 1) * STEP + STEP * 0.12;
    const bar = svg("rect", { class: "reader-bar", x: `${left}%`, width: `${STEP * 0.76}%` });
    bars.push(bar);
    picture.append(bar);
    if (!LABELLED.includes(rank)) continue;
    const share = svg("text", { class: "reader-share", x: `${left}%` });
    const below = { x: `${(rank - 0.5) * STEP}%`, y: ABOVE + HEIGHT + 18 };
    shares.set(rank, share);
    picture.append(share, svg("text", { class: "reader-rank", ...below }, String(rank)));
  }
  /** @param {number} p */
  function show(p) {
    bars.forEach((bar, i) => raise(bar, p ** i));
    shares.forEach((share, rank) => label(share, p ** (rank - 1)));
  }
  return { picture, show };
}

/** @param {Element} bar @param {number} probability */
function raise(bar, probability) {
  bar.setAttribute("height", probability * HEIGHT);
  bar.setAttribute("y", ABOVE + HEIGHT * (1 - probability));
}

/** @param {Element} share @param {number} probability */
function label(share, probability) {
  share.setAttribute("y", ABOVE + HEIGHT * (1 - probability) - 5);
  share.textContent = probability < 0.005 ? "" : gettext("{share}%", { share: number(100 * probability) });
}

/**
 * The rank by which the ranks so far hold this share of the whole weight.
 * @param {number} p
 * @param {number} share
 */
export function depthFor(p, share) {
  return Math.ceil(Math.log(1 - share) / Math.log(p));
}

/** @param {number} p */
export function readerWords(p) {
  const depth = 1 / (1 - p);
  const shown = number(depth, depth < 10 ? 1 : 0, 0);
  const tenth = p ** 9;
  const chance = tenth < 0.01 ? gettext("fewer than 1 in 100") : gettext("{share}%", { share: number(100 * tenth) });
  const values = { p: number(p, 12, 0), shown, chance, depth: number(depthFor(p, 0.95)) };
  return gettext(
    "The bars show how likely a reader is to reach each rank. With p = {p} a reader looks at {shown} documents on average, and {chance} of readers reach rank 10. With the first {depth} documents of a run judged, its score is known to within 0.05.",
    values,
  );
}
