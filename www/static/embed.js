// Starts the page `embed/`, which shows rollouts. Each story has a document of its own, `embed/NAME/`, which contains its picture, so
// the address of a story leads there.
const STATE = "#state=";

/** The name of the story in the state of the address; undefined if there is none. If the state can't be read, the app says why. */
async function storyOfState() {
  if (!location.hash.startsWith(STATE)) return undefined;
  try {
    const { unpack } = await import("./share.js");
    return JSON.parse(await unpack(location.hash.slice(STATE.length))).story?.name;
  } catch {
    return undefined;
  }
}

/** Says that there is no such story. */
function sayUnknown(name) {
  const problem = document.createElement("p");
  problem.className = "problem";
  problem.textContent = `There is no story “${name}”.`;
  document.querySelector("main").replaceChildren(problem);
}

const stories = document.getElementById("app").dataset.stories.split(" ");
const name = (await storyOfState()) ?? new URLSearchParams(location.search).get("embed");
if (name === null) {
  // The link to the full page works before the app has started.
  const link = document.querySelector("main a");
  link.setAttribute("href", link.getAttribute("href") + location.hash);
  await import("./main.js");
} else if (stories.includes(name)) {
  location.replace(new URL(`embed/${name}/${location.hash}`, document.baseURI));
} else {
  sayUnknown(name);
}
