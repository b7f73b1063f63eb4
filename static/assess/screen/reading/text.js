// Plain text as something one can read for hours: hard-wrapped lines become paragraphs again; headings,
// lists, indentation and code keep their shape.
import { html } from "../../../site/elements.js";

export const UNDERLINE = /^\s*([-=~^"'*+#])\1{2,}\s*$/;
const PROMPT = /^\s*(?:>>>|\.\.\.|\$ |In \[\d+\]:)/;
const BULLET = /^\s*(?:[-*•+–]|\(?\d{1,2}[.)])\s+\S/;
const ALIGNED = /\S {3,}(?=\S).*\S {2,}\S|\S\t+\S|^\s*[|+][-=|+ ]/;
const UNWRAPPED = 160;
const SAMPLE = 200_000;
const LOOKED_AT = 400;
// An element with more text than this would take the browser a noticeable time to set.
const LONGEST = 8_000;
const LONGEST_BLOCK = 32_000;

// Lines as only programs have them: definitions, calls, assignments, brackets that open or close a block, comments.
const PROGRAM = [
  /^\s*(?:async |export |public |private |protected |static |final )*(?:def|class|function|fn|func|interface|struct|enum)\s+\w.*[:({]\s*$/,
  /^\s*(?:import\s+[\w.*{"'][^.]*$|from\s+[\w.]+\s+import\s|#include\s|#!|using\s+[\w.]+;|package\s+[\w.]+;?$)/,
  /^\s*(?:(?:const|let|var|int|float|double|char|bool|long|auto|String)\s+)?[\w.[\]'"*]+\s*(?:[-+*/|&%:]?=)\s*[\w"'([{-].*$/,
  /^\s*(?:if|elif|else|for|while|with|try|except|finally|switch|case|catch|return|yield|raise|throw|await|assert)\b.*[:;{()[\]}]\s*$/,
  /^\s*[\w.$>-]+\(.*\)?[;,{]?\s*$/,
  /^\s*[)\]}]+(?:[;,][;,)]*)?\s*(?:else\b.*)?$/,
  /[;{]\s*$/,
  /^\s*(?:\/\/|\/\*|\*\/|@\w+)/,
];
const LEAST_LINES = 4;

/** @param {string} line */
const indentOf = (line) => line.slice(0, line.search(/\S|$/)).replace(/\t/g, "    ").length;

// The column at which the author wrapped: nine lines in ten are no longer than it. The beginning tells.
/** @param {string} text */
function wrapColumn(text) {
  const lines = text.slice(0, SAMPLE).split("\n");
  const lengths = lines.map((line) => line.trimEnd().length).filter((length) => length > 30);
  lengths.sort((a, b) => a - b);
  return lengths[Math.floor(lengths.length * 0.9)] ?? 0;
}

// A line was wrapped if the next line's first word would hardly have fitted on it: authors wrap by hand,
// and early. A sentence that goes on in small letters was wrapped even earlier.
/** @param {string} line @param {string} next @param {number} column */
function wasWrapped(line, next, column) {
  if (!column || column > UNWRAPPED) return false;
  const reach = line.trimEnd().length + 1 + next.trim().split(/\s/, 1)[0].length;
  const goesOn = /^\s*[\p{Ll}(]/u.test(next) && !/[.:;!?]\s*$/.test(line);
  return reach > column * (goesOn ? 0.5 : 0.82);
}

// "name : type" and "name: what it is" begin something new.
const ENTRY = /^\s*[*`]*[\w.][\w.*]*[`]?(?:, ?[*\w.]+)* ?: \S/;

/** @param {string} line @param {string} next @param {number} column */
function continues(line, next, column) {
  if (BULLET.test(next) || UNDERLINE.test(next) || ENTRY.test(next)) return false;
  const wrapped = wasWrapped(line, next, column);
  if (indentOf(next) === indentOf(line)) return wrapped;
  if (indentOf(next) < indentOf(line)) return false;
  return BULLET.test(line) || (ENTRY.test(line) && wrapped);
}

/** @param {string[]} lines @param {{ indent: number } | null} literal */
function isCode(lines, literal) {
  if (PROMPT.test(lines[0])) return true;
  if (literal && indentOf(lines[0]) > literal.indent) return true;
  return lines.length > 1 && lines.filter((line) => ALIGNED.test(line.slice(0, LOOKED_AT))).length * 2 > lines.length;
}

// A program's own file: more than half of its lines are such, of two kinds at least.
/** @param {string} text */
function isProgram(text) {
  const lines = text.slice(0, SAMPLE).split("\n", LOOKED_AT).filter((line) => line.trim());
  if (lines.length < LEAST_LINES) return false;
  const clues = lines.filter((line) => PROGRAM.some((each) => each.test(line.slice(0, LOOKED_AT))));
  return clues.length * 2 > lines.length && PROGRAM.filter((each) => clues.some((line) => each.test(line))).length > 1;
}

/** @param {Block["name"]} name @param {string} text @param {string} [className] @returns {Block} */
function block(name, text, className = "") {
  return { name, className, text };
}

// Text in pieces that end behind a newline, else a blank, else anywhere; together they are the text.
/** @param {string} text @param {number} longest @param {string[]} ends */
function* pieces(text, longest, ends) {
  let from = 0;
  while (text.length - from > longest) {
    const last = from + longest - 1;
    const to = endOf(text, from, last, ends);
    yield text.slice(from, to);
    from = to;
  }
  yield text.slice(from);
}

/** @param {string} text @param {number} from @param {number} last @param {string[]} ends */
function endOf(text, from, last, ends) {
  const end = ends.map((each) => text.lastIndexOf(each, last)).find((place) => place > from);
  if (end !== undefined) return end + 1;
  // No character of two halves is cut in two.
  return last + (/[\ud800-\udbff]/.test(text[last]) ? 0 : 1);
}

/** @param {string[]} lines */
function code(lines) {
  const margin = lines.reduce((least, line) => (line.trim() ? Math.min(least, indentOf(line)) : least), 1000);
  return lines.map((line) => line.replace(/\t/g, "    ").slice(margin)).join("\n");
}

/** @param {number} indent */
function depth(indent) {
  return indent ? `in-${Math.min(Math.ceil(indent / 4), 4)}` : "";
}

/** @param {string[]} lines @param {number} column */
function* paragraphs(lines, column) {
  for (let at = 0; at < lines.length; at += 1) {
    const first = lines[at];
    if (at + 1 < lines.length && UNDERLINE.test(lines[at + 1])) {
      yield block("h2", first.trim());
      at += 1;
      continue;
    }
    if (UNDERLINE.test(first)) continue;
    const text = [first.trim()];
    let above = first;
    while (at + 1 < lines.length && continues(above, lines[at + 1], column)) {
      at += 1;
      text.push(lines[at].trim());
      above = lines[at];
    }
    const className = [depth(indentOf(first)), BULLET.test(first) ? "item" : ""].join(" ").trim();
    for (const piece of pieces(text.join(" "), LONGEST, [" "])) yield block("p", piece, className);
  }
}

// What stands between blank lines, one at a time, as lists of lines.
/** @param {string} text */
function* partsOf(text) {
  const gap = /\n[^\S\n]*\n+/g;
  for (let from = 0; from < text.length; from = gap.lastIndex || text.length) {
    const found = gap.exec(text);
    for (const piece of cut(text.slice(from, found?.index ?? text.length))) {
      const lines = piece.split("\n").filter((line, at, all) => line.trim() || (at && at < all.length - 1));
      if (lines.length) yield lines;
    }
    if (!found) return;
  }
}

// A block without end is cut between lines: never in one, whose words would then stand in two places.
/** @param {string} part */
function* cut(part) {
  let from = 0;
  while (part.length - from > LONGEST_BLOCK) {
    const end = part.indexOf("\n", from + LONGEST_BLOCK);
    if (end < 0) break;
    yield part.slice(from, end);
    from = end + 1;
  }
  yield part.slice(from);
}

/** @param {string} text */
function* codeBlocks(text) {
  for (const piece of pieces(text, LONGEST, ["\n", " "])) yield block("pre", piece);
}

// The elements of a text, each made only when it is asked for.
/** @param {string} source */
export function* elementsOf(source) {
  for (const { name, className, text } of blocksOf(source)) yield html(name, { class: className || null }, text);
}

// The blocks of a text: an element's name, its class, and its text.
/** @param {string} source @returns {Generator<Block>} */
export function* blocksOf(source) {
  const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
  if (isProgram(text)) {
    yield* codeBlocks(code(text.split("\n")).trim());
    return;
  }
  const column = wrapColumn(text);
  let literal = null; // set by a line that ends in "::", until the text returns to its indentation
  let held = ""; // code, for as long as more of it may follow
  for (const lines of partsOf(text)) {
    if (literal && indentOf(lines[0]) <= literal.indent) literal = null;
    const isMore = isCode(lines, literal);
    if (isMore) held = held ? `${held}\n\n${code(lines)}` : code(lines);
    if (held && (!isMore || held.length > LONGEST)) {
      yield* codeBlocks(held);
      held = "";
    }
    if (isMore) continue;
    yield* paragraphs(lines, column);
    const last = lines[lines.length - 1];
    if (/::\s*$/.test(last.slice(-200))) literal = { indent: indentOf(last) };
  }
  if (held) yield* codeBlocks(held);
}
