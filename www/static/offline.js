// Says when there is a new version of the page, where the reader keeps it offline (share.js registers the service worker).

/** The version that this tab announced last. */
const SAID = "changeover.update-said";

// Only pages with TLS, and those of this machine, have service workers. What is embedded in another page announces nothing.
if (navigator.serviceWorker && window.parent === window) {
  const registration = await navigator.serviceWorker.getRegistration();
  if (registration) watch(registration);
}

function watch(registration) {
  if (registration.waiting) sayUpdate(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing.addEventListener("statechange", () => {
      if (installing.state === "installed" && registration.active) sayUpdate(installing);
    });
  });
}

/** The version of a worker's files. */
function versionOf(worker) {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
    worker.postMessage("version", [port2]);
  });
}

/** Says once that a new version is there. It runs after a reload: the page that runs keeps its own files. */
async function sayUpdate(worker) {
  const version = await versionOf(worker);
  if (sessionStorage.getItem(SAID) === version) return;
  sessionStorage.setItem(SAID, version);
  // A version that is still waiting is no longer the new one.
  document.querySelector(".update")?.remove();
  const notice = document.createElement("p");
  notice.className = "update";
  notice.setAttribute("role", "status");
  document.body.append(notice);
  const [reload, later] = ["Reload", "Later"].map((label) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    return button;
  });
  const text = document.createElement("span");
  notice.append(text, reload, later);
  text.textContent = "A new version is ready.";
  later.addEventListener("click", () => notice.remove());
  reload.addEventListener("click", () => {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    navigator.serviceWorker.addEventListener("message", () => {
      text.textContent = "Close the other tabs of this page first.";
    });
    worker.postMessage("activate");
  });
}
