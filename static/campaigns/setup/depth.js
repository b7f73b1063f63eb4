// What judging deeper buys: the residual that is left of a run whose documents are judged down to each depth.

import { svg } from "../../site/elements.js";
import { score, small } from "../../site/numbers.js";
import { gettext, ngettext } from "../../site/words.js";

export const DEEPEST = 50;
const HEIGHT = 90;
// Room for the figure above the curve, and for the ranks below it.
const ABOVE = 20;
const BELOW = 24;
const RANKS = [0, 10, 20, 30, 40, 50];

/** @param {number} depth */
const across = (depth) => `${(depth / DEEPEST) * 100}%`;
/** @param {number} share */
const down = (share) => ABOVE + HEIGHT * (1 - share);

/**
 * The part of a run's score that is open while its first documents are judged, and no others.
 * @param {number} p
 * @param {number} depth
 */
export function residual(p, depth) {
  return p ** depth;
}

export function depthPicture() {
  const size = { height: ABOVE + HEIGHT + BELOW, width: "100%" };
  const picture = svg("svg", { class: "depth-svg", role: "img", "aria-labelledby": "judged-words", ...size });
  /** @type {Element[]} */
  const bars = [];
  for (let depth = 0; depth <= DEEPEST; depth += 1) {
    const bar = svg("line", { class: "depth-bar", x1: across(depth), x2: across(depth), y2: down(0) });
    bars.push(bar);
    picture.append(bar);
  }
  const figure = svg("text", { class: "depth-figure" });
  picture.append(figure);
  for (const rank of RANKS) {
    const place = rank === 0 ? "first" : rank === DEEPEST ? "last" : "";
    picture.append(svg("text", { class: `depth-rank ${place}`, x: across(rank), y: down(0) + 18 }, String(rank)));
  }
  /** @param {number} p @param {number} judged */
  function show(p, judged) {
    bars.forEach((bar, depth) => {
      bar.setAttribute("y1", down(residual(p, depth)));
      bar.toggleAttribute("data-judged", depth === judged);
    });
    figure.setAttribute("x", across(judged));
    figure.setAttribute("y", down(residual(p, judged)) - 6);
    figure.setAttribute("class", `depth-figure ${judged > DEEPEST * 0.9 ? "last" : judged < DEEPEST * 0.1 ? "first" : ""}`);
    figure.textContent = shown(residual(p, judged));
  }
  return { picture, show };
}

/** @param {number} share */
function shown(share) {
  return share > 0 ? small(share) : score(share);
}

/** @param {number} p @param {number} judged */
export function depthWords(p, judged) {
  const left = shown(residual(p, judged));
  if (judged === 0) return gettext("Before anything is judged the residual is {left}: a score could be anything.", { left });
  return ngettext(
    "With the first document of every run judged, the residual is {left}: so far a score may still rise.",
    "With the first {count} documents of every run judged, the residual is {left}: so far a score may still rise.",
    judged,
    { left },
  );
}
