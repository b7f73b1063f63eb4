// Plain text as something one can read for hours: hard-wrapped lines become paragraphs again; headings,
// lists, indentation and code keep their shape.

const UNDERLINE = /^\s*([-=~^"'*+#])\1{2,}\s*$/;
const PROMPT = /^\s*(?:>>>|\.\.\.|\$ |In \[\d+\]:)/;
const BULLET = /^\s*(?:[-*•+–]|\(?\d{1,2}[.)])\s+\S/;
const ALIGNED = /\S {3,}\S.* {2,}\S|\S\t+\S|^\s*[|+][-=|+ ]/;
const UNWRAPPED = 160;

const indentOf = (line) => line.match(/^\s*/)[0].replace(/\t/g, "    ").length;

// The column at which the author wrapped: nine lines in ten are no longer than it.
function wrapColumn(lines) {
  const lengths = lines.map((line) => line.trimEnd().length).filter((length) => length > 30);
  lengths.sort((a, b) => a - b);
  return lengths[Math.floor(lengths.length * 0.9)] ?? 0;
}

// A line was wrapped if the next line's first word would hardly have fitted on it: authors wrap by hand,
// and early. A sentence that goes on in small letters was wrapped even earlier.
function wasWrapped(line, next, column) {
  if (!column || column > UNWRAPPED) return false;
  const reach = line.trimEnd().length + 1 + next.trim().split(/\s/, 1)[0].length;
  const goesOn = /^\s*[\p{Ll}(]/u.test(next) && !/[.:;!?]\s*$/.test(line);
  return reach > column * (goesOn ? 0.5 : 0.82);
}

// "name : type" and "name: what it is" begin something new.
const ENTRY = /^\s*[*`]*[\w.*]+[`]?(?:, ?[*\w.]+)* ?: \S/;

function continues(line, next, column) {
  if (BULLET.test(next) || UNDERLINE.test(next) || ENTRY.test(next)) return false;
  const wrapped = wasWrapped(line, next, column);
  if (indentOf(next) === indentOf(line)) return wrapped;
  if (indentOf(next) < indentOf(line)) return false;
  return BULLET.test(line) || (ENTRY.test(line) && wrapped);
}

function isCode(lines, literal) {
  if (PROMPT.test(lines[0])) return true;
  if (literal && indentOf(lines[0]) > literal.indent) return true;
  return lines.length > 1 && lines.filter((line) => ALIGNED.test(line)).length * 2 > lines.length;
}

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function codeBlock(lines) {
  const margin = Math.min(...lines.filter((line) => line.trim()).map(indentOf));
  return element("pre", lines.map((line) => line.replace(/\t/g, "    ").slice(margin)).join("\n"));
}

function depth(indent) {
  return indent ? `in-${Math.min(Math.ceil(indent / 4), 4)}` : "";
}

function* paragraphs(lines, column) {
  for (let at = 0; at < lines.length; at += 1) {
    const first = lines[at];
    if (at + 1 < lines.length && UNDERLINE.test(lines[at + 1])) {
      yield element("h2", first.trim());
      at += 1;
      continue;
    }
    if (UNDERLINE.test(first)) continue;
    let text = first.trim();
    let above = first;
    while (at + 1 < lines.length && continues(above, lines[at + 1], column)) {
      at += 1;
      text += ` ${lines[at].trim()}`;
      above = lines[at];
    }
    yield element("p", text, [depth(indentOf(first)), BULLET.test(first) ? "item" : ""].join(" ").trim());
  }
}

function blocksOf(text) {
  return text
    .replace(/\r\n?/g, "\n")
    .split(/\n[^\S\n]*\n+/)
    .map((block) => block.split("\n").filter((line, at, all) => line.trim() || (at && at < all.length - 1)))
    .filter((lines) => lines.length);
}

export function plainText(text) {
  const column = wrapColumn(text.split(/\r\n?|\n/));
  const body = document.createDocumentFragment();
  let literal = null; // set by a line that ends in "::", until the text returns to its indentation
  for (const lines of blocksOf(text)) {
    if (literal && indentOf(lines[0]) <= literal.indent) literal = null;
    if (isCode(lines, literal)) {
      const before = body.lastElementChild;
      const block = codeBlock(lines);
      if (before?.localName === "pre") before.append(`\n\n${block.textContent}`);
      else body.append(block);
      continue;
    }
    body.append(...paragraphs(lines, column));
    const last = lines.at(-1);
    if (/::\s*$/.test(last)) literal = { indent: indentOf(last) };
  }
  return body;
}
