// One step is open at a time. The server stores which, so that a draft opens there the next time.

const CONTROLS = "input:not([type=hidden]), select, textarea, [tabindex]";

/**
 * Show a field, or the messages of a form, wherever it is folded in.
 * @param {HTMLElement} target
 */
function reveal(target) {
  for (let fold = target.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
  const control = target.matches(CONTROLS)
    ? target
    : target.querySelector("input:checked") ?? target.querySelector(CONTROLS);
  // Once the step that was open has closed, what is below has moved up.
  requestAnimationFrame(() => {
    control?.focus({ preventScroll: true });
    (control?.closest(".field") ?? target).scrollIntoView({ block: "center" });
  });
}

export class Steps {
  /** @param {HTMLElement} list @param {string | undefined} token */
  constructor(list, token) {
    this.list = list;
    this.token = token ?? "";
    this.stored = "";
    this.steps = [...list.querySelectorAll("details.step")];
    for (const step of this.steps) step.addEventListener("toggle", () => step.open && this.opened(step));
    addEventListener("hashchange", () => this.followAddress());
    this.followAddress();
  }

  /** #runs opens the step of that name; the address of anything inside one leads there and focuses it. */
  followAddress() {
    const id = location.hash.slice(1);
    const target = id && document.getElementById(id);
    const step = target && target.closest("details.step");
    if (!step) return;
    if (target === step) this.open(id);
    else reveal(target);
  }

  /** @param {string | undefined} name @param {{ focus?: boolean }} [how] */
  open(name, { focus = false } = {}) {
    const step = this.steps.find((one) => one.id === name);
    if (!step) return;
    step.open = true;
    const summary = step.querySelector("summary");
    if (focus) summary.focus({ preventScroll: true });
    // Once the step that was open has closed, what is below has moved up.
    requestAnimationFrame(() => summary.scrollIntoView({ block: "start" }));
  }

  /** @param {HTMLDetailsElement} step */
  opened(step) {
    // Browsers that do not know groups of details leave the others open.
    for (const other of this.steps) if (other !== step) other.open = false;
    this.tell(step.id);
  }

  /** @param {string} name */
  tell(name) {
    const { at } = this.list.dataset;
    if (!at || this.stored === name) return;
    this.stored = name;
    const body = new URLSearchParams({ step: name });
    // It matters little if this is lost.
    fetch(at, { method: "POST", body, headers: { "X-CSRFToken": this.token }, keepalive: true }).catch(() => {});
  }
}
