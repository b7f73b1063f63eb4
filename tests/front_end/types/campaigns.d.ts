// What the organiser's pages and the server send each other, as JSON.

interface Health {
  worker?: string;
  worker_heard?: number | null;
  broker?: string;
  database: string;
  head: number;
  applied: number;
  stalled?: boolean;
  campaign?: string;
  serving?: Serving;
}

/** How far queues were behind when they served. */
interface Serving {
  queue_age_median: number | null;
  queue_age_high: number | null;
  served: number;
  aged: number;
}

/** Figures over the number of judgments, null where nothing was measured. */
type Figures = (number | null)[];

/** The answer of intervals/ over time. */
interface Curves {
  judged: number[];
  /** Those of `judged` that no line joins to the one before. */
  starts: number[];
  runs: { run: string; base: Figures; top: Figures }[];
}

interface Series {
  name: string;
  tone: number;
  line: Figures;
  low?: Figures;
  high?: Figures;
}

/** The JSON of `Trajectory.as_dict` (selection/simulation/trajectory.py). */
interface SentTrajectory {
  runs: string[];
  judged: number[];
  relevant: number[];
  handled: number[];
  label?: string;
  method: string;
  base: number[][];
  top: number[][];
  unit: number;
}

interface ScoreRanges {
  base: Float64Array;
  top: Float64Array;
}

/** What the server takes a file for. */
interface FoundFile {
  kind: string;
  words: string;
  certain: boolean;
  first: { name: string; value: string }[];
  noticed?: Noticed[];
  text_field?: string;
  text_fields?: { path: string; value: string }[];
  table?: FoundTable | null;
  topics?: number | null;
  other_grades?: OtherGrades | null;
}

/** Columns of a file, its first rows, and the column of each role; of the roles in one list of `missing`, one is enough. */
interface FoundTable {
  names: string[];
  rows: string[][];
  roles: { role: string; column: string }[];
  missing: string[][];
  refusal: string;
}

/** A file on the set-up page; `place`: where it is to go, "" while that is open. */
interface UploadItem {
  file: File;
  name: string;
  found: FoundFile;
  state: "waiting" | "sending" | "taken" | "refused";
  place: string;
  /** Fields of the form that were chosen in its line. */
  choice: Record<string, string>;
  /** To replace the texts of judged documents, too. */
  replace?: boolean;
}

/** The answer to a file; `status` is 0 where the connection broke, null where it was cancelled. */
interface SentFile {
  status: number | null;
  body: any;
}

interface FileError {
  line?: number | null;
  field?: string;
  detail: string;
  more?: number;
}

/** Qrels with other grades than the campaign's. */
interface OtherGrades {
  grades: { grade: number; suggested: number | null }[];
  scale: number[];
  obstacle?: string;
}

/** A file on the set-up page, with its line. */
interface Upload extends UploadItem {
  report: import("../../../static/campaigns/setup/files/report.js").Report;
}

/** A file, or the head of one, on its way; `progress` is told the share that is sent. */
interface Sending {
  file: Blob;
  name: string;
  fields: Record<string, string | number | boolean>;
  token: string;
  progress?: (share: number) => void;
}

/** What a file holds, as groups of files count it. */
interface Counted {
  found: Pick<FoundFile, "kind" | "words" | "topics">;
}

/** Something unusual in a file that was taken. */
interface Noticed {
  run?: string;
  what: string;
  count?: number;
  detail?: string;
}

/** `say`: what a series is at a point, in words. */
interface ChartOptions {
  domain: [number, number];
  label: string;
  say: (series: Series, at: number) => string;
  ticks: number[];
}

/** What the dashboard knows of its stream; `connected` is null until it has opened or failed. */
interface Live {
  connected: boolean | null;
  stalled: boolean;
  /** When the last message came, in milliseconds of the page. */
  heard: number;
  judgment: number;
  at: number | null;
  status: string | undefined;
  applied?: number;
  silent?: number | null;
}

/** A bar of a run, with how it was moved last. */
interface Bar {
  element: HTMLElement;
  transform?: string;
}

/** A run's row in the picture of a replay. */
interface RunRow {
  item: HTMLElement;
  reach: Bar;
  base: Bar;
  rank: HTMLElement;
  range: HTMLElement;
  may: boolean | null;
}

/** Files being imported, one after the other. */
interface Import {
  total: number;
  done: number;
  cancelled: boolean;
  /** Whether the file at hand is not all sent yet, so that it can be called back. */
  sending: boolean;
  cancel: () => void;
}
