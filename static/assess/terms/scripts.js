// Words of texts in every script, and which forms of a word are the same: as campaigns/collection/terms.py has it.
// tests/front_end/scripts.json is the table of examples that tests of both read.

/* eslint-disable no-misleading-character-class -- these classes hold signs that combine with other letters */

const HAN = "\\u2e80-\\u2fdf\\u3005\\u3007\\u3021-\\u3029\\u3038-\\u303b\\u3105-\\u312f\\u31a0-\\u31bf\\u3400-\\u4dbf" +
  "\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
const HIRAGANA = "\\u3041-\\u3096\\u309d\\u309e";
const KATAKANA = "\\u30a1-\\u30fa\\u30fc-\\u30fe\\u31f0-\\u31ff\\uff66-\\uff9d";
const SOUTH_EAST = "\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u0e81-\\u0ece\\u0edc-\\u0edf\\u1000-\\u103f\\u1050-\\u108f" +
  "\\u1780-\\u17d3\\u17d7\\u17dc\\u1950-\\u19c9\\u1a20-\\u1a7f\\ua980-\\ua9cf\\ua9e0-\\ua9ef\\uaa60-\\uaa7f";
const UNSEEN = "\\u00ad\\u034f\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufe00-\\ufe0f\\ufeff";
const HEBREW = "\\u05d0-\\u05ea";

const DROPPED = new RegExp(
  "[\\u0300-\\u0305\\u0307-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7" +
    "\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed" +
    `${UNSEEN}]|(?<!и)\\u0306|(?<=[${HEBREW}])["'’׳״](?=[${HEBREW}])`,
  "gu",
);
// And, the, in, to, from, that, as: written with the word, of which three letters stay.
const HEBREW_PREFIXES = new RegExp(`(?<![\\p{L}\\p{N}_])[והבלמשכ]+(?=[${HEBREW}]{3})`, "gu");
const LETTERS = new Map(Object.entries({
  đ: "d", ł: "l", ø: "o", ı: "i", ς: "σ", ى: "ي", ة: "ه", ی: "ي", ک: "ك", ß: "ss", æ: "ae", œ: "oe",
}));
for (const zero of [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xed0, 0x1040, 0x17e0]) {
  for (let digit = 0; digit < 10; digit += 1) LETTERS.set(String.fromCodePoint(zero + digit), String(digit));
}
const DIFFERENT = new RegExp(`[${[...LETTERS.keys()].join("")}]`, "gu");

// Normalising sorts a run of signs in the square of its length. No word has so many.
const MOST_SIGNS = /(\p{M}{30})\p{M}+/gu;
// All but Thai and Lao letters that Unicode would take apart in the middle of a syllable.
const DECOMPOSED = /[^ำຳໜໝ]+/gu;

const UNIT = `[${HAN}${HIRAGANA}${KATAKANA}${SOUTH_EAST}][\\p{M}${UNSEEN}\\uff9e\\uff9f]*`;
const WORD = new RegExp(
  `[\\p{L}\\p{N}][\\p{L}\\p{N}\\p{M}${UNSEEN}]*` +
    `(?:(?:['’]|(?<=[${HEBREW}])["׳״](?=[${HEBREW}]))[\\p{L}\\p{N}][\\p{L}\\p{N}\\p{M}${UNSEEN}]*)?`,
  "gu",
);
const HAS_UNITS = new RegExp(UNIT, "u");
// Koreans write particles behind words of other scripts.
const HAS_PARTS = new RegExp(`${UNIT}|[\uac00-\ud7a3]`, "u");
const PARTS = new RegExp(`(?:${UNIT})+|[\uac00-\ud7a3]+|(?:(?!${UNIT})[^\uac00-\ud7a3])+`, "gsu");
const UNITS = new RegExp(UNIT, "gu");
const PARTICLE_OF_CHINESE = /(?<![目标])的(?![士确])/gu;
const SCRIPT = new RegExp(`[${HAN}]+|[${KATAKANA}]+|[${HIRAGANA}][${HIRAGANA}ー]*|(?:[${SOUTH_EAST}][\\p{M}${UNSEEN}]*)+`, "gu");
const IS_HAN = new RegExp(`^[${HAN}]`, "u");
const IS_HIRAGANA = new RegExp(`^[${HIRAGANA}]`, "u");
const IS_KATAKANA = new RegExp(`^[${KATAKANA}]`, "u");
const JAPANESE_PARTICLES = "のをにはがともへでや";
const LAST_PARTICLES = new RegExp(`[${JAPANESE_PARTICLES}]+$`, "u");
const KOREAN = /^[\uac00-\ud7a3]+$/u;
const KOREAN_PARTICLES =
  /(?:에서부터|으로부터|에게서|까지|부터|보다|처럼|에서|에게|한테|께서|으로|이나|하고|이며|라는|[은는이가을를의에로와과도만나께])$/u;

// A text without case, accents, points and other differences that readers overlook.
/** @param {string} text */
export function fold(text) {
  const lower = text.toLowerCase();
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(lower)) return lower;
  const bounded = lower.replace(MOST_SIGNS, "$1");
  const bare = bounded.replace(DECOMPOSED, (part) => part.normalize("NFKD")).toLowerCase().replace(DROPPED, "");
  return bare.replace(HEBREW_PREFIXES, "").replace(DIFFERENT, (letter) => LETTERS.get(letter) ?? letter).normalize("NFC");
}

// Words, and the letters of scripts without blanks, each by itself and with its signs.
/** @param {string} text @returns {Generator<{ start: number, end: number, text: string, joined: boolean }>} */
export function* tokens(text) {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!HAS_PARTS.test(word)) {
      yield { start: index, end: index + word.length, text: word, joined: false };
      continue;
    }
    for (const { 0: part, index: inside } of word.matchAll(PARTS)) {
      const start = index + inside;
      if (!HAS_UNITS.test(part)) yield { start, end: start + part.length, text: part, joined: false };
      else {
        for (const { 0: unit, index: at } of part.matchAll(UNITS)) {
          yield { start: start + at, end: start + at + unit.length, text: unit, joined: true };
        }
      }
    }
  }
}

// What a run of letters asks for: its parts of one script, without what only inflects or connects them.
/** @param {string} run folded */
export function termsOfRun(run) {
  const parts = [...run.matchAll(SCRIPT)];
  const terms = parts.flatMap(({ 0: part, index }, at) => {
    if (IS_HIRAGANA.test(part)) return hiraganaTerm(part, index === 0);
    return IS_HAN.test(part) ? hanTerms(part, parts[at + 1]?.[0] ?? "") : [part];
  });
  return terms.length ? terms : [run];
}

/** @param {string} part @param {boolean} opens */
function hiraganaTerm(part, opens) {
  const word = part.length > 2 ? part.replace(LAST_PARTICLES, "") : part;
  return opens && word.length > 1 ? [word] : [];
}

/** @param {string} part @param {string} follows */
function hanTerms(part, follows) {
  const letters = Array.from(part);
  const inner = letters.slice(1, -1).join("").replace(PARTICLE_OF_CHINESE, " ");
  const words = [letters[0], inner, ...letters.slice(1).slice(-1)].join("").split(/\s+/).filter(Boolean);
  const inflects = IS_HIRAGANA.test(follows) && !JAPANESE_PARTICLES.includes(follows);
  return inflects && Array.from(words[words.length - 1]).length === 1 ? words.slice(0, -1) : words;
}

// How many letters of a term at least must follow each other in a document: all, unless it may be several words.
/** @param {string} term @param {number} letters */
export function leastOf(term, letters) {
  if (IS_HAN.test(term)) return letters > 3 ? 2 : letters;
  if (IS_HIRAGANA.test(term)) return letters;
  if (IS_KATAKANA.test(term)) return letters > 5 ? 3 : letters;
  return letters > 5 ? 4 : letters;
}

/** @param {string} word folded */
export function isKorean(word) {
  return KOREAN.test(word);
}

/** @param {string} word folded */
export function koreanStem(word) {
  return isKorean(word) ? word.slice(0, 2) + word.slice(2).replace(KOREAN_PARTICLES, "") : word;
}

// Words of up to three letters are small ones in these scripts; others write less in more letters.
/** @param {string} word */
export function isAlphabetic(word) {
  return /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}\p{N}'’]+$/u.test(word);
}
