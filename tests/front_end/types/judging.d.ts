// What the judging screen and the server send each other, as JSON (campaigns/api), and what the screen makes of it.

interface Grade {
  grade: number;
  label: string;
  key: string;
  definition: string;
  note: boolean;
  relevant: boolean;
}

interface Progress {
  judged: number;
  relevant: number;
  minimum: number;
}

/** A document with all that is needed to show it. */
interface ShownDocument {
  docno: string;
  title: string;
  body: string;
  kind?: string;
  /** Sanitised HTML, of kinds that have it. */
  rendered?: string | null;
  /** The address of the bytes, of images and PDF. */
  content?: string;
  content_type?: string;
  url?: string;
  metadata?: { name: string; value: string }[];
  /** Which text of the document it is, from 1. */
  document_revision?: number;
}

/** What is known of a document that is not at hand. */
interface NamedDocument {
  docno: string;
  title: string;
}

interface Verdict {
  grade?: number | null;
  reason?: string;
}

/** A judgment in the history. */
interface Entry extends NamedDocument {
  id?: string;
  grade: number | null;
  reason: string;
  document_revision?: number;
}

/** A document to judge later; `revision`: it had been judged. */
interface Postponed extends NamedDocument {
  revision: boolean;
}

/** A part of a stored text, in code points. */
interface Passage {
  start: number;
  end: number;
  text?: string;
}

interface Annotation {
  docno: string;
  note: string;
  passages: Passage[];
  document_revision?: number;
}

interface Question {
  docno: string;
  text: string;
  answer: string;
}

interface Claim {
  docno: string;
  revision?: boolean;
  /** The grade that a new judgment would replace. */
  revising?: number | null;
}

interface Served {
  document: ShownDocument;
  claim: Claim;
  progress?: Progress;
}

/** The document on screen; `before`: what was said of it, where it is brought back. */
interface Current {
  document: ShownDocument;
  claim: Claim;
  before: Entry | null;
  accepts: boolean;
}

/** The data of the page, as `screen_data` (assess/screen.py) makes them. */
interface ScreenData {
  assessor: number;
  campaign: string;
  topic: string;
  title: string;
  revision: number;
  api: string;
  worker: string;
  finish: string;
  leave: string;
  onward: string;
  done: boolean;
  grades: Grade[];
  reasons: Record<string, string>;
  progress: Progress;
  history: Entry[];
  annotations: Annotation[];
  questions: { document__docno: string; text: string; answer: string }[];
  aside: Postponed[];
}

interface ActBody {
  id?: string;
  /** Of a question, as its id. */
  key?: string;
  topic: string;
  docno: string;
  grade?: number | null;
  reason?: string;
  undo?: boolean;
  revision?: boolean;
  document_revision?: number;
  milliseconds?: number;
  /** How much of a long document came into sight, in percent. */
  seen?: number;
  /** The document that the browser has shown next by itself. */
  shown?: string;
  /** Those among which the server may choose the next. */
  have?: string[];
  note?: string;
  passages?: Passage[];
  text?: string;
}

interface Act {
  path: string;
  body: ActBody;
  owner?: string;
  /** The reason of a refusal. */
  why?: string;
}

/** An act as an outbox keeps it; `kept` resolves once that is certain, to whether it is. */
interface OutboxEntry {
  key: string | number;
  value: Act;
  kept: Promise<boolean>;
}

/** Which documents follow, by the outcome of the judgment: a grade, or "" for others. */
type Successors = Record<string, string | null>;

interface AheadAnswer {
  documents: ShownDocument[];
  next: Successors;
  reserve: string[];
  progress: Progress;
  worth?: number;
  more?: boolean;
  exact?: boolean;
}

interface AheadSnapshot {
  seen: string[];
  after: { docno: string; next: Successors };
  reserve: string[];
}

interface TallySnapshot {
  progress: Progress;
  history: Entry[];
  aside: Postponed[];
}

/** The document that the server chose; without its text where the browser said that it has it. */
interface NextDocument {
  docno: string;
  document?: ShownDocument;
  claim: Claim;
}

/** The server's answer to an act, null where what was wanted held already. */
type Reply = {
  progress: Progress;
  judgment: { revision: boolean };
  next: NextDocument | null;
  asks_note?: boolean;
} | null;

/** The campaign's endpoints; answers are JSON of each endpoint's own shape. */
interface Api {
  get(path: string, query: Record<string, string | number> | string[][]): Promise<any>;
  post(path: string, body: object): Promise<any>;
  remove(path: string): Promise<any>;
}

/** A term to look for: a phrase of one or more stems; `own`: the assessor's. */
interface Term {
  label: string;
  own: boolean;
  stems: string[];
  /** Of a run of letters that may be several words: how many must follow each other. 0: all. */
  least: number;
}

interface TermIndex {
  byFirstStem: Map<string, Term[]>;
  /** Letters that follow each other in a run, as many as its `least`. */
  grams: Set<string>;
  leasts: number[];
  /** What of runs stood in documents. */
  stretches: Map<string, Term>;
}

interface Mark {
  mark: HTMLElement;
  term: Term;
}

/** A part of the document, with what is found in it once it was searched. */
interface Portion {
  root: HTMLElement;
  place: number;
  found?: { term: Term; place: number }[] | null;
  length?: number;
  marks?: Mark[] | null;
}

/** An example of the guidelines. */
interface ExampleRow extends NamedDocument {
  id: number;
  grade: number;
  reason: string;
  topic: string | null;
  topic_title: string;
}

type Say = (words: string) => void;
type NameOf = (grade: number) => string;

/** A document that is noted on: the one on screen, with its text, or the one judged last. */
interface About extends Annotation {
  title?: string;
  source?: string;
  /** What was written about an earlier text of the document. */
  earlier?: Annotation | null;
}

/** What the guidelines' examples need: the scale, the number of the open topic, and where to keep them. */
interface ExampleSource {
  api: Api;
  store?: import("../../../static/assess/offline/store.js").Store | null;
  place?: string;
  grades: Grade[];
  topic: () => string | undefined;
}

/** A block of a plain text: an element's name, its class, and its text. */
interface Block {
  name: "h2" | "p" | "pre";
  className: string;
  text: string;
}

/** A word of a text, with its stem. */
interface Token {
  start: number;
  end: number;
  stem: string;
  joined: boolean;
}

/** Where an outbox keeps its rows: see static/assess/offline/store.js. */
interface Tables {
  readonly kept: boolean;
  put(table: string, key: any, value: unknown): Promise<unknown>;
  remove(table: string, key: any): Promise<unknown>;
  all(table: string): Promise<{ key: any; value: any }[]>;
}

/** A training item, its answer, and the attempt as the server has it. */
interface TrainingItem {
  id: number;
  topic: {
    number: string;
    title: string;
    description: string;
    narrative: string;
    further_fields: { name: string; value: string }[];
  };
  document: ShownDocument;
}

interface Answer extends NamedDocument {
  grade: number;
  expected: number;
  agreed: boolean;
  reason: string;
}

interface Attempt {
  attempt: number;
  answered: number;
  agreed: number;
  items: number;
  kappa: number | null;
  next: TrainingItem | null;
  answers: Answer[];
}

/** A Snowball stemmer, which the page loads before its modules. */
interface Stemmer {
  stemWord(word: string): string;
}

/** A topic's wording, as its revisions have it. */
interface Wording {
  revision: number;
  description: string;
  narrative: string;
}

// What parts of the screen announce: by event, what comes with it.

interface AheadNews {
  asked: null;
  answer: AheadAnswer;
  unreached: unknown;
}

interface OutboxNews {
  change: null;
  held: null;
  reply: { act: Act; reply: Reply };
  refusal: { act: Act; why: string; code: string };
}

interface JudgingNews {
  phase: null;
  accepts: null;
  "too-soon": null;
  reached: null;
  unreached: { error: unknown };
  recorded: Verdict & { document: NamedDocument; revision: boolean };
  aside: { document: NamedDocument };
  undone: { document: NamedDocument };
  "nothing-to-undo": null;
  replaced: { document: NamedDocument };
  elsewhere: null;
  "cannot-recall": { docno: string; why: string };
}
