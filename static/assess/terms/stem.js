// Words by their stems, from the Snowball stemmer of the collection’s language, which the page loads before its
// modules. It joins convergent, convergence and converges; a language without one has its words as they are written.
import { fold, isAlphabetic, koreanStem } from "./scripts.js";

const script = globalThis.document?.querySelector("script[data-stemmer]");
export const language = script?.dataset.stemmer ?? "";
const name = `${language.charAt(0).toUpperCase()}${language.slice(1)}Stemmer`;
const Stemmer = /** @type {Record<string, (new () => Stemmer) | undefined>} */ (/** @type {unknown} */ (globalThis))[name];
const stemmer = Stemmer ? new Stemmer() : null;

// Snowball leaves these Latin plurals apart from their singulars.
const LATIN = new Map([["matrices", "matrix"], ["vertices", "vertex"], ["indices", "index"], ["appendices", "appendix"]]);

const MOST_KNOWN = 50_000;
/** @type {Map<string, string>} */
const known = new Map();

// A long document says the same words again and again.
/** @param {string} word */
export function stem(word) {
  let stemmed = known.get(word);
  if (stemmed === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(word, (stemmed = stemOf(word)));
  }
  return stemmed;
}

// Letters lose their accents only as a stem: the stemmers of other languages than English read them.
/** @param {string} word */
function stemOf(word) {
  const lower = word.normalize("NFKC").toLowerCase().replace(/[\u00ad\u200b-\u200f]/g, "").replace(/['’]s$/, "");
  if (!stemmer || /\d/.test(lower) || !isAlphabetic(lower)) return koreanStem(fold(lower));
  return fold(stemmer.stemWord((language === "english" && LATIN.get(lower)) || lower));
}
