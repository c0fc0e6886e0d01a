/** Who runs a file on this page. */

import { ofSite } from "../ui/studio";
import { BrowserRunner } from "./run/browser";
import type { Runner } from "./run/runner";
import { ServerRunner } from "./run/server";

/** The size of Python on a site that has it, in megabytes; else "". */
export function sizeOfPython(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="gradwalk-python"]')?.content ?? "";
}

/** Returns what runs files here; null on a site without Python. It is made once, so Python is loaded once. */
export function runnerHere(): Runner | null {
  if (runner === undefined) runner = ofSite() ? inPage(sizeOfPython()) : new ServerRunner();
  return runner;
}

function inPage(size: string): Runner | null {
  return size ? new BrowserRunner(size) : null;
}

let runner: Runner | null | undefined;
