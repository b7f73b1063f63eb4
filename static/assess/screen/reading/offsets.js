// Places in the shown text and in the stored text. A plain text is shown re-wrapped: blanks differ, and lines that
// only underline a heading are left out. All other characters stand in the same order in both.
import { UNDERLINE } from "./text.js";

const BLANK = /\s/;
/** @param {string} text @param {number} at */
const isBlank = (text, at) => BLANK.test(text[at]);

/** @param {string} text @param {number} at */
const isPair = (text, at) => (text.codePointAt(at) ?? 0) > 0xffff;

// How many code points stand before a place in a text, and the place behind so many of them.
/** @param {string} text @param {number} place */
export function codePoints(text, place) {
  let count = 0;
  for (let at = 0; at < place; count += 1) at += isPair(text, at) ? 2 : 1;
  return count;
}

/** @param {string} text @param {number} points @param {number} [from] */
function placeOf(text, points, from = 0) {
  let at = from;
  for (let left = points; left > 0 && at < text.length; left -= 1) at += isPair(text, at) ? 2 : 1;
  return at;
}

// These scripts put no blanks between words.
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

// Where the word begins and ends inside of which a place of a text is; at no such place, the place itself.
/** @param {string} text @param {number} at */
export function wordAt(text, at) {
  const word = Intl.Segmenter && new Intl.Segmenter(undefined, { granularity: "word" }).segment(text).containing(at);
  if (!word?.isWordLike || word.index === at || UNSPACED.test(word.segment)) return [at, at];
  return [word.index, word.index + word.segment.length];
}

// The text nodes below the roots, in reading order. What describes an image is not the document's text.
/** @param {HTMLElement[]} roots @returns {Text[]} */
function textNodes(roots) {
  /** @type {Text[]} */
  const nodes = [];
  for (const root of roots) {
    const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = /** @type {Text} */ (walker.currentNode);
      if (!node.parentElement?.closest(".image-of")) nodes.push(node);
    }
  }
  return nodes;
}

// For each unit of the shown text its place in the source; -1 for blanks.
/** @param {string} shown @param {string} source */
export function align(shown, source) {
  const places = new Int32Array(shown.length).fill(-1);
  let at = 0;
  for (let unit = 0; unit < shown.length; unit += 1) {
    if (isBlank(shown, unit)) continue;
    at = seek(shown, unit, source, at);
    if (at === source.length) break;
    places[unit] = at;
    at += 1;
  }
  return places;
}

/** @param {string} shown @param {number} unit @param {string} source @param {number} from */
function seek(shown, unit, source, from) {
  let at = from;
  while (at < source.length) {
    if (isBlank(source, at)) {
      at += 1;
      continue;
    }
    const left = leftOut(shown, unit, source, at);
    if (!left && source[at] === shown[unit]) return at;
    at += left || 1;
  }
  return at;
}

// The length of a line that begins here, underlines a heading and is not shown.
/** @param {string} shown @param {number} unit @param {string} source @param {number} at */
function leftOut(shown, unit, source, at) {
  if (!"-=~^\"'*+#".includes(source[at])) return 0;
  const begin = source.lastIndexOf("\n", at) + 1;
  if (source.slice(begin, at).trim()) return 0;
  const end = source.indexOf("\n", at);
  const line = source.slice(at, end < 0 ? source.length : end).trimEnd();
  return UNDERLINE.test(line) && !shown.startsWith(line, unit) ? line.length : 0;
}

export class Offsets {
  #source;
  /** @type {{ node: Text, start: number }[]} */
  #nodes;
  #places;

  // `roots`: elements that hold the shown text. `source`: the stored text.
  /** @param {HTMLElement[]} roots @param {string} source */
  constructor(roots, source) {
    this.#source = source;
    let before = 0;
    this.#nodes = textNodes(roots).map((node) => {
      const start = before;
      before += node.data.length;
      return { node, start };
    });
    this.#places = align(this.#nodes.map(({ node }) => node.data).join(""), source);
  }

  // The passage of whole words that a range of the document covers, without blanks around it; null if it covers none.
  /** @param {Range} range @returns {Passage | null} */
  ofRange(range) {
    let first = -1;
    let last = -1;
    for (const { node, start } of this.#nodes) {
      if (!range.intersectsNode(node)) continue;
      const from = node === range.startContainer ? wordAt(node.data, range.startOffset)[0] : 0;
      const to = node === range.endContainer ? wordAt(node.data, range.endOffset)[1] : node.data.length;
      for (let unit = start + from; unit < start + to; unit += 1) {
        const place = this.#places[unit];
        if (place < 0) continue;
        if (first < 0) first = place;
        last = place;
      }
    }
    if (first < 0) return null;
    return { start: codePoints(this.#source, first), end: codePoints(this.#source, last + 1) };
  }

  // The range of the document that shows a passage; null while it is not there yet.
  /** @param {Passage} passage */
  toRange({ start, end }) {
    const from = placeOf(this.#source, start);
    const to = placeOf(this.#source, end - start, from);
    /** @param {number} place */
    const inside = (place) => place >= from && place < to;
    const first = this.#places.findIndex(inside);
    if (first < 0) return null;
    const last = this.#places.findLastIndex(inside);
    const [head, tail] = [this.#at(first), this.#at(last)];
    const range = head.node.ownerDocument.createRange();
    range.setStart(head.node, first - head.start);
    range.setEnd(tail.node, last - tail.start + 1);
    return range;
  }

  // The node in which a unit of the shown text stands.
  /** @param {number} unit */
  #at(unit) {
    return this.#nodes.findLast(({ start }) => start <= unit) ?? this.#nodes[0];
  }
}

// The words of a passage, for its list.
/** @param {string} source @param {Passage} passage */
export function wordsOf(source, { start, end }) {
  const from = placeOf(source, start);
  return source.slice(from, placeOf(source, end - start, from)).replace(/\s+/g, " ");
}

// The stored text of a document as its offsets count it; empty where there is none to mark.
/** @param {Pick<ShownDocument, "kind" | "body" | "rendered">} shown @returns {string} */
export function sourceOf({ kind = "text", body, rendered }) {
  if (typeof rendered === "string") return new DOMParser().parseFromString(rendered, "text/html").body.textContent;
  return kind === "text" || kind === "markdown" ? body : "";
}
