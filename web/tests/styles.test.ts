/** The styles of the page: what they may reach. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FOLDERS = ["src/styles", "src/picture", "src/entries"];
const SHEETS = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".css"))
    .map((name) => `${folder}/${name}`),
);
/** The page of the studio itself, and the background that VS Code paints behind a widget. */
const AROUND = ["html, body", ".cell-output-ipywidget-background:has(.gradwalk)"];

/** The selectors of the outermost rules; at-rules are looked into. */
function outermost(css: string): string[] {
  const found: string[] = [];
  let [open, head] = [0, ""];
  const rules = css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/@keyframes [^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}/g, "");
  for (const letter of rules) {
    if (letter === "{") {
      const name = head.trim().replace(/\s+/g, " ");
      if (open === 0 && !name.startsWith("@")) found.push(name);
      if (open > 0 || !name.startsWith("@")) open += 1;
    }
    if (letter === "}" && open > 0) open -= 1;
    head = "{};".includes(letter) ? "" : head + letter;
  }
  return found;
}

test("the reader of styles sees rules inside at-rules, and no nested ones", () => {
  const css = "@media print { .a { color: red; .b { top: 0 } } } /* .c {} */ .d, .e { left: 0 }";
  expect(outermost(css)).toEqual([".a", ".d, .e"]);
});

test.each(SHEETS)("%s reaches nothing outside of .gradwalk", (path) => {
  const selectors = outermost(readFileSync(path, "utf8"));
  expect(selectors.length).toBeGreaterThan(0);
  for (const list of selectors.filter((one) => !AROUND.includes(one))) {
    for (const one of list.split(/,(?![^(]*\))/)) expect(one).toMatch(/\.gradwalk\b/);
  }
});
