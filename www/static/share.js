// What the page needs only to share something: addresses, the clipboard, files, the picture as an image. It is loaded when it
// is first used.

/** A number of arguments that every browser can pass to a function. */
const MOST_ARGUMENTS = 8192;

/** A text as characters that may stand in an address; undefined if there would be more than `most`. */
export async function pack(text, most) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  let characters = "";
  for await (const bytes of chunks(stream.getReader())) {
    // Base64 has four characters for three bytes.
    if ((characters.length + bytes.length) * 4 > most * 3) return undefined;
    for (let from = 0; from < bytes.length; from += MOST_ARGUMENTS) {
      characters += String.fromCharCode(...bytes.subarray(from, from + MOST_ARGUMENTS));
    }
  }
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Like `pack`, for a text of megabytes: compressing it would block the page for a moment, so a worker does that. */
export async function packInWorker(text, most) {
  const worker = new Worker(new URL("packer.js", import.meta.url), { type: "module", name: "packer" });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message || "packer.js can't be loaded"));
      worker.postMessage([text, most]);
    });
  } finally {
    worker.terminate();
  }
}

/** What a reader reads. If nobody wants more, it is not read. */
async function* chunks(reader) {
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}

/** The text of what `pack` returned. It rejects what is none. */
export async function unpack(packed) {
  const characters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(characters, (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

/** Copies a text. It rejects where the browser does not allow it, as on pages without TLS. */
export async function copy(text) {
  await navigator.clipboard.writeText(text);
}

/** Keeps all files of the page for use without a network. It rejects where the browser can't, as on pages without TLS. */
export async function keepOffline() {
  const { installing } = await navigator.serviceWorker.register("service-worker.js");
  // If there is a worker already, it has all files.
  if (!installing) return;
  await new Promise((resolve, reject) => {
    installing.addEventListener("statechange", () => {
      // With an older worker, the new one waits until its pages are closed.
      if (["activated", "installed"].includes(installing.state)) resolve();
      else if (installing.state === "redundant") reject(new Error("not all files of the page can be loaded"));
    });
  });
}

/** Offers a text or a blob as a file. */
export function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Offers numbers or a comment as a file. `data`: what the page says about its lanes, as JSON. */
export function saveData(name, format, data) {
  const { type, write } = FORMATS[format];
  save(name, type, write(JSON.parse(data)));
}

/** How the data becomes a file. */
export const FORMATS = {
  csv: { type: "text/csv", write: csv },
  json: { type: "application/json", write: json },
  md: { type: "text/markdown", write: markdown },
};

/** A table with a row for each change (RFC 4180). */
function csv({ versions, lanes }) {
  const counts = ["starting", "terminating", "pods", "atLeast", "desired", "limit", "over"];
  const head = ["lane", "seconds", ...versions.map((name) => `${name} available`), ...counts.map((name) => name.replace("atLeast", "at least"))];
  const rows = lanes.flatMap(({ name, moments }) =>
    moments.map((moment) => [name, moment.seconds, ...moment.available, ...counts.map((count) => moment[count])]),
  );
  const cell = (value) => (/[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value);
  return [head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function json({ title, inputs, versions, lanes }) {
  const named = lanes.map(({ isShown, moments, ...lane }) => ({
    ...lane,
    moments: moments.map(({ available, ...moment }) => ({
      ...moment,
      available: Object.fromEntries(versions.map((name, index) => [name, available[index]])),
    })),
  }));
  return `${JSON.stringify({ title, inputs, lanes: named }, null, 2)}\n`;
}

/** A comment on a pull request: the answers as a table. */
function markdown({ title, inputs, link, stateFile, trade, lanes }) {
  // No text ends a cell or begins something else.
  const plain = (text) => text.replaceAll(/[|*_`<>[\]\\]/g, "\\$&").replaceAll(/[\r\n]+/g, " ");
  const shown = lanes.filter(({ isShown }) => isShown);
  const row = (cells) => `| ${cells.join(" | ")} |\n`;
  const heads = shown.map(({ name, proposed }) => plain(name) + (proposed ? " (proposed)" : ""));
  const answer = ({ value, note }) => (note ? `${value} (${note})` : value);
  const rows = shown[0].answers.map(({ label }, index) => row([label, ...shown.map(({ answers }) => answer(answers[index]))]));
  const parts = [
    `### ${plain(title)}\n`,
    row(["", ...heads]) + row(["---", ...shown.map(() => "--:")]) + rows.join(""),
    trade ? `**${plain(trade.name)}**: ${trade.trade}\n` : "",
    inputs ? `${plain(inputs)}\n` : "",
    `<sub>${stateFile ? fromFile(link, stateFile) : `[Open this rollout in Changeover](${link})`}</sub>\n`,
  ];
  return parts.filter(Boolean).join("\n");
}

/** What to open where no link holds the rollout: the page alone would show another one. */
function fromFile(link, stateFile) {
  return `Simulated with [Changeover](${link}). This rollout is too large for a link. To see it, open that page, select “Share and download…”, and open the file \`${stateFile}\`.`;
}

/** Offers the picture as it stands as a file, with the headline, what was set, and where it comes from. */
export async function savePicture(name, title, inputs, link, asPng) {
  const { svg, width, height } = picture(title, inputs, link);
  const type = "image/svg+xml";
  const text = new XMLSerializer().serializeToString(svg);
  if (!asPng) return save(name, type, text);
  const address = URL.createObjectURL(new Blob([text], { type }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    // Twice as many pixels, for sharp screens.
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const png = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    save(name, "image/png", png);
  } finally {
    URL.revokeObjectURL(address);
  }
}

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 24;

/** What the style sheet says of a shape, which becomes attributes: the file has no style sheet. */
const STYLES = ["color", "fill", "opacity", "stroke", "stroke-dasharray", "stroke-width", "transform"];

/** What it says of a text. */
const FONT = ["font-family", "font-size", "font-weight", "letter-spacing"];

/** The parts that may be the lowest ones in the lanes. */
const LOWEST = ".picture, .below > .note, .why > p, .rule, .nodes, .trade, .repeated";

/** The lanes, between the headline and the source. */
function picture(title, inputs, link) {
  const lanes = document.querySelector(".lanes");
  const { left, top, width: lanesWidth } = lanes.getBoundingClientRect();
  const width = Math.ceil(lanesWidth + 2 * MARGIN);
  const page = getComputedStyle(document.documentElement);
  const font = page.fontFamily;
  const text = (content, x, y, size, weight) =>
    element("text", { x, y, "font-family": font, "font-size": size, "font-weight": weight, fill: page.color }, content);

  const head = [];
  let y = MARGIN;
  for (const [content, size, weight] of [[title, 22, 700], [inputs, 14, 400]]) {
    for (const line of wrapped(content, width - 2 * MARGIN, `${weight} ${size}px ${font}`)) {
      y += size * 1.35;
      head.push(text(line, MARGIN, y, size, weight));
    }
    y += 6;
  }
  y += 12;
  const body = element("g", { transform: `translate(${MARGIN - left} ${y - top})` });
  for (const lane of lanes.querySelectorAll(".lane")) body.append(...laneShapes(lane));
  body.append(...texts(lanes, ".trade, .repeated"));
  const lowest = [...lanes.querySelectorAll(LOWEST)].filter((part) => part.checkVisibility());
  y += Math.max(top, ...lowest.map((part) => part.getBoundingClientRect().bottom)) - top + MARGIN;
  const source = element("a", { href: link });
  source.append(text(`Changeover · ${link.split("#")[0]}`, MARGIN, y, 13, 400));
  const height = Math.ceil(y + MARGIN);

  const svg = element("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const ground = element("rect", { width, height, fill: page.backgroundColor });
  const patterns = element("defs", {});
  patterns.append(...[...document.querySelectorAll(".patterns > pattern")].map(styledCopy));
  svg.append(element("title", {}, title), patterns, ground, ...head, body, source);
  return { svg, width, height };
}

/** A lane at its place in the window: its texts, its clock, its picture, and the tables below it. */
function* laneShapes(lane) {
  const drawn = lane.querySelector("svg.picture");
  if (!drawn) return;
  const { left, top } = drawn.getBoundingClientRect();
  const place = element("g", { transform: `translate(${left} ${top})` });
  place.append(styledCopy(drawn));
  yield place;
  yield* texts(lane, "h2, .answers, .mark-labels, .time-axis :is(.time, .break-length), .why > p");
  for (const handle of lane.querySelectorAll(".time-axis .handle")) {
    const { left: x, top: y, width, height } = handle.getBoundingClientRect();
    yield element("rect", { x, y, width, height, rx: 8, fill: getComputedStyle(handle).backgroundColor });
    yield* textLines(handle);
  }
  yield* texts(lane, ".below > .note, .rule > :not(.table)");
  for (const table of lane.querySelectorAll(".rule > .table, .nodes")) {
    if (table.checkVisibility()) yield tablePicture(table);
  }
}

/** The visible part of a table: a wide table scrolls in its box. */
function tablePicture(table) {
  const { left: x, top: y, width, height } = table.getBoundingClientRect();
  // A nested SVG clips everything outside its box.
  const box = element("svg", { x, y, width, height, viewBox: `${x} ${y} ${width} ${height}` });
  for (const cell of table.querySelectorAll("th, td")) box.append(...cellShapes(cell));
  box.append(...textLines(table));
  for (const icon of table.querySelectorAll(".pod-icon")) box.append(placedCopy(icon));
  return box;
}

/** The background of a cell, and the line below it. */
function* cellShapes(cell) {
  const { left: x, top: y, width, height } = cell.getBoundingClientRect();
  const { backgroundColor, borderBottomColor } = getComputedStyle(cell);
  yield element("rect", { x, y, width, height, fill: painted(backgroundColor) });
  yield element("path", { d: `M${x} ${y + height}h${width}`, stroke: borderBottomColor });
}

/** A copy of a small picture, at its place in the window. */
function placedCopy(icon) {
  const copy = styledCopy(icon);
  const { left, top } = icon.getBoundingClientRect();
  copy.setAttribute("x", left);
  copy.setAttribute("y", top);
  return copy;
}

/** A background as a fill. Not every program can show a fully transparent color. */
function painted(background) {
  return background === "rgba(0, 0, 0, 0)" ? "none" : background;
}

function texts(root, selector) {
  return [...root.querySelectorAll(selector)].flatMap((found) => [...textLines(found)]);
}

/** The lines of an element's text, each where it stands. */
function* textLines(root) {
  const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let line;
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest("button") || !parent.checkVisibility()) continue;
    for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const { left, right, top, height, width } = range.getBoundingClientRect();
      if (width === 0) continue;
      const continues = line?.parent === parent && line.top === top;
      // A word that may break has several nodes.
      if (continues && Math.abs(left - line.right) < 0.5) Object.assign(line, { text: line.text + word, node, right });
      else if (continues && line.node === node) Object.assign(line, { text: `${line.text} ${word}`, right });
      else {
        if (line) yield lineOfText(line);
        line = { text: word, parent, node, left, right, top, height };
      }
    }
  }
  if (line) yield lineOfText(line);
}

function lineOfText({ text, parent, left, top, height }) {
  const style = getComputedStyle(parent);
  const attributes = { x: left, y: top + height / 2, dy: "0.35em", fill: style.color };
  for (const name of FONT) attributes[name] = style.getPropertyValue(name);
  return element("text", attributes, text);
}

/** A copy of a shape and everything in it, with what the style sheet says as attributes. */
function styledCopy(original) {
  const copy = original.cloneNode(true);
  const originals = [original, ...original.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  copies.forEach((shape, index) => {
    if (!(shape instanceof SVGElement)) return;
    const style = getComputedStyle(originals[index]);
    const names = shape.matches("text, tspan") ? [...STYLES, ...FONT, "paint-order"] : STYLES;
    for (const name of names) {
      const value = style.getPropertyValue(name);
      // A pattern is named by its attribute.
      if (value && !value.startsWith("url(") && !(name === "transform" && value === "none")) shape.setAttribute(name, value);
    }
    for (const name of ["class", "style", "role", "aria-label"]) shape.removeAttribute(name);
  });
  return copy;
}

/** The lines of a text that fit into a width. */
function wrapped(text, width, font) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = font;
  const lines = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function element(name, attributes, text) {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  if (text !== undefined) created.textContent = text;
  return created;
}
