// Serves the built site below any path, like a static web host.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** The folder of the built site. */
export const SITE = process.env.CHANGEOVER_SITE ?? fileURLToPath(new URL("../../target/changeover/site", import.meta.url));

/** Serves a site below `base`, which begins and ends with a slash. Returns the address, and a function to close the server. */
export async function serve(base, site = SITE) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://host").pathname;
    const file = path.startsWith(base) ? normalize(path.slice(base.length).replace(/(^|\/)$/, "$1index.html")) : null;
    try {
      if (file === null || file.startsWith("..")) throw new Error("not below the base");
      const body = await readFile(join(site, file));
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      const page = await readFile(join(site, "404.html")).catch(() => "");
      response.writeHead(404, { "content-type": TYPES[".html"] });
      response.end(page);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${server.address().port}${base}`, close };
}
