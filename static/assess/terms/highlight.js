// Marks the terms in a document: text nodes are split around <mark> elements, nothing is parsed as HTML.
import { stem } from "./stem.js";
import { WORD } from "./terms.js";

// What may stand between the words of a phrase.
const GAP = /^(?:\s{1,3}|[-_/.])$/;

function tokens(text) {
  return Array.from(text.matchAll(WORD), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    stem: stem(match[0]),
  }));
}

function matchesAt(words, at, term, text) {
  return term.stems.every((wanted, offset) => {
    const word = words[at + offset];
    if (word?.stem !== wanted) return false;
    return offset === 0 || GAP.test(text.slice(words[at + offset - 1].end, word.start));
  });
}

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
export function indexOf(terms) {
  const byFirstStem = new Map();
  for (const term of [...terms].sort((a, b) => b.stems.length - a.stems.length)) {
    byFirstStem.set(term.stems[0], [...(byFirstStem.get(term.stems[0]) ?? []), term]);
  }
  return byFirstStem;
}

function textsIn(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

export function clearMarks(root) {
  for (const mark of root.querySelectorAll("mark")) mark.replaceWith(mark.textContent);
  root.normalize();
}

// Where the terms occur, without a change to the document: each with its place in the root's text.
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
export function highlight(root, byFirstStem) {
  const marks = [];
  for (const node of textsIn(root)) markUp(node, byFirstStem, marks);
  return marks;
}
