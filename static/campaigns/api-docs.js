// The description of the API has a dark theme of its own, by a class; theme.js has said which theme is chosen.
const dark = matchMedia("(prefers-color-scheme: dark)");
const { classList, dataset } = document.documentElement;

function follow() {
  classList.toggle("dark-mode", dataset.theme ? dataset.theme === "dark" : dark.matches);
}

follow();
dark.addEventListener("change", follow);
