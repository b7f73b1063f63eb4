// A bundle dropped anywhere on the page becomes a campaign; the server says what is wrong with any other file.

const form = document.querySelector("form[data-bundle]");

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer?.files ?? [];
  if (!file) return;
  const one = new DataTransfer();
  one.items.add(file);
  /** @type {HTMLInputElement} */ (form.elements.namedItem("file")).files = one.files;
  form.submit();
});
