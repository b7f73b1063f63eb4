// Runs before the first paint, so that a chosen theme never flashes in the other one.
(() => {
  const order = ["auto", "light", "dark"];
  const root = document.documentElement;

  function chosen() {
    try {
      const kept = localStorage.getItem("theme") ?? "";
      return order.includes(kept) ? kept : "auto";
    } catch {
      return "auto"; // storage may be forbidden; the page follows the system then
    }
  }

  /** @param {string} theme */
  function apply(theme) {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
  }

  // The page's own words for each theme come with the button.
  /** @param {HTMLElement} button */
  function label(button) {
    button.textContent = button.dataset[chosen()] ?? "";
  }

  apply(chosen());

  document.addEventListener("DOMContentLoaded", () => {
    const buttons = document.querySelectorAll("[data-theme-switch]");
    for (const button of buttons) {
      button.hidden = false;
      label(button);
      button.addEventListener("click", () => {
        const next = order[(order.indexOf(chosen()) + 1) % order.length];
        try {
          localStorage.setItem("theme", next);
        } catch {
          return;
        }
        apply(next);
        buttons.forEach(label);
      });
    }
  });

  // Another tab changed it.
  addEventListener("storage", (event) => {
    if (event.key === "theme") apply(chosen());
  });
})();
