// The files that are generated from the page's data, without a page.
import { readFileSync } from "node:fs";
import { test, expect } from "@playwright/test";

// Node does not treat a file with this name as a module.
const source = readFileSync(new URL("../../www/static/share.js", import.meta.url)).toString("base64");
const { FORMATS } = await import(`data:text/javascript;base64,${source}`);

const moment = { seconds: 0.5, available: [2, 1], starting: 1, terminating: 0, pods: 4, atLeast: 2, desired: 3, limit: 4, over: 0 };
const DATA = {
  title: "Title | with a bar",
  inputs: "3 replicas, maxSurge 1",
  link: "https://example.com/sandbox/#state=abc",
  stateFile: null,
  versions: ["old", "new"],
  trade: { name: "Other", trade: "1 fewer pod at most, and just as fast." },
  lanes: [
    { name: 'Mine, "first"', difference: "", proposed: false, isShown: true, answers: [{ label: "pods at most", value: "4", note: "1 over 3" }], moments: [moment] },
    { name: "Other", difference: "", proposed: true, isShown: true, answers: [{ label: "pods at most", value: "3", note: null }], moments: [] },
    { name: "Hidden", difference: "", proposed: false, isShown: false, answers: [], moments: [] },
  ],
};
const write = (format) => FORMATS[format].write(DATA);

test("CSV: a cell stays a single cell", () => {
  expect(write("csv")).toBe(
    'lane,seconds,old available,new available,starting,terminating,pods,at least,desired,limit,over\r\n"Mine, ""first""",0.5,2,1,1,0,4,2,3,4,0\r\n',
  );
});

test("JSON: versions are named", () => {
  const { title, lanes } = JSON.parse(write("json"));
  expect([title, lanes.length]).toEqual([DATA.title, 3]);
  expect(lanes[0].moments).toEqual([{ ...moment, available: { old: 2, new: 1 } }]);
  expect(lanes[0]).not.toHaveProperty("isShown");
});

test("Markdown: the lanes that are shown, side by side", () => {
  expect(write("md")).toBe(`### Title \\| with a bar

|  | Mine, "first" | Other (proposed) |
| --- | --: | --: |
| pods at most | 4 (1 over 3) | 3 |

**Other**: 1 fewer pod at most, and just as fast.

3 replicas, maxSurge 1

<sub>[Open this rollout in Changeover](https://example.com/sandbox/#state=abc)</sub>
`);
});

test("Markdown: a rollout that no link holds names its file, and no link claims to open it", () => {
  const comment = FORMATS.md.write({ ...DATA, link: "https://example.com/sandbox/", stateFile: "rollout.changeover.json" });
  expect(comment).not.toContain("Open this rollout");
  expect(comment).toContain("This rollout is too large for a link. To see it, open that page, select “Share and download…”, and open the file `rollout.changeover.json`.");
});
