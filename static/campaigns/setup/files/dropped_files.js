// What was dropped or chosen, folders at any depth included, hidden files left out.

const listing = new Intl.Collator(undefined, { numeric: true });

/**
 * The files of a drop, in the order of their names. Must be called while the drop is handled: afterwards the browser
 * shows nothing of it.
 * @param {DataTransfer} transfer
 * @returns {Promise<File[]>}
 */
export function droppedFiles({ items, files }) {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (!entries.some((entry) => entry.isDirectory)) return Promise.resolve([...files]);
  return inside(entries);
}

/** @param {HTMLInputElement} input */
export function chosenFiles(input) {
  /** @param {File} file */
  const shown = (file) => !file.webkitRelativePath.split("/").some((part) => part.startsWith("."));
  return [...(input.files ?? [])].filter(shown).sort((one, other) => listing.compare(pathOf(one), pathOf(other)));
}

// Of dropped files, their entries know the path.
/** @type {WeakMap<File, string>} */
const paths = new WeakMap();

/** @param {File} file */
export const pathOf = (file) => file.webkitRelativePath || (paths.get(file) ?? file.name);

/** @param {FileSystemEntry} entry @returns {entry is FileSystemDirectoryEntry} */
const isFolder = (entry) => entry.isDirectory;

/** @param {FileSystemEntry[]} entries @returns {Promise<File[]>} */
async function inside(entries) {
  const shown = entries.filter((entry) => !entry.name.startsWith("."));
  const found = await Promise.all(shown.map((entry) => (isFolder(entry) ? inFolder(entry) : fileOf(/** @type {FileSystemFileEntry} */ (entry)))));
  return found.flat();
}

/** @param {FileSystemDirectoryEntry} folder */
async function inFolder(folder) {
  const reader = folder.createReader();
  const entries = [];
  // A reader gives a hundred at a time, and nothing at the end.
  for (let some = await nextEntries(reader); some.length; some = await nextEntries(reader)) entries.push(...some);
  return inside(entries.sort((one, other) => listing.compare(one.name, other.name)));
}

/** @param {FileSystemDirectoryReader} reader @returns {Promise<FileSystemEntry[]>} */
function nextEntries(reader) {
  return new Promise((resolve, reject) => {
    reader.readEntries(resolve, reject);
  });
}

/** @param {FileSystemFileEntry} entry @returns {Promise<File>} */
function fileOf(entry) {
  return new Promise((resolve, reject) => {
    entry.file((file) => {
      paths.set(file, entry.fullPath.replace(/^\//, ""));
      resolve(file);
    }, reject);
  });
}
