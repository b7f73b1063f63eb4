// The assessor’s controls: keys, letter size, line length.
import { byId } from "../../../site/elements.js";

const TYPED_INTO = "input, textarea, select, [contenteditable]";
const SIZES = ["small", "normal", "large", "larger", "largest"];
const USUAL = { size: "normal", width: "normal", keys: true };

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof Element && target.closest(TYPED_INTO) !== null;
}

// On keyboards where digits need Shift, the unshifted key in the digit's place means the digit.
/** @param {KeyboardEvent} event */
function names(event) {
  const digit = event.code.match(/^(?:Digit|Numpad)(\d)$/)?.[1];
  return [event.key, event.key.toLowerCase(), digit].filter(Boolean);
}

// Keys never fire while one types, with a modifier held, in a dialog, by repeat, or where they are switched off.
/** @param {Map<string, () => void>} actions */
export function onKeys(actions) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.isComposing) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (document.body.classList.contains("no-keys")) return;
    const action = names(event).map((name) => actions.get(name ?? "")).find(Boolean);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

// Esc closes what is open first: a dialog, a card, the field one types into, the panel one reads.
/** @param {() => void} act */
export function onEscape(act) {
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || isTyping(event.target)) return;
    if (event.target instanceof Element && event.target.closest(".guidelines-panel")) return;
    if (!document.querySelector("dialog[open], :popover-open")) act();
  }, { capture: true });
}

// A grade's own key comes before everything; r and h are second names for the first relevant grade and the highest.
/**
 * @param {{ grades: Grade[], judge: (grade: number) => void, commands: Record<string, () => void> }} keys
 * @returns {Map<string, () => void>}
 */
export function keyMap({ grades, judge, commands }) {
  const actions = new Map(Object.entries(commands));
  const relevant = grades.filter((grade) => grade.relevant);
  const second = { r: relevant[0], h: relevant.length > 1 ? relevant.at(-1) : undefined };
  for (const [key, grade] of Object.entries(second)) {
    if (grade && !actions.has(key)) actions.set(key, () => judge(grade.grade));
  }
  for (const { key, grade } of grades) actions.set(key.toLowerCase(), () => judge(grade));
  return actions;
}

function kept() {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem("reading") ?? "{}") };
  } catch {
    return { ...USUAL };
  }
}

/** @param {object} choice */
function keep(choice) {
  try {
    localStorage.setItem("reading", JSON.stringify(choice));
  } catch {
    // it holds until the page is left
  }
}

// How one reads and judges, kept in the browser: size of the letters, length of the lines, and whether single
// keys judge (who dictates, or trembles, may want none that act by themselves).
export function readingControls() {
  const paper = byId("paper");
  const choice = kept();
  const apply = () => {
    paper.dataset.size = choice.size;
    paper.dataset.width = choice.width;
    const place = SIZES.indexOf(choice.size);
    byId("smaller").disabled = place <= 0;
    byId("larger").disabled = place === SIZES.length - 1;
    for (const radio of document.querySelectorAll("[name=width]")) radio.checked = radio.value === choice.width;
    document.body.classList.toggle("no-keys", !choice.keys);
    byId("single-keys").checked = choice.keys;
    keep(choice);
  };
  /** @param {number} by */
  const step = (by) => {
    choice.size = SIZES[SIZES.indexOf(choice.size) + by] ?? choice.size;
    apply();
  };
  byId("smaller").addEventListener("click", () => step(-1));
  byId("larger").addEventListener("click", () => step(1));
  for (const radio of document.querySelectorAll("[name=width]")) {
    radio.addEventListener("change", () => {
      choice.width = radio.value;
      apply();
    });
  }
  byId("single-keys").addEventListener("change", () => {
    choice.keys = byId("single-keys").checked;
    apply();
  });
  apply();
}
