// Numbers as people read them, in the page's language, rounded by the rule of `campaigns/core/decimals.py`,
// where it is stated. A test sends many floats through both.

export const language = globalThis.document?.documentElement.lang || "en";

const SCORE_DIGITS = 3;
const NOISE = 1e-12;
const STEP = 10 ** -SCORE_DIGITS;

/**
 * The nearest number with so many digits after the point; of two that are equally near, the even one.
 * @param {number} value
 * @param {number} digits
 */
export function nearest(value, digits) {
  // Only odd multiples of 2^-(digits + 1) lie exactly between two numbers. There `toFixed` rounds away from 0.
  const between = Math.abs(value * 2 ** (digits + 1)) % 2 === 1;
  const rounded = between ? (2 * Math.round((value * 10 ** digits) / 2)) / 10 ** digits : Number(value.toFixed(digits));
  // Without the sign that 0 may have.
  return rounded + 0;
}

/**
 * A dash where nothing is known; `least`: so many digits stay even if they are zeros.
 * @param {number | null} value
 * @param {number} [digits]
 * @param {number} [least]
 */
export function number(value, digits = 0, least = digits) {
  if (value === null || Number.isNaN(value)) return "–";
  const text = nearest(value, digits).toLocaleString(language, { minimumFractionDigits: least, maximumFractionDigits: digits });
  return text.replace("-", "−");
}

/** @param {number | null} value */
export function score(value) {
  return number(value, SCORE_DIGITS);
}

/** @param {number} value */
export function base(value) {
  return score(roundedDown(value));
}

/** @param {number} value */
export function top(value) {
  return score(-roundedDown(-value));
}

/** @param {number} value */
function roundedDown(value) {
  const near = nearest(value, SCORE_DIGITS);
  return near - value > NOISE ? near - STEP : near;
}

/**
 * Of a p-value, or of a residual that is not 0.
 * @param {number} value
 */
export function small(value) {
  return value < STEP ? `< ${score(STEP)}` : score(value);
}

/**
 * Without the sign: 97.3 of 0.973, and never 100 while a part is missing.
 * @param {number} share
 */
export function percentage(share) {
  return number(Math.min(100 * share, share >= 1 ? 100 : 99.9), 1, 0);
}
