// A new campaign's address, proposed from its name.

/**
 * As the server makes it; only a proposal, until the organiser writes their own.
 * @param {string} name
 */
function slugify(name) {
  const plain = name.normalize("NFKD").replace(/[^\w\s-]/g, "").trim().toLowerCase();
  return plain.replace(/[-\s]+/g, "-").slice(0, 80);
}

const slug = document.getElementById("slug");
const nameField = document.getElementById("name");
let own = slug.value !== "" && slug.value !== slugify(nameField.value);
const propose = () => {
  if (!own) slug.value = slugify(nameField.value);
};
slug.addEventListener("input", () => (own = slug.value !== ""));
nameField.addEventListener("input", propose);
// Words may have been typed before this script came.
propose();
