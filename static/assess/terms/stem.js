// A light stemmer for English: it takes off plurals and the commonest endings, so that "matrices" finds
// "matrix" and "sorted" finds "sorting". Too little is better than too much: a wrong highlight misleads.

const PLURALS = [
  [/(?:sses)$/, "ss"],
  [/ices$/, "ic"],
  [/([^aeiou])ies$/, "$1y"],
  [/(s|x|z|ch|sh)es$/, "$1"],
  [/([^sui])s$/, "$1"],
];

const ENDINGS = [
  [/(?:isation|ization|ising|izing|ised|ized|iser|izer|ise|ize)$/, ""],
  [/(?:ations?|ating|ated|ate)$/, ""],
  [/(?:ical|ically)$/, "ic"],
  [/(?:ment|ness|ity|able|ible|ly|er|or|ion)$/, ""],
];

// These may leave less, as long as a vowel is left: filing, file; but string stays string.
const VERBAL = [[/([aeiouy].+)(?:ing|ed|edly)$/, "$1"]];

const SHORTEST = 4;

function firstThatFits(word, rules, shortest) {
  for (const [ending, replacement] of rules) {
    const shorter = word.replace(ending, replacement);
    if (shorter !== word) return shorter.length >= shortest ? shorter : word;
  }
  return word;
}

export function plain(word) {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

const MOST_KNOWN = 50_000;
const known = new Map();

// A long document says the same words again and again.
export function stem(word) {
  let stemmed = known.get(word);
  if (stemmed === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(word, (stemmed = stemOf(word)));
  }
  return stemmed;
}

function stemOf(word) {
  const lower = plain(word).replace(/['’]s$/, "");
  if (lower.length < SHORTEST || /\d/.test(lower)) return lower;
  const singular = firstThatFits(lower, PLURALS, 3);
  return firstThatFits(firstThatFits(singular, ENDINGS, SHORTEST), VERBAL, 3)
    .replace(/([bdfgklmnprt])\1$/, "$1") // stopping, stop
    .replace(/[ie]x$/, "ic") // matrix, matrices; index, indices
    .replace(/([^aeiou])y$/, "$1i")
    .replace(/e$/, "");
}
