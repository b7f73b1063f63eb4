// Tabs that do not fit go into a menu at their end; the one of this page always stays in sight. Without this
// script they scroll sideways.

const tabs = document.querySelector(".tabs");
const more = tabs.querySelector(".more");
const list = more.querySelector(".more-list");
const all = [...tabs.querySelectorAll(":scope > a")];
const movable = all.filter((tab) => !tab.hasAttribute("aria-current")).reverse();

function fit() {
  const focused = document.activeElement;
  tabs.classList.remove("fitted");
  more.hidden = true;
  more.before(...all);
  if (overflows()) {
    more.hidden = false;
    for (const tab of movable) {
      list.prepend(tab);
      if (!overflows()) break;
    }
  }
  tabs.classList.add("fitted");
  // Moving a tab takes the focus from it.
  if (all.includes(focused)) focused.focus();
}

const overflows = () => tabs.scrollWidth > tabs.clientWidth;

function close({ back = false } = {}) {
  if (!more.open) return;
  more.open = false;
  if (back) more.querySelector("summary").focus();
}

let width = 0;
new ResizeObserver(([{ contentRect }]) => {
  // Only another width is a reason: tabs that move change the rest.
  if (contentRect.width === width) return;
  width = contentRect.width;
  fit();
}).observe(tabs);

more.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close({ back: true });
});
more.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !more.contains(relatedTarget) && close());
addEventListener("click", ({ target }) => more.contains(target) || close());
