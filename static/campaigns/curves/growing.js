// Curves that were fetched once go on with what the page hears. Pure: curves and figures in, curves out.

// Sums in another order differ by less.
const SAME = 1e-12;

/** The curves with the runs' present figures as their last point. `figures`: every run that takes part. */
export function grown({ judged, among, runs }, now, figures) {
  // After an undo there are fewer judged documents than before: what came later is let go.
  const kept = judged.findLastIndex((before) => before < now) + 1;
  const known = new Map(figures.map((run) => [run.id, run]));
  const place = (run) => 1 + figures.filter(({ base }) => base - run.base > SAME).length;
  return {
    judged: [...judged.slice(0, kept), now],
    among,
    runs: runs.map((curve) => {
      const run = known.get(curve.id);
      const onward = (values, value) => [...values.slice(0, kept), value];
      return {
        ...curve,
        base: onward(curve.base, run.base),
        top: onward(curve.top, run.top),
        projected: onward(curve.projected, run.residual >= 1 ? null : run.projected),
        place: onward(curve.place, place(run)),
      };
    }),
  };
}
