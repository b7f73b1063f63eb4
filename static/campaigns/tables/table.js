// Tables as tools. Rows are selected by their boxes, with Shift up to another one, or by x; the bar above acts on all that
// are. Keys: / filters, arrows move between rows, Enter opens, Esc clears. Without this script the boxes, the bar and the
// filter are plain forms.

const TYPING = "input:not([type=checkbox]), select, textarea, [contenteditable]";

import { around } from "../../site/elements.js";

class RowTable {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.selected = new Set();
    this.last = null;
    root.addEventListener("change", (event) => this.changed(event));
    root.addEventListener("click", (event) => this.extend(event));
    // What the server sent again knows nothing of what is selected here. Before a key can select one of its rows.
    root.addEventListener("htmx:afterSwap", () => this.restore());
    this.read();
  }

  /** Looked up each time: what the server sends again may hold it. */
  get bar() {
    return this.root.querySelector("[data-selection]");
  }

  boxes() {
    return [...this.root.querySelectorAll("[data-row]")];
  }

  rows() {
    return [...this.root.querySelectorAll("tbody tr")].filter((row) => link(row));
  }

  read() {
    this.selected = new Set(this.boxes().filter((box) => box.checked).map((box) => box.value));
    this.show();
  }

  restore() {
    for (const box of this.boxes()) box.checked = this.selected.has(box.value);
    this.read();
  }

  /** @param {Event} event */
  changed(event) {
    const all = around(event, "input[data-all]");
    if (all) this.set(this.boxes(), all.checked);
    else if (around(event, "[data-row]")) this.read();
  }

  /** @param {MouseEvent} event */
  extend(event) {
    const box = around(event, "[data-row]");
    if (!box) return;
    const boxes = this.boxes();
    const from = boxes.findIndex((each) => each.value === this.last);
    if (event.shiftKey && from >= 0) {
      const ends = [from, boxes.indexOf(box)].sort((one, other) => one - other);
      this.set(boxes.slice(ends[0], ends[1] + 1), box.checked);
    }
    this.last = box.value;
  }

  /** @param {HTMLInputElement[]} boxes @param {boolean} checked */
  set(boxes, checked) {
    for (const box of boxes) box.checked = checked;
    this.read();
  }

  show() {
    const boxes = this.boxes();
    const all = this.root.querySelector("input[data-all]");
    if (all) {
      all.hidden = false;
      all.checked = boxes.length > 0 && this.selected.size === boxes.length;
      all.indeterminate = this.selected.size > 0 && !all.checked;
    }
    if (!this.bar) return;
    this.bar.hidden = this.selected.size === 0;
    const count = this.bar.querySelector("[data-count]");
    count.textContent = (count.dataset.count ?? "").replace("{count}", String(this.selected.size));
    const amounts = this.bar.querySelector("[data-amounts]");
    if (amounts) amounts.textContent = (amounts.dataset.amounts ?? "").replace("{count}", this.amount().toLocaleString());
  }

  amount() {
    const checked = this.boxes().filter((box) => box.checked);
    return checked.reduce((sum, box) => sum + Number(box.dataset.amount ?? 0), 0);
  }

  /** @param {number} by */
  move(by) {
    const rows = this.rows();
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by;
    link(rows[next])?.focus();
  }

  toggle() {
    const box = document.activeElement?.closest("tr")?.querySelector("[data-row]");
    if (!box) return false;
    box.click();
    return true;
  }

  clear() {
    if (!this.selected.size) return false;
    this.set(this.boxes(), false);
    return true;
  }

  filter() {
    const field = this.root.querySelector("input[type=search]");
    field?.focus();
    field?.select();
    return Boolean(field);
  }
}

/** @param {Element | undefined} row */
const link = (row) => row?.querySelector("th a");
const tables = [...document.querySelectorAll("[data-table]")].map((root) => new RowTable(root));

/** The table with the focus, or the page's first. */
const current = () => tables.find(({ root }) => root.contains(document.activeElement)) ?? tables[0];

/** @param {{ except?: Element | null, back?: boolean }} [how] */
function closeMenu({ except = null, back = false } = {}) {
  const open = [...document.querySelectorAll("details.drop[open]")].filter((menu) => menu !== except);
  for (const menu of open) {
    menu.open = false;
    if (back) menu.querySelector("summary").focus();
  }
  return open.length > 0;
}

/** @param {string} key @param {RowTable} table */
function act(key, table) {
  switch (key) {
    case "/":
      return table.filter();
    case "x":
      return table.toggle();
    case "ArrowDown":
    case "ArrowUp":
      table.move(key === "ArrowDown" ? 1 : -1);
      return true;
    case "Escape":
      return table.clear();
    default:
      return false;
  }
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !tables.length) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Escape" && closeMenu({ back: true })) return;
  if (event.target instanceof HTMLElement && event.target.matches(TYPING)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (around(event, "details[open]")) return;
  if (act(event.key, current())) event.preventDefault();
});

addEventListener("click", (event) => closeMenu({ except: around(event, "details.drop") }));
// A page out of the browser's memory has its boxes as they were.
addEventListener("pageshow", () => tables.forEach((table) => table.read()));
