/** Values as people type them: numbers, and constant formulas such as 1/3 or pi/2. */
import { TABLE } from "../engine";
import { ExpressionError, pointAt } from "./pointing";
import { CONSTANTS, recorded } from "./program";
import { Reader } from "./reader";

const EXPECTED = "a number such as 2, 1e-3 or 1/3";
const LITERAL = /^[+-]?(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:e[+-]?\d(?:_?\d)*)?$/i;
const WORD = /^([+-]?)(nan|inf|infinity)$/i;
/** The minus signs and hyphens that a pasted number may have. */
const MINUS = /[−–‐‑]/g;

/** The number that a text stands for: a literal, nan and inf too, or a formula of numbers alone, with
 * pi and e as formulas know them. Anything else is an `ExpressionError` at its place. */
export function readValue(typed: string): number {
  const text = typed.replace(MINUS, "-");
  const plain = text.trim();
  if (LITERAL.test(plain)) return Number(plain.replaceAll("_", ""));
  const word = WORD.exec(plain);
  if (word) return (word[1] === "-" ? -1 : 1) * (word[2]!.toLowerCase() === "nan" ? NaN : Infinity);
  return computed(text);
}

function computed(text: string): number {
  const steps = new Reader(text).read();
  for (const step of steps) {
    if (step.kind === "store") throw named(text, step.name, 1);
    if (step.kind !== "load" || Object.hasOwn(CONSTANTS, step.name)) continue;
    throw named(text, step.name, step.column);
  }
  return recorded(steps, new Map(), TABLE, new Map()).data;
}

function named(text: string, name: string, column: number): ExpressionError {
  const fix = "A value has no names but pi, e and inf.";
  return pointAt(text, 1, column, { expected: EXPECTED, got: `the name '${name}'`, fix });
}
