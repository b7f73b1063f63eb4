import { Meanwhile } from "../live/meanwhile.js";
import { showEffects } from "./effects.js";
import { addGrades } from "./grades.js";
import { followPersistence } from "./persistence.js";

showEffects(document.getElementById("settings"), document.getElementById("effects"));
followPersistence(document);
addGrades(document.getElementById("grade-rows"), document.getElementById("add-grade"));
new Meanwhile().listen();
