/** How far the learner is: phases with the day on which each was passed first, mistakes met, hints opened, runs. It has
 * neither a name nor the code, and is stored in the browser where it allows that. */

import { signal, type ReadonlySignal } from "@preact/signals";
import type { Report } from "./report";

export interface Progress {
  schema: "gradwalk-workshop-progress/1";
  /** By phase: the day on which it was passed first, "2026-11-27". */
  phases: Readonly<Record<string, string>>;
  /** By mistake: in how many runs it was found. */
  mistakes: Readonly<Record<string, number>>;
  /** By mistake: how many of its hints were opened. */
  hints: Readonly<Record<string, number>>;
  runs: number;
  /** The SHA-256 of the engine of the last run, in hexadecimal digits. */
  engine: string;
}

const KEY = "gradwalk-workshop-progress";
const NONE: Progress = {
  schema: "gradwalk-workshop-progress/1", phases: {}, mistakes: {}, hints: {}, runs: 0, engine: "",
};

const kept = signal<Progress>(NONE);

export const progress: ReadonlySignal<Progress> = kept;

/** Reads what is stored. The page calls it when it opens. */
export function readProgress(): void {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEY) ?? "null");
    kept.value = sound(read) ? { ...NONE, ...read } : NONE;
  } catch {
    // storage is blocked or damaged: keep the progress of this visit
  }
}

function sound(read: unknown): read is Progress {
  return (read as Progress | null)?.schema === NONE.schema && typeof (read as Progress).phases === "object";
}

/** Counts a run, and what it found. */
export function countRun(report: Report, day: string, engine: string): void {
  const { phases, mistakes, runs } = kept.value;
  const passed = report.phases.filter(({ state }) => state === "passed" || state === "limit");
  const met = new Set(report.findings.filter(({ id, level }) => id && level === "wrong").map(({ id }) => id));
  replace({
    ...kept.value,
    phases: { ...Object.fromEntries(passed.map(({ phase }) => [phase, day])), ...phases },
    mistakes: { ...mistakes, ...Object.fromEntries([...met].map((id) => [id, (mistakes[id] ?? 0) + 1])) },
    runs: runs + 1,
    engine,
  });
}

/** Notes that the hints of a mistake were opened up to a layer. */
export function countHint(id: string, layer: number): void {
  const { hints } = kept.value;
  if (id && layer > (hints[id] ?? 0)) replace({ ...kept.value, hints: { ...hints, [id]: layer } });
}

function replace(next: Progress): void {
  kept.value = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // the progress lasts for this visit only
  }
}

/** Returns a day as progress files write it. */
export function dayOf(date: Date): string {
  const two = (x: number) => String(x).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Returns the SHA-256 of a text; "" on a page without `crypto.subtle`, which needs https or this machine. */
export async function hashOf(text: string): Promise<string> {
  if (typeof crypto === "undefined" || !crypto.subtle) return "";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
