// Which words to look for: those of the topic's title, and the assessor's own, kept per topic.
import { language, plain, stem } from "./stem.js";

const STOP = new Set(
  ("a about all also an and any are as at be been but by can could do does every find for from get has have how i if " +
    "in into is it its many may me more most much my no not of on one only or other our out own should so some such " +
    "than that the their them then there these they this those to under up use used using want was we were what when " +
    "where which while who whom whose why will with within without would you your").split(" "),
);

export const WORD = /[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu;

/** @param {string} text */
export function wordsOf(text) {
  return text.match(WORD) ?? [];
}

// One term is a phrase of one or more stems that must follow each other.
/** @param {string} label @param {boolean} own @returns {Term} */
function term(label, own) {
  return { label, own, stems: wordsOf(label).map(stem) };
}

// Without a list of a language’s small words, those of up to three letters are taken to be such.
/** @param {string} word */
function says(word) {
  return language === "english" ? word.length > 1 && !STOP.has(plain(word)) : word.length > 3;
}

/** @param {string} title @param {string[]} personal */
export function termsOf(title, personal) {
  const words = wordsOf(title).filter(says);
  const terms = [];
  const known = new Set();
  for (const candidate of [...words.map((word) => term(word, false)), ...personal.map((word) => term(word, true))]) {
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
    if (!wordsOf(label).length || this.#terms.includes(label)) return false;
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
