// For `make dev`, in place of the service worker: if an earlier visit of this address has one, it goes, and the files come
// from the developer's server again.
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(leave()));

async function leave() {
  await registration.unregister();
  for (const name of await caches.keys()) await caches.delete(name);
  for (const page of await clients.matchAll({ type: "window" })) page.navigate(page.url);
}
