// Says that main.js can't be loaded: without it, nothing else on the page could.
addEventListener("error", ({ target }) => {
  if (!(target instanceof HTMLScriptElement) || !target.src.endsWith("/main.js")) return;
  const alert = document.createElement("p");
  alert.id = "failure";
  alert.className = "problem";
  alert.setAttribute("role", "alert");
  alert.textContent = "The page does not work: main.js can't be loaded. Reload it.";
  const show = () => document.body.prepend(alert);
  if (document.body) show();
  else addEventListener("DOMContentLoaded", show);
}, true);
