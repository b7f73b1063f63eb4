// The person who sees the sign-in page has signed out, or another person is about to sign in: pages, documents and
// notes kept for reading without a network go. What is not sent yet stays, each under its assessor.
import { Store } from "./store.js";

for (const name of (await globalThis.caches?.keys()) ?? []) {
  if (name.startsWith("pages-")) await caches.delete(name);
}
const store = await Store.open();
await store.clear("documents");
await store.clear("screens");
try {
  for (const name of Object.keys(localStorage)) if (name.startsWith("annotations:")) localStorage.removeItem(name);
} catch {
  // without the storage there are no notes in it
}
