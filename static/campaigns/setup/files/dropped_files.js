// What was dropped or chosen, folders at any depth included, hidden files left out.

const listing = new Intl.Collator(undefined, { numeric: true });

/** The files of a drop, in the order of their names. Must be called while the drop is handled: afterwards the browser
    shows nothing of it. */
export function droppedFiles({ items, files }) {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return Promise.resolve([...files]);
  return inside(entries);
}

export function chosenFiles(input) {
  const shown = (file) => !file.webkitRelativePath.split("/").some((part) => part.startsWith("."));
  return [...input.files].filter(shown).sort((one, other) => listing.compare(pathOf(one), pathOf(other)));
}

export const pathOf = (file) => file.webkitRelativePath || file.name;

async function inside(entries) {
  const shown = entries.filter((entry) => !entry.name.startsWith("."));
  const found = await Promise.all(shown.map((entry) => (entry.isDirectory ? inFolder(entry) : fileOf(entry))));
  return found.flat();
}

async function inFolder(folder) {
  const reader = folder.createReader();
  const entries = [];
  // A reader gives a hundred at a time, and nothing at the end.
  for (let some = await nextEntries(reader); some.length; some = await nextEntries(reader)) entries.push(...some);
  return inside(entries.sort((one, other) => listing.compare(one.name, other.name)));
}

function nextEntries(reader) {
  return new Promise((resolve, reject) => {
    reader.readEntries(resolve, reject);
  });
}

function fileOf(entry) {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}
