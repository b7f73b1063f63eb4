// What files are, where each kind goes, and in which order.

import { gettext, ngettext } from "../../../site/words.js";

/** In the order of work: topics are about documents, runs about topics, judgments about both. */
export const PLACES = ["collection", "topics", "archive", "runs", "qrels"];
/** @type {Record<string, string>} */
const ADDRESSES = { archive: "files" };
/** @type {Record<string, string>} */
const PLACE_OF = { documents: "collection", topics: "topics", run: "runs", qrels: "qrels", archive: "archive" };
const SLICE = 1 << 16;

/** @param {string} place */
export const addressOf = (place) => `${ADDRESSES[place] ?? place}/`;

/**
 * Where a file goes by itself; "" where that is to be chosen, or where it goes nowhere.
 * @param {Pick<FoundFile, "kind">} found
 */
export const placeOf = (found) => PLACE_OF[found.kind] ?? "";

/** @param {string} place the kind as which files are read there */
export const kindIn = (place) => Object.keys(PLACE_OF).find((kind) => PLACE_OF[kind] === place) ?? "";

/**
 * Docnos of files that are one document each, as those of an archive get theirs: the name, or the path where several
 * have that name (campaigns/formats/documents/single.py).
 * @param {string[]} paths
 * @returns {Map<string, string>}
 */
export function docnosByPath(paths) {
  const plain = new Map(paths.map((path) => [path, path.replace(/(.)\.(gz|xz|zst|bz2|lz4)$/i, "$1")]));
  /** @param {string} path */
  const stem = (path) => path.replace(/([^/])\.[^./]+$/, "$1");
  /** @param {string} path */
  const asWord = (path) => path.trim().replace(/\s+/g, "_");
  /** @type {((path: string) => string)[]} */
  const ways = [(path) => stem(path).replace(/^.*\//, ""), (path) => asWord(stem(path)), asWord];
  const docnos = new Map();
  for (const way of ways) {
    const left = paths.filter((path) => !docnos.has(path)).map((path) => [path, way(plain.get(path) ?? path)]);
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const known of [...left.map(([, docno]) => docno), ...docnos.values()]) counts.set(known, (counts.get(known) ?? 0) + 1);
    for (const [path, docno] of left) if (counts.get(docno) === 1 || way === asWord) docnos.set(path, docno);
  }
  return docnos;
}

/** @param {Blob} file */
export const headOf = (file) => file.slice(0, SLICE);

/**
 * The other places for which a file may be used.
 * @param {Pick<FoundFile, "kind" | "certain" | "table">} found
 * @param {boolean} isLarge
 */
export function choicesOf(found, isLarge) {
  if (found.table) return ["collection", "topics", "runs", "qrels"];
  if (found.kind === "document") return ["collection"];
  if (found.kind === "unknown" && !isLarge) return ["collection", "topics", "runs", "qrels"];
  return found.certain ? [] : ["collection", "topics"];
}

/** @param {string} place */
export function placeWords(place) {
  switch (place) {
    case "collection": return gettext("documents");
    case "topics": return gettext("topics");
    case "runs": return gettext("a run");
    case "qrels": return gettext("qrels");
    default: return gettext("an archive");
  }
}

/**
 * The heading of a group: how many files go to a place. Topics are counted themselves where their number is known.
 * @param {string} place
 * @param {Counted[]} items
 */
export function groupWords(place, items) {
  const count = items.length;
  switch (place) {
    case "collection": return ngettext("{count} file of documents", "{count} files of documents", count);
    case "archive": return ngettext("{count} archive", "{count} archives", count);
    case "runs": return ngettext("{count} run", "{count} runs", count);
    case "qrels": return ngettext("{count} qrels", "{count} qrels", count);
    case "topics": return topicWords(items);
    default: return ngettext("{count} file not recognised: {what}", "{count} files not recognised: {what}", count, { what: kindsOf(items) });
  }
}

/** @param {Counted[]} items */
function topicWords(items) {
  const counts = items.map((item) => item.found.topics).filter((count) => count != null);
  if (counts.length < items.length) return ngettext("{count} file of topics", "{count} files of topics", items.length);
  return ngettext("{count} topic", "{count} topics", counts.reduce((sum, count) => sum + count, 0));
}

/** @param {Counted[]} items */
function kindsOf(items) {
  return [...new Set(items.map((item) => contentWords(item.found)))].join(", ");
}

/**
 * What a file looks like.
 * @param {Pick<FoundFile, "kind" | "words">} found
 */
export function contentWords({ kind, words }) {
  switch (kind) {
    case "prels": return gettext("prels");
    case "sampled qrels": return gettext("sampled qrels");
    case "training": return gettext("training items");
    case "bundle": return gettext("bundle of a campaign");
    default: return CONTENTS[words]?.() ?? words;
  }
}

/** @type {Record<string, () => string>} */
const CONTENTS = {
  "an image": () => gettext("image"),
  "a PDF": () => gettext("PDF"),
  "an HTML page": () => gettext("HTML page"),
  "a Markdown page": () => gettext("Markdown page"),
  "plain text": () => gettext("text"),
  "comma-separated values": () => gettext("table (CSV)"),
  "values separated by semicolons": () => gettext("table (CSV)"),
  "a JSON list": () => gettext("JSON list"),
  "a Parquet file": () => gettext("Parquet file"),
  "an Arrow file": () => gettext("Arrow file"),
  "an empty file": () => gettext("empty file"),
  "binary data": () => gettext("binary data"),
  "a document of an office program": () => gettext("office document"),
};

/**
 * What to do with a file that goes nowhere.
 * @param {Pick<FoundFile, "kind" | "table">} found
 */
export function adviceWords({ kind, table }) {
  if (table) return gettext("Choose what the file holds, then which column is which.");
  switch (kind) {
    case "prels":
    case "sampled qrels": return gettext("The commands on files read it: evaluate --prels, evaluate --strata.");
    case "training": return gettext("Upload it on the page Training.");
    case "bundle": return gettext("A bundle is a campaign of its own and cannot be added to this one.");
    case "document": return gettext("It can be one document of the collection; its name would be the docno.");
    default: return "";
  }
}

/** @type {Record<string, () => string>} */
const FIELDS = {
  topic: () => gettext("topic"),
  number: () => gettext("number"),
  title: () => gettext("title"),
  description: () => gettext("description"),
  narrative: () => gettext("narrative"),
  docno: () => gettext("docno"),
  text: () => gettext("text"),
  rank: () => gettext("rank"),
  score: () => gettext("score"),
  tag: () => gettext("tag"),
  grade: () => gettext("grade"),
  file: () => gettext("file"),
};

/** @param {string} name */
export const fieldWords = (name) => FIELDS[name]?.() ?? name;
