// The pictures in www/previews, which other sites show beside a link to a page. They are written if UPDATE_PICTURES is set, or if
// one is missing; then build the page again.
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { App, STORIES, test, expect } from "./fixtures.mjs";

/** The size that link previews are made for. */
const SIZE = { width: 1200, height: 630 };

test.use({ viewport: SIZE });

for (const { name, path, captions } of [...STORIES.map(({ name, captions }) => ({ name, path: `stories/${name}/`, captions })), { name: "sandbox", path: "sandbox/" }]) {
  test(`${name} has a preview`, async ({ page, site }) => {
    const file = fileURLToPath(new URL(`../../www/previews/${name}.png`, import.meta.url));
    const exists = await stat(file).catch(() => null);
    if (!exists || process.env.UPDATE_PICTURES) {
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      const app = new App(page);
      await app.open(`${site}${path}`);
      // The caption before the last one has the moment that the story is about.
      for (let caption = 2; caption < captions?.length; caption += 1) await app.button("Next").click();
      await app.ready();
      await mkdir(dirname(file), { recursive: true });
      await page.screenshot({ path: file, animations: "disabled" });
    }
    const header = await readFile(file);
    expect([header.readUInt32BE(16), header.readUInt32BE(20)]).toEqual([SIZE.width, SIZE.height]);
  });
}
