// The axis is always 0 to 1, all that a score can be: pictures of two days or two campaigns compare.

export const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];

export function percent(value) {
  const inside = Math.min(1, Math.max(0, value));
  return `${(100 * inside).toFixed(3)}%`;
}
