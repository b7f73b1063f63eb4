// A new campaign's address, proposed from its name.

const at = (id) => document.getElementById(id);

/** As the server makes it; only a proposal, until the organiser writes their own. */
function slugify(name) {
  const plain = name.normalize("NFKD").replace(/[^\w\s-]/g, "").trim().toLowerCase();
  return plain.replace(/[-\s]+/g, "-").slice(0, 80);
}

const slug = at("slug");
let own = slug.value !== "" && slug.value !== slugify(at("name").value);
const propose = () => {
  if (!own) slug.value = slugify(at("name").value);
};
slug.addEventListener("input", () => (own = slug.value !== ""));
at("name").addEventListener("input", propose);
// Words may have been typed before this script came.
propose();
