import { showEffects } from "./effects.js";
import { addGrades } from "./grades.js";
import { readerPicture, readerWords } from "./reader.js";

const at = (id) => document.getElementById(id);

function followPersistence() {
  const { picture, show } = readerPicture();
  at("reader-picture").append(picture);
  const update = () => {
    const p = Number(at("p").value);
    const drawable = p > 0 && p < 1;
    at("reader").hidden = !drawable;
    if (!drawable) return;
    at("p-slider").value = p;
    show(p);
    at("reader-words").textContent = readerWords(p);
  };
  at("p").addEventListener("input", update);
  at("p-slider").addEventListener("input", () => {
    at("p").value = at("p-slider").value;
    update();
  });
  at("p-slider").hidden = false;
  update();
}

/** As the server makes it; only a proposal, until somebody writes their own. */
function slugify(name) {
  const plain = name.normalize("NFKD").replace(/[^\w\s-]/g, "").trim().toLowerCase();
  return plain.replace(/[-\s]+/g, "-").slice(0, 80);
}

function proposeAddress() {
  const slug = at("slug");
  if (!slug) return;
  let own = slug.value !== "" && slug.value !== slugify(at("name").value);
  const propose = () => {
    if (!own) slug.value = slugify(at("name").value);
  };
  slug.addEventListener("input", () => (own = slug.value !== ""));
  at("name").addEventListener("input", propose);
  // Somebody may have typed before this script came.
  propose();
}

showEffects(at("settings"), at("effects"));
followPersistence();
proposeAddress();
addGrades(at("grade-rows"), at("add-grade"));
