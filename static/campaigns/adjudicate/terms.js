// Marks the topic’s terms in the document that is decided.
import { markTerms } from "../../assess/terms/marking.js";

for (const decided of document.querySelectorAll(".decided-document")) {
  markTerms(decided.querySelectorAll(".plain-text, h2.tag"), decided.dataset.title ?? "");
}
