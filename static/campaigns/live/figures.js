// The campaign's figures as this page knows them: loaded whole, then changed run by run.

export class Figures {
  constructor(intervals) {
    this.asOf = -1;
    this.replace(intervals);
  }

  /** A whole reading. Of one that is older than what the stream brought meanwhile, only which runs are gone. */
  replace(intervals) {
    if (intervals.as_of < this.asOf) {
      const there = new Set(intervals.runs.map((run) => run.id));
      for (const id of this.runs.keys()) if (!there.has(id)) this.runs.delete(id);
      return;
    }
    this.asOf = intervals.as_of;
    this.judged = intervals.judged;
    this.relevant = intervals.relevant;
    this.runs = new Map(intervals.runs.map((run) => [run.id, run]));
  }

  /** One event's changed runs; false if it names a run that this page has never heard of. */
  merge({ as_of, judged, relevant, runs }) {
    if (as_of < this.asOf) return true;
    this.asOf = as_of;
    this.judged = judged;
    this.relevant = relevant;
    for (const [id, base, residual, projected] of runs) {
      const run = this.runs.get(id);
      if (!run) return false;
      this.runs.set(id, { ...run, base, residual, top: base + residual, projected, as_of });
    }
    return true;
  }

  list() {
    return [...this.runs.values()];
  }
}
