// Marks the terms in a document: text nodes are split around <mark> elements, nothing is parsed as HTML.
import { isKorean, tokens } from "./scripts.js";
import { stem } from "./stem.js";

// What may stand between the words of a phrase; letters without blanks touch each other.
const GAP = /^(?:\s{1,3}|[-_/.]|)$/;
const SHORTEST_KOREAN = 2;

/** @param {string} text @returns {Token[]} */
function stemmed(text) {
  return Array.from(tokens(text), ({ text: word, ...place }) => ({ ...place, stem: stem(word) }));
}

/** @param {Token[]} words @param {number} at @param {Term} term @param {string} text */
function matchesAt(words, at, term, text) {
  return term.stems.every((wanted, offset) => {
    const word = words[at + offset];
    if (word?.stem !== wanted) return false;
    return offset === 0 || GAP.test(text.slice(words[at + offset - 1].end, word.start));
  });
}

// A Korean word matches by its beginning: particles and endings follow it.
/** @param {string} word @param {TermIndex} index */
function byBeginning(word, { byFirstStem }) {
  if (!isKorean(word)) return undefined;
  for (let length = word.length - 1; length >= SHORTEST_KOREAN; length -= 1) {
    const found = byFirstStem.get(word.slice(0, length))?.find(({ stems }) => stems.length === 1);
    if (found) return found;
  }
  return undefined;
}

// How many letters from here stand in a row in one of the topic’s runs; 0 where they are too few.
/** @param {Token[]} words @param {number} at @param {TermIndex} index */
function stretchAt(words, at, { grams, leasts }) {
  return Math.max(0, ...leasts.map((least) => {
    let from = at;
    while (follow(words, from, least) && grams.has(key(words, from, least))) from += 1;
    return from === at ? 0 : from - at + least - 1;
  }));
}

/** @param {Token[]} words @param {number} from @param {number} count */
function follow(words, from, count) {
  for (let at = from; at < from + count; at += 1) {
    if (!words[at]?.joined || (at > from && words[at].start !== words[at - 1].end)) return false;
  }
  return true;
}

/** @param {Token[]} words @param {number} from @param {number} count */
function key(words, from, count) {
  return words.slice(from, from + count).map((word) => word.stem).join("");
}

/** @param {Token[]} words @param {number} at @param {number} length @param {TermIndex} index */
function stretchTerm(words, at, length, { stretches }) {
  const label = key(words, at, length);
  const known = stretches.get(label) ?? { label, own: false, stems: [label], least: 0 };
  stretches.set(label, known);
  return known;
}

// The longest match that begins here: a phrase, or letters of a run.
/** @param {Token[]} words @param {number} at @param {string} text @param {TermIndex} index */
function matchAt(words, at, text, index) {
  const { stem: first, joined } = words[at];
  const phrase = index.byFirstStem.get(first)?.find((term) => matchesAt(words, at, term, text));
  const stretch = joined ? stretchAt(words, at, index) : 0;
  if (stretch > (phrase?.stems.length ?? 0)) return { term: stretchTerm(words, at, stretch, index), length: stretch };
  if (phrase) return { term: phrase, length: phrase.stems.length };
  const term = byBeginning(first, index);
  return term ? { term, length: 1 } : null;
}

/** @param {string} text @param {TermIndex} index */
export function* matchesIn(text, index) {
  const words = stemmed(text);
  for (let at = 0; at < words.length; at += 1) {
    const match = matchAt(words, at, text, index);
    if (!match) continue;
    const last = at + match.length - 1;
    yield { term: match.term, start: words[at].start, end: words[last].end };
    at = last;
  }
}

/** @param {Text} node @param {TermIndex} index @param {Mark[]} marks */
function markUp(node, index, marks) {
  const text = node.data;
  const pieces = [];
  let done = 0;
  for (const { term, start, end } of matchesIn(text, index)) {
    const mark = document.createElement("mark");
    mark.textContent = text.slice(start, end);
    if (term.own) mark.className = "own";
    marks.push({ mark, term });
    pieces.push(text.slice(done, start), mark);
    done = end;
  }
  if (pieces.length) node.replaceWith(...pieces, text.slice(done));
}

// Longer phrases first, so that "sparse matrix" is one match and not two.
/** @param {Term[]} terms @returns {TermIndex} */
export function indexOf(terms) {
  /** @type {TermIndex} */
  const index = { byFirstStem: new Map(), grams: new Set(), leasts: [], stretches: new Map() };
  for (const term of [...terms].sort((a, b) => b.stems.length - a.stems.length)) {
    if (term.least) addRun(term, index);
    else index.byFirstStem.set(term.stems[0], [...(index.byFirstStem.get(term.stems[0]) ?? []), term]);
  }
  return index;
}

/** @param {Term} term @param {TermIndex} index */
function addRun({ stems, least }, { grams, leasts }) {
  for (let at = 0; at + least <= stems.length; at += 1) grams.add(stems.slice(at, at + least).join(""));
  if (!leasts.includes(least)) leasts.push(least);
}

/** @param {Element} root @returns {Text[]} */
function textsIn(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const nodes = [];
  while (walker.nextNode()) nodes.push(/** @type {Text} */ (walker.currentNode));
  return nodes;
}

/** @param {Element} root */
export function clearMarks(root) {
  for (const mark of root.querySelectorAll("mark")) mark.replaceWith(mark.textContent);
  root.normalize();
}

// Where the terms occur, without a change to the document: each with its place in the root's text.
/** @param {Element} root @param {TermIndex} index */
export function find(root, index) {
  const found = [];
  let before = 0;
  for (const { data } of textsIn(root)) {
    for (const { term, start } of matchesIn(data, index)) found.push({ term, place: before + start });
    before += data.length;
  }
  return { found, length: before };
}

// Returns the marks in reading order, each with its term.
/** @param {Element} root @param {TermIndex} index @returns {Mark[]} */
export function highlight(root, index) {
  /** @type {Mark[]} */
  const marks = [];
  for (const node of textsIn(root)) markUp(node, index, marks);
  return marks;
}
