/** Values as people type them: numbers, and constant formulas such as 1/3 or pi/2. */
import { TABLE } from "../engine";
import { errorAt } from "./messages";
import { CONSTANTS, recorded } from "./program";
import { read } from "./reader";

const LITERAL = /^[+-]?(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:e[+-]?\d(?:_?\d)*)?$/i;
const WORD = /^([+-]?)(nan|inf|infinity)$/i;
/** The minus signs and hyphens that a pasted number may have. */
const MINUS = /[−–‐‑]/g;

/** The number that a text stands for: a literal, nan and inf too, or a formula of numbers alone, with
 * pi and e as in formulas. Anything else is an `ExpressionError` at its place. */
export function readValue(typed: string): number {
  const text = typed.replace(MINUS, "-");
  const plain = text.trim();
  if (LITERAL.test(plain)) return Number(plain.replaceAll("_", ""));
  const word = WORD.exec(plain);
  if (word) return (word[1] === "-" ? -1 : 1) * (word[2]!.toLowerCase() === "nan" ? NaN : Infinity);
  return computed(text);
}

function computed(text: string): number {
  const steps = read(text);
  for (const step of steps) {
    if (step.kind === "store") throw errorAt(text, 0, "value", { name: step.name });
    if (step.kind !== "load" || Object.hasOwn(CONSTANTS, step.name)) continue;
    throw errorAt(text, step.start, "value", { name: step.name });
  }
  return recorded(steps, new Map(), TABLE, new Map()).data;
}
