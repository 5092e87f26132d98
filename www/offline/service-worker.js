// Keeps one whole version of the site for use without a network. `precache.js` lists its files with their hashes, so that a
// version is complete and unmixed, or not installed at all.
importScripts("precache.js");

// Caches belong to the whole origin, which may have several copies of this page, each below a path of its own.
const PREFIX = `changeover ${registration.scope} `;
const CACHE = PREFIX + precache.version;

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
});
addEventListener("message", (event) => {
  if (event.data === "activate") event.waitUntil(takeOver(event.source));
  if (event.data === "version") event.ports[0].postMessage(precache.version);
});

async function install() {
  const cache = await caches.open(CACHE);
  // What the browser has already is only revalidated.
  await cache.addAll(precache.files.map(([file, integrity]) => new Request(file, { cache: "no-cache", integrity })));
}

async function activate() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
  // The page that brought the first worker can go offline at once.
  await clients.claim();
}

/** Other pages that run would lose the files of their version: the new one waits until there are none. */
async function takeOver(page) {
  const windows = await clients.matchAll({ includeUncontrolled: true, type: "window" });
  const pages = windows.filter(({ url }) => url.startsWith(registration.scope));
  if (pages.length === 1) await skipWaiting();
  else page.postMessage("others");
}

async function answer(request) {
  const cache = await caches.open(CACHE);
  const isPage = request.mode === "navigate";
  // A query such as `?embed=quota` doesn't change the document.
  const kept = await cache.match(request, { ignoreSearch: isPage, ignoreVary: true });
  return kept ?? (isPage ? await redirect(cache, request) : undefined) ?? fetch(request);
}

/** Leads to the folder of that name, as servers do. */
async function redirect(cache, { url }) {
  const folder = new URL(url);
  folder.pathname += "/";
  const isKept = await cache.match(folder, { ignoreSearch: true, ignoreVary: true });
  return isKept && Response.redirect(folder);
}
