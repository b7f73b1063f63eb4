// Marks the terms in a document: text nodes are split around <mark> elements, nothing is parsed as HTML.
import { stem } from "./stem.js";
import { WORD } from "./terms.js";

// What may stand between the words of a phrase.
const GAP = /^(?:\s{1,3}|[-_/.])$/;

/** @param {string} text */
function tokens(text) {
  return Array.from(text.matchAll(WORD), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    stem: stem(match[0]),
  }));
}

/** @param {Token[]} words @param {number} at @param {Term} term @param {string} text */
function matchesAt(words, at, term, text) {
  return term.stems.every((wanted, offset) => {
    const word = words[at + offset];
    if (word?.stem !== wanted) return false;
    return offset === 0 || GAP.test(text.slice(words[at + offset - 1].end, word.start));
  });
}

/** @param {string} text @param {TermIndex} byFirstStem */
function* matchesIn(text, byFirstStem) {
  const words = tokens(text);
  for (let at = 0; at < words.length; at += 1) {
    const found = byFirstStem.get(words[at].stem)?.find((term) => matchesAt(words, at, term, text));
    if (!found) continue;
    const last = at + found.stems.length - 1;
    yield { term: found, start: words[at].start, end: words[last].end };
    at = last;
  }
}

/** @param {Text} node @param {TermIndex} byFirstStem @param {Mark[]} marks */
function markUp(node, byFirstStem, marks) {
  const text = node.data;
  const pieces = [];
  let done = 0;
  for (const { term, start, end } of matchesIn(text, byFirstStem)) {
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
  const byFirstStem = new Map();
  for (const term of [...terms].sort((a, b) => b.stems.length - a.stems.length)) {
    byFirstStem.set(term.stems[0], [...(byFirstStem.get(term.stems[0]) ?? []), term]);
  }
  return byFirstStem;
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
/** @param {Element} root @param {TermIndex} byFirstStem */
export function find(root, byFirstStem) {
  const found = [];
  let before = 0;
  for (const { data } of textsIn(root)) {
    for (const { term, start } of matchesIn(data, byFirstStem)) found.push({ term, place: before + start });
    before += data.length;
  }
  return { found, length: before };
}

// Returns the marks in reading order, each with its term.
/** @param {Element} root @param {TermIndex} byFirstStem @returns {Mark[]} */
export function highlight(root, byFirstStem) {
  /** @type {Mark[]} */
  const marks = [];
  for (const node of textsIn(root)) markUp(node, byFirstStem, marks);
  return marks;
}
