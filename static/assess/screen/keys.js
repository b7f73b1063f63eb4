// The keyboard. Keys never fire while somebody types, with a modifier held, in a dialog, by repeat, or where they
// are switched off.

const TYPED_INTO = "input, textarea, select, [contenteditable]";

function isTyping(target) {
  return target instanceof Element && target.closest(TYPED_INTO) !== null;
}

// On keyboards where digits need Shift, the unshifted key in the digit's place means the digit.
function names(event) {
  const digit = event.code.match(/^(?:Digit|Numpad)(\d)$/)?.[1];
  return [event.key, event.key.toLowerCase(), digit].filter(Boolean);
}

export function onKeys(actions) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.isComposing) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (document.body.classList.contains("no-keys")) return;
    const name = names(event).find((candidate) => actions.has(candidate));
    if (!name) return;
    event.preventDefault();
    actions.get(name)();
  });
}

// A grade's own key comes before everything; n, r and h are second names for the lowest grade, the first
// relevant one and the highest.
export function keyMap({ grades, judge, commands }) {
  const actions = new Map(Object.entries(commands));
  const relevant = grades.filter((grade) => grade.relevant);
  const second = { n: grades[0], r: relevant[0], h: relevant.length > 1 ? relevant.at(-1) : undefined };
  for (const [key, grade] of Object.entries(second)) {
    if (grade && !actions.has(key)) actions.set(key, () => judge(grade.grade));
  }
  for (const { key, grade } of grades) actions.set(key.toLowerCase(), () => judge(grade));
  return actions;
}
