// The axis is always 0 to 1, all that a score can be: pictures of two days or two campaigns compare.

export const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];

export function percent(value) {
  const inside = Math.min(1, Math.max(0, value));
  return `${(100 * inside).toFixed(3)}%`;
}

/** How many decimals an interval so wide supports: one more than its first significant digit. */
export function decimals(residual) {
  if (!(residual > 0)) return 4;
  return Math.min(4, Math.max(2, Math.ceil(-Math.log10(residual)) + 1));
}

/** The decimals that a column of many intervals shares, so that its figures align. */
export function sharedDecimals(runs) {
  const residuals = runs.map((run) => run.residual).sort((a, b) => a - b);
  return decimals(residuals[Math.floor(residuals.length / 2)] ?? 1);
}

