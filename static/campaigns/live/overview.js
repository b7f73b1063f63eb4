// The overview's panels: the server writes them, and sends those that changed. What the organiser chose (a filter,
// all runs or the first ones) stays in the address and outlasts every change.

import { around, fieldOf } from "../../site/elements.js";

export class Overview {
  /** @param {HTMLElement} page @param {HTMLFormElement} controls */
  constructor(page, controls) {
    this.page = page;
    this.place = document.getElementById("overview");
    this.filter = fieldOf(controls, "filter");
    this.filter.value = new URLSearchParams(location.search).get("filter") ?? "";
    controls.addEventListener("input", () => this.choose());
    controls.addEventListener("submit", (event) => event.preventDefault());
    this.place.addEventListener("click", (event) => this.toggle(event));
    this.place.addEventListener("keydown", moveAlong);
    this.choose();
  }

  get judged() {
    return this.place.querySelector("#judged")?.textContent;
  }

  /**
   * Of which entry of the log each panel is.
   * @param {Record<string, string>} stamps
   */
  stamp(stamps) {
    for (const [name, words] of Object.entries(stamps)) {
      const stamp = this.slot(name)?.querySelector(".stamp");
      if (stamp && stamp.textContent !== words) stamp.textContent = words;
    }
  }

  /** @param {string} name */
  slot(name) {
    return this.place.querySelector(`[data-panel="${name}"]`);
  }

  /**
   * Newer panels: all of them, or the named one. The focus stays on what it was on.
   * @param {string} html
   * @param {string} [name]
   */
  show(html, name) {
    const focus = document.activeElement?.id;
    const said = this.verdict();
    const scrolled = this.place.querySelector(".pairs-panel .scroll-x")?.scrollLeft ?? 0;
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    replaceChanged(name ? this.slot(name) : this.place, fresh.content);
    if (focus && document.activeElement?.id !== focus) {
      document.getElementById(focus)?.focus({ preventScroll: true });
    }
    const pairs = this.place.querySelector(".pairs-panel .scroll-x");
    if (pairs && scrolled) pairs.scrollLeft = scrolled;
    // Only another verdict is read out.
    if (this.verdict() !== said) document.getElementById("verdict-news").textContent = this.verdict();
    this.sift();
    this.nameToggle();
  }

  verdict() {
    return this.place.querySelector("#verdict")?.textContent ?? "";
  }

  choose() {
    const address = new URL(location.href);
    if (this.filter.value) address.searchParams.set("filter", this.filter.value);
    else address.searchParams.delete("filter");
    for (const name of ["show", "axis"]) {
      const chosen = this.page.dataset[name];
      if (chosen) address.searchParams.set(name, chosen);
      else address.searchParams.delete(name);
    }
    if (address.href !== location.href) history.replaceState(history.state, "", address);
    for (const link of document.querySelectorAll(".scope a")) {
      const topics = new URL(link.href).searchParams.get("topics");
      const other = new URL(address);
      if (topics) other.searchParams.set("topics", topics);
      else other.searchParams.delete("topics");
      link.href = other.href;
    }
    this.sift();
    this.nameToggle();
  }

  /** While a filter is set, it looks through all runs. */
  sift() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.place.dataset.filtered = words.length ? "yes" : "no";
    let shown = 0;
    for (const row of this.place.querySelectorAll(".run")) {
      row.hidden = !words.every((word) => row.dataset.name?.includes(word));
      shown += Number(!row.hidden);
    }
    const nothing = this.place.querySelector("#no-run");
    if (!nothing) return;
    // Where rows are cut, it leads to the table of all.
    const all = nothing.querySelector("a");
    nothing.hidden = all ? words.length === 0 : shown > 0;
    if (all) all.search = String(new URLSearchParams({ words: this.filter.value }));
  }

  /** @param {Event} event */
  toggle(event) {
    const name = around(event, ".show-all") ? "show" : around(event, ".whole-axis") ? "axis" : "";
    if (!name) return;
    event.preventDefault();
    if (this.page.dataset[name]) delete this.page.dataset[name];
    else this.page.dataset[name] = name === "show" ? "all" : "whole";
    this.choose();
  }

  nameToggle() {
    const all = this.place.querySelector(".show-all");
    if (all) all.textContent = (this.page.dataset.show ? all.dataset.less : all.dataset.more) ?? "";
    const axis = this.place.querySelector(".whole-axis");
    if (axis) axis.textContent = (this.page.dataset.axis ? axis.dataset.part : axis.dataset.whole) ?? "";
  }
}

// What is replaced part by part: the rest of them costs nothing to keep.
const PARTED = ".panels, .slot, .ranges, .run-rows";

/**
 * Makes the elements of `old` those of `fresh`. What is equal stays: it is neither styled nor laid out again.
 * @param {Element} old
 * @param {Element | DocumentFragment} fresh
 */
export function replaceChanged(old, fresh) {
  const before = [...old.children];
  const after = [...fresh.children];
  if (before.length !== after.length) {
    old.replaceChildren(...fresh.childNodes);
    return;
  }
  after.forEach((part, place) => {
    const now = before[place];
    if (now.isEqualNode(part)) return;
    if (part.matches(PARTED) && now.className === part.className) replaceChanged(now, part);
    else now.replaceWith(part);
  });
}

/**
 * The arrow keys move along the topics; only one of them is in the order of tabs.
 * @param {KeyboardEvent} event
 */
export function moveAlong(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const link = around(event, ".cell-topics a");
  if (!link || !step) return;
  const links = [...(link.closest(".cell-topics")?.querySelectorAll("a") ?? [])];
  const next = links[links.indexOf(link) + step];
  if (!next) return;
  event.preventDefault();
  link.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

/**
 * The panels where no stream brings them; null if the server does not answer.
 * @param {DOMStringMap} addresses
 */
export async function fetchOverview({ overview, topics }) {
  try {
    const reply = await fetch(`${overview}?topics=${topics}`, { signal: AbortSignal.timeout(8000) });
    return reply.ok ? await reply.text() : null;
  } catch {
    return null;
  }
}
