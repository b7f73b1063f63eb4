// The section of the help that a label leads to, in a popover beside it. Without scripts the link opens the page.

const MOST_BLOCKS = 4;
/** @type {Map<string, Promise<Document>>} */
const pages = new Map();

/** @param {string} address */
async function read(address) {
  const reply = await fetch(address);
  if (!reply.ok) throw new Error(address);
  return new DOMParser().parseFromString(await reply.text(), "text/html");
}

/** @param {string} address */
function pageAt(address) {
  const page = pages.get(address) ?? read(address);
  pages.set(address, page);
  page.catch(() => pages.delete(address));
  return page;
}

/**
 * The heading's words and the first blocks below it.
 * @param {Document} page
 * @param {string} anchor
 */
export function sectionOf(page, anchor) {
  const heading = (anchor && page.getElementById(anchor)) || page.querySelector(".help h1");
  const blocks = [];
  let next = heading?.nextElementSibling;
  while (next && !next.matches("h1, h2, h3, details") && blocks.length < MOST_BLOCKS) {
    // Pictures come later than their place is chosen.
    if (!next.matches("img, picture") && !next.querySelector("img")) blocks.push(next);
    next = next.nextElementSibling;
  }
  return { title: heading?.textContent ?? "", blocks };
}

function popover() {
  const known = document.getElementById("help-popover");
  if (known) return known;
  const made = document.createElement("div");
  made.id = "help-popover";
  made.className = "help help-popover";
  made.popover = "auto";
  made.lang = "en";
  document.body.append(made);
  return made;
}

/** @param {HTMLElement} box @param {Element} mark */
function placeBeside(box, mark) {
  const { left, top, bottom } = mark.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const below = bottom + 8 + height < innerHeight || top < height + 8;
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  box.style.top = `${Math.max(8, below ? Math.min(bottom + 8, innerHeight - height - 8) : top - height - 8)}px`;
}

/** @param {HTMLAnchorElement} mark */
async function show(mark) {
  const { pathname, hash } = new URL(mark.href);
  const { title, blocks } = sectionOf(await pageAt(pathname), decodeURIComponent(hash.slice(1)));
  // Only now: a page that is left before it was whole has no words to read.
  const { gettext } = await import("../../site/words.js");
  const box = popover();
  const name = document.createElement("strong");
  name.textContent = title;
  const more = document.createElement("a");
  more.href = mark.href;
  more.textContent = gettext("Open the help page");
  const last = document.createElement("p");
  last.append(more);
  box.replaceChildren(name, ...blocks.map((block) => document.importNode(block, true)), last);
  for (const named of box.querySelectorAll("[id]")) named.removeAttribute("id");
  box.showPopover();
  placeBeside(box, mark);
  more.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const mark = event.target.closest(".help-mark");
  if (!(mark instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  show(mark).catch(() => location.assign(mark.href));
});
