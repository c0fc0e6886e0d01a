/** How to write in a formula what Python's grammar knows and formulas do not. */
import { CHOICE, NESTED } from "./habits";
import { nearest } from "./pointing";
import { CONSTANTS, FUNCTIONS } from "./program";

const EQUALS = "One = gives a name: d = a * b.";
const LISTS = "Only logsumexp takes a list: logsumexp([a, b]).";
const ROUND = "Brackets are round: (a + b) * c.";
const WHERE = "A comparison stands only in where(a < b, x, y).";
export const ONE_NAME = "One name stands on the left: d = a * b.";
export const LEAVE_OUT = "Leave it out.";

/** By what stands there: a kind of foreign piece, a sign or a word. */
export const FIXES: ReadonlyMap<string, string> = new Map([
  ["attribute", "Functions have no prefix: exp(x), not math.exp(x) or x.exp()."],
  ["logic", NESTED],
  ["compare", WHERE],
  ["==", `${EQUALS} ${WHERE}`],
  ["False", "Write 0."],
  ["choice", CHOICE],
  ["list", `${LISTS} ${ROUND}`],
  ["braces", ROUND],
  ["subscript", "Names have no parts: x0, not x[0]."],
  ["True", "Write 1."],
  ["commas", "A number has a point, 1.5; and a formula has one result."],
]);

const MODULES = /^(?:math|cmath|np|numpy|jnp|jax|torch|tf|tensorflow|F|nn|gw|gradwalk)(?![\p{L}\p{N}_])/u;
const NUMBERS = ["Value", "float", "int", "Tensor", "tensor", "array", "Variable"];
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ...NUMBERS.map((name) => [name, "A number stands for itself: 2.0."] as const),
  ["print", "Leave it out: the last line is the result."],
  ["sum", "Write the sum out: a + b."],
]);

/** Advice for `np.exp`, `x.relu` and what else has a point in it. */
export function prefix(code: string): string {
  const point = code.lastIndexOf(".");
  const [head, name] = [code.slice(0, point).trim(), code.slice(point + 1).trim()];
  const ofModule = MODULES.test(head);
  const general = FIXES.get("attribute")!;
  const callable = [...FUNCTIONS, "logsumexp"];
  if (ofModule && INSTEAD.has(name)) return INSTEAD.get(name)!;
  if (ofModule && (Object.hasOwn(CONSTANTS, name) || callable.includes(name))) {
    return `Write ${name} without ${head}.`;
  }
  if (ofModule) return nearest(name, callable) || general;
  if (!FUNCTIONS.includes(name) || Array.from(head).length > 24) return general;
  const bare = head.startsWith("(") && !head.slice(0, -1).includes(")");
  return `Write ${name}(${bare ? head.slice(1, -1) : head}).`;
}

/** Advice for the call of something that is no function of gradwalk. */
export function ofFunction(name: string, known: readonly string[]): string {
  const instead = INSTEAD.get(name) ?? nearest(name, known);
  return instead || `A product is ${name} * (...). There are: ${known.join(", ")}.`;
}
