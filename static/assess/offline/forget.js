// The person who sees the sign-in page has signed out, or another person is about to sign in: pages and documents kept
// for reading without a network go. Judgments that are not sent yet stay, each under its assessor.
import { Store } from "./store.js";

for (const name of (await globalThis.caches?.keys()) ?? []) {
  if (name.startsWith("pages-")) await caches.delete(name);
}
const store = await Store.open();
await store.clear("documents");
await store.clear("screens");
