// Which words to look for: those of the topic's title, and the assessor's own, kept per topic.
import { fold, isAlphabetic, isKorean, koreanStem, leastOf, termsOfRun, tokens } from "./scripts.js";
import { language, stem } from "./stem.js";

const STOP = new Set(
  ("a about all also an and any are as at be been but by can could do does every find for from get has have how i if " +
    "in into is it its many may me more most much my no not of on one only or other our out own should so some such " +
    "than that the their them then there these they this those to under up use used using want was we were what when " +
    "where which while who whom whose why will with within without would you your").split(" "),
);

// One term is a phrase of one or more stems that must follow each other; or, of a run of letters without blanks that
// may be several words, at least so many of them.
/** @param {string} label @param {boolean} own @returns {Term} */
function term(label, own) {
  return { label, own, stems: Array.from(tokens(label), ({ text }) => stem(text)), least: 0 };
}

/** @param {string} label @returns {Term} */
function topicTerm(label) {
  const found = term(label, false);
  const least = leastOf(label, found.stems.length);
  return { ...found, least: least < found.stems.length ? least : 0 };
}

// Without a list of a language’s small words, the shortest are taken to be such.
/** @param {string} word */
function says(word) {
  const plain = fold(word);
  if (isKorean(plain)) return koreanStem(plain).length > 1;
  if (!isAlphabetic(word)) return plain.length > 2;
  return language === "english" ? word.length > 1 && !STOP.has(plain) : word.length > 3;
}

// The words of a title, and the runs of letters without blanks in it.
/** @param {string} title */
function partsOf(title) {
  /** @type {{ text: string, joined: boolean, end: number }[]} */
  const parts = [];
  for (const { text, joined, start, end } of tokens(title)) {
    const last = parts.at(-1);
    if (joined && last?.joined && last.end === start) Object.assign(last, { text: last.text + text, end });
    else parts.push({ text, joined, end });
  }
  return parts;
}

/** @param {string} title */
function topicTerms(title) {
  const parts = partsOf(title);
  const telling = parts.filter(({ text, joined }) => joined || says(text));
  // Small words are better than none.
  return (telling.length ? telling : parts).flatMap(({ text, joined }) =>
    joined ? termsOfRun(fold(text)).map(topicTerm) : [term(text, false)],
  );
}

/** @param {string} title @param {string[]} personal */
export function termsOf(title, personal) {
  const terms = [];
  const known = new Set();
  for (const candidate of [...topicTerms(title), ...personal.map((word) => term(word, true))]) {
    const id = candidate.stems.join(" ");
    if (id && !known.has(id)) terms.push(candidate);
    known.add(id);
  }
  return terms;
}

export class PersonalTerms {
  #key;
  /** @type {string[]} */
  #terms = [];

  /** @param {string} name */
  constructor(name) {
    this.#key = `terms:${name}`;
    try {
      this.#terms = JSON.parse(localStorage.getItem(this.#key) ?? "null") ?? [];
    } catch {
      // forbidden or damaged: begin with none
    }
  }

  get all() {
    return [...this.#terms];
  }

  /** @param {string} text */
  add(text) {
    const label = text.trim().replace(/\s+/g, " ");
    if (tokens(label).next().done || this.#terms.includes(label)) return false;
    this.#terms.push(label);
    this.#keep();
    return true;
  }

  /** @param {string} label */
  remove(label) {
    this.#terms = this.#terms.filter((kept) => kept !== label);
    this.#keep();
  }

  #keep() {
    try {
      localStorage.setItem(this.#key, JSON.stringify(this.#terms));
    } catch {
      // the terms then last as long as the page
    }
  }
}
