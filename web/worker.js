/**
 * The page without the hub: its own files are kept by the browser, so that it opens at once and says that the hub cannot be
 * reached. Nothing of the API is kept: what an agent wrote is only shown as it is.
 */
const shell = "restante-shell";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(shell).then((cache) => cache.add("/")));
  self.skipWaiting();
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

const isAsset = (url) => url.pathname.startsWith("/assets/");

async function fresh(request, key) {
  const cache = await caches.open(shell);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(key, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(key);
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (request.mode === "navigate" && !/^\/(api|docs|mcp)\b/.test(url.pathname))
    event.respondWith(fresh(request, "/"));
  else if (isAsset(url)) event.respondWith(fresh(request, request));
});

/** [U15] What needs the person, told while no window may be open. The same entry is one notification. */
self.addEventListener("push", (event) => {
  const { title, body, id } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, tag: id, data: { id } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = `/inbox/${event.notification.data.id}`;
  const open = async () => {
    const [window] = await self.clients.matchAll({ type: "window" });
    if (!window) return self.clients.openWindow(address);
    await window.focus();
    return window.navigate(address);
  };
  event.waitUntil(open());
});
