import type { NodeRecord, WalkDocument } from "../../src/document";

/** A document by hand: `[op, inputs, label]`, or a number for a leaf, or "c" and a number for a constant. */
export type Short = [string, number[], string?] | [number, string?] | ["c", number];

export function document(short: Short[], more: Partial<WalkDocument> = {}): WalkDocument {
  return { format: "gradwalk-walk", version: 1, title: "", nodes: short.map(record), ...more };
}

function record(short: Short): NodeRecord {
  if (short[0] === "c") return { op: "", inputs: [], label: "", constant: true, data: short[1] as number };
  const [first, second, third] = short;
  if (typeof first === "number") return { op: "", inputs: [], label: (second as string) ?? "", data: first };
  return { op: first, inputs: second as number[], label: third ?? "", data: 0 };
}

/** The graph of micrograd's lecture: L = (a * b + c) * f. */
export const LECTURE = document([
  [2, "a"], [-3, "b"], ["mul", [0, 1], "e"], [10, "c"], ["add", [2, 3], "d"], [-2, "f"], ["mul", [4, 5], "L"],
]);

/** x = a + a + ... , each sum of the one before with itself: 2 ** n paths. */
export function doublings(n: number): WalkDocument {
  return document([[1, "a"], ...Array.from({ length: n }, (_, i): Short => ["add", [i, i]])]);
}

export function chain(n: number): WalkDocument {
  return document([[0.5, "x"], ...Array.from({ length: n }, (_, i): Short => ["sin", [i]])]);
}

/** The same numbers every time. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A random graph of sums, differences and products. */
export function tangle(seed: number, size: number): WalkDocument {
  const next = random(seed);
  const short: Short[] = [[next() * 2 - 1, "a"], [next() * 2 - 1, "b"]];
  for (let i = 2; i < size; i++) {
    const recent = () => Math.max(0, i - 1 - Math.floor(next() * 4));
    short.push([["add", "mul", "sub"][Math.floor(next() * 3)]!, [i - 1, recent()]]);
  }
  return document(short);
}
