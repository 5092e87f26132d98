// The layout at each size and color scheme.
import { copyFile, mkdir, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { App, test, expect, PICTURES } from "./fixtures.mjs";

const README_PICTURE = fileURLToPath(new URL("../../docs/picture.png", import.meta.url));
const SIZES = [
  [360, 740],
  [768, 1024],
  [1440, 1000],
];

for (const colorScheme of ["light", "dark"]) {
  for (const [width, height] of SIZES) {
    test.describe(`${width} px, ${colorScheme}`, () => {
      test.use({ viewport: { width, height }, colorScheme });

      for (const view of ["app", "story"]) {
        test(`${view}: fits, is readable, and gets a screenshot`, async ({ page, site }) => {
        const app = new App(page);
        await app.open(`${site}#${view === "app" ? "sandbox" : "stories/fifteen/2"}`);
        await expect(app.over(0)).toBeVisible();
        await mkdir(PICTURES, { recursive: true });
        const file = `${PICTURES}${view}-${width}-${colorScheme}.png`;
        await page.screenshot({ path: file, animations: "disabled" });
        await page.screenshot({ path: `${PICTURES}${view}-whole-${width}-${colorScheme}.png`, animations: "disabled", fullPage: true });
        if (view === "story" && width === 1440 && colorScheme === "light") await updateReadmePicture(file);
        // The page never scrolls sideways.
        for (const key of ["Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "End"]) {
          await page.keyboard.press(key);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          expect(wide).toBeLessThanOrEqual(width);
        }
        expect(await lowContrastTexts(page)).toEqual([]);
        });
      }

      test("the ruler's labels do not touch each other", async ({ app, page }) => {
        await expect(app.over(0)).toBeVisible();
        for (const [surge, unavailable] of [["25%", "25%"], ["1", "0"], ["0", "1"], ["100%", "100%"]]) {
          await page.evaluate(() => document.querySelector(".change[aria-expanded=false]")?.click());
          await app.input("May be missing (maxUnavailable)").fill(unavailable === "0" ? "1" : unavailable);
          await app.input("Extra pods (maxSurge)").fill(surge);
          await app.input("May be missing (maxUnavailable)").fill(unavailable);
          await expect(page.getByRole("alert")).toHaveCount(0);
          const touching = await page.evaluate(() => {
            const texts = [...document.querySelectorAll("svg.ruler")].map((ruler) => [...ruler.querySelectorAll("text")]);
            const boxes = texts.map((texts) => texts.map((text) => [text.textContent, text.getBoundingClientRect()]));
            return boxes.flatMap((boxes) =>
              boxes.flatMap(([one, a], index) =>
                boxes
                  .slice(index + 1)
                  .filter(([, b]) => a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom)
                  .map(([other]) => `${one} / ${other}`),
              ),
            );
          });
          expect(touching).toEqual([]);
        }
      });
    });
  }
}

test("dark is dark", async ({ app, page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await expect(app.lanes).toHaveCount(3);
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await expect.poll(background).not.toBe(light);
});

/** Updates the README's picture if UPDATE_PICTURES is set, or if it is missing. */
async function updateReadmePicture(file) {
  const exists = await stat(README_PICTURE).catch(() => null);
  if (exists && !process.env.UPDATE_PICTURES) return;
  await mkdir(new URL(".", `file://${README_PICTURE}`), { recursive: true });
  await copyFile(file, README_PICTURE);
}

/** Texts whose contrast with the page is below 4.5 : 1 (WCAG AA). */
function lowContrastTexts(page) {
  return page.evaluate(() => {
    const numbers = (color) => color.match(/[\d.]+/g).map(Number);
    const luminance = (color) => {
      const [r, g, b] = numbers(color).map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const background = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const color = getComputedStyle(at).backgroundColor;
        if (numbers(color)[3] !== 0) return color;
      }
      return getComputedStyle(document.documentElement).backgroundColor;
    };
    const found = new Set();
    const walker = document.createTreeWalker(document.getElementById("page"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!walker.currentNode.textContent.trim() || !element.checkVisibility() || element.closest("title, option")) continue;
      const style = getComputedStyle(element);
      const color = element instanceof SVGElement ? style.fill : style.color;
      const [a, b] = [luminance(color), luminance(background(element))].sort((one, other) => other - one);
      if ((a + 0.05) / (b + 0.05) < 4.5) found.add(`${walker.currentNode.textContent} ${color}`);
    }
    return [...found];
  });
}
