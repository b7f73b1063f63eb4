// Answers for the judging screen when the server cannot be reached. Two constants are put before this when it is
// served: VERSION, a hash of the screen's files, and FILES, their addresses.
/* global VERSION, FILES */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (globalThis));
const STATIC = `files-${VERSION}`;
const PAGES = "pages-";
const KEEPER = "X-Kept-For"; // on pages that may be kept: for whom
const FILES_OF = "X-Files"; // on the same pages: the version of the files they were made for
const PATIENCE = 6000;

let outdated = false; // the server has newer files than this worker

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));
worker.addEventListener("message", (event) => event.waitUntil(fetch(event.data.keep).then((reply) => keep(event.data.keep, reply))));

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(request, event));
  else if (FILES.includes(pathname)) event.respondWith(file(request));
  else if (pathname.includes("/stemmers/")) event.respondWith(stemmer(request));
});

async function install() {
  const files = await caches.open(STATIC);
  await files.addAll(FILES.map((path) => new Request(path, { cache: "reload" })));
  await renew();
  await worker.skipWaiting();
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith("files-") && name !== STATIC) await caches.delete(name);
  }
  await worker.clients.claim();
}

// Pages that were kept beside older files are fetched again: these files may not fit them.
async function renew() {
  for (const name of (await caches.keys()).filter((each) => each.startsWith(PAGES))) {
    for (const { url } of await (await caches.open(name)).keys()) {
      await fetch(url).then((reply) => keep(url, reply)).catch(() => {});
    }
  }
}

// The network's page if there is one soon; else the one that was kept.
/** @param {Request} request @param {FetchEvent} event @returns {Promise<Response>} */
async function page(request, event) {
  const fresh = fetch(request).then((reply) => {
    outdated = reply.headers.get(FILES_OF) !== null && reply.headers.get(FILES_OF) !== VERSION;
    event.waitUntil(keep(request.url, reply.clone()));
    return reply;
  });
  event.waitUntil(fresh.catch(() => null));
  const late = new Promise((done) => {
    setTimeout(done, PATIENCE, null);
  });
  const first = await Promise.race([fresh.catch(() => null), late]);
  return first ?? (await kept(request.url)) ?? (await guide(request)) ?? fresh;
}

// Of one person only: the one before has left.
/** @param {string} address @param {Response} reply */
async function keep(address, reply) {
  const person = reply.headers.get(KEEPER);
  if (!reply.ok || reply.redirected || person === null) return;
  for (const name of await caches.keys()) {
    if (name.startsWith(PAGES) && name !== PAGES + person) await caches.delete(name);
  }
  await (await caches.open(PAGES + person)).put(address, reply);
}

// Marked, so that its scripts know that it may be old.
/** @param {string} address */
async function kept(address) {
  for (const name of (await caches.keys()).filter((each) => each.startsWith(PAGES))) {
    const reply = await (await caches.open(name)).match(address, { ignoreVary: true });
    if (!reply) continue;
    const headers = new Headers(reply.headers);
    headers.delete("Content-Encoding");
    headers.delete("Content-Length");
    return new Response((await reply.text()).replace("<html", "<html data-kept"), { headers });
  }
  return null;
}

// The assessor's guide is stored with the files: it is the same page for all.
/** @param {Request} request */
async function guide(request) {
  return (await caches.open(STATIC)).match(request, { ignoreVary: true, ignoreSearch: true });
}

// Of one language, kept by the page that uses it; all of them would be many times the screen’s files.
/** @param {Request} request */
async function stemmer(request) {
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}

/** @param {Request} request */
async function file(request) {
  const files = await caches.open(STATIC);
  const known = await files.match(request, { ignoreVary: true, ignoreSearch: true });
  if (known && !outdated) return known;
  try {
    return await fetch(request);
  } catch (error) {
    if (known) return known;
    throw error;
  }
}
