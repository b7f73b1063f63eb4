// Which run stands where, and what the intervals already settle. Pure: arrays in, arrays out.

const names = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const byName = (a, b) => names.compare(a.run, b.run) || a.id - b.id;
const byBase = (a, b) => b.base - a.base || b.top - a.top || byName(a, b);

const ORDERS = {
  base: byBase,
  projected: (a, b) => b.projected - a.projected || byBase(a, b),
  residual: (a, b) => b.residual - a.residual || byBase(a, b),
  top: (a, b) => b.top - a.top || byBase(a, b),
  name: byName,
  // Runs without a group come last, not first.
  group: (a, b) => !a.group - !b.group || names.compare(a.group, b.group) || byBase(a, b),
};

export function sorted(runs, key) {
  return [...runs].sort(ORDERS[key] ?? byBase);
}

export function matching(runs, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const said = (run) => `${run.run} ${run.group}`.toLowerCase();
  return runs.filter((run) => words.every((word) => said(run).includes(word)));
}

export function best(runs) {
  return runs.reduce((found, run) => (!found || byBase(run, found) < 0 ? run : found), null);
}

export function canBeBest(run, leader) {
  return run.top >= leader.base;
}

/** Runs other than the leader whose top reaches the leader's base: while there is one, the leader
 * does not stand alone. Nearest first. */
export function rivals(runs) {
  const leader = best(runs);
  return sorted(runs, "base").filter((run) => run !== leader && canBeBest(run, leader));
}

/** Pairs among the k runs of highest base: decided when one's base is above the other's top. */
export function pairsAmongBest(runs, k = 10) {
  const chosen = sorted(runs, "base").slice(0, k);
  const open = [];
  let decided = 0;
  chosen.forEach((upper, i) => {
    for (const lower of chosen.slice(i + 1)) {
      if (upper.base > lower.top) decided += 1;
      else open.push([upper, lower]);
    }
  });
  return { among: chosen.length, decided, open };
}
