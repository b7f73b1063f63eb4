// The campaign's figures as this page knows them: loaded whole, then changed run by run.

export function projected(base, residual) {
  return residual >= 1 ? 1 : Math.min(1, base / (1 - residual));
}

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
    for (const [id, base, residual] of runs) {
      const run = this.runs.get(id);
      if (!run) return false;
      const top = base + residual;
      this.runs.set(id, { ...run, base, residual, top, projected: projected(base, residual), as_of });
    }
    return true;
  }

  list() {
    return [...this.runs.values()];
  }
}
