import { TABLE, exact } from "../engine";
import { bare, operatorOf } from "./grammar";
import type { Node } from "./grammar";
import { CALLABLE, COMPARISONS, FUNCTIONS, INSTEAD, MODULES } from "./language";
import { ExpressionError, errorAt, shortened } from "./messages";
import type { Fields } from "./messages";
import { SHORT, unbracketed } from "./position";
import { CONSTANTS } from "./program";
import type { Step } from "./program";
import { nearest } from "./spelling";

/** An operand, the number of a default, or a step. */
export type Part = Node | number | Step;

/** The arguments of a call in order, and after them the step. */
export function call(text: string, node: Node): Part[] {
  const [callee, ...args] = node.parts as [Node, ...Node[]];
  const { kind, text: name } = bare(callee);
  if (kind === "attribute") throw attribute(text, bare(callee));
  if (kind !== "name") {
    throw errorAt(text, node.at, "product", { a: factor(text, [callee]), b: factor(text, args) });
  }
  if (name === "logsumexp") return ofList(text, node, args);
  if (!FUNCTIONS.includes(name)) throw errorAt(text, node, "function", { name, ...instead(name) });
  const [first, ...rest] = bound(text, node, name, args);
  const step: Step = { kind: "apply", primitive: name, count: rest.length + 1 };
  const compared = name === "where" && typeof first === "object" && COMPARISONS.has(operatorOf(bare(first)));
  return [...(compared ? condition(text, bare(first)) : [first!]), ...rest, step];
}

/** The error about `np.exp`, `x.relu` or another name with a point in it. */
export function attribute(text: string, node: Node): ExpressionError {
  const code = text.slice(node.start, node.end);
  const point = code.lastIndexOf(".");
  const [head, name] = [code.slice(0, point).trim(), code.slice(point + 1).trim()];
  const fields: Record<string, string> = {};
  if (MODULES.includes(head.split(".")[0]!.trim())) {
    const known = CALLABLE.includes(name) || Object.hasOwn(CONSTANTS, name);
    Object.assign(fields, { module: head, known: known ? name : "", ...instead(name) });
  } else if (FUNCTIONS.includes(name) && Array.from(head).length <= SHORT) {
    Object.assign(fields, { method: name, object: unbracketed(head) });
  }
  return errorAt(text, node, "attribute", fields);
}

function instead(name: string): Fields {
  const functions = CALLABLE.join(", ");
  return { instead: INSTEAD.get(name) ?? "", nearest: nearest(name, CALLABLE), functions };
}

/** All arguments in order, with numbers for those that have a default. */
function bound(text: string, node: Node, name: string, args: Node[]): (Node | number)[] {
  const { params, defaults } = TABLE[name]!;
  const given = args.filter(({ kind }) => kind !== "named");
  if (args.slice(0, given.length).some(({ kind }) => kind === "named")) {
    throw errorAt(text, node.end - 1, "order");
  }
  const named = args.slice(given.length).map((arg) => params.indexOf(arg.text.normalize("NFKC")));
  const places = [...given.map((_, i) => i), ...named];
  const values: (Node | number | undefined)[] = params.map((_, i) => defaults[i - params.length + defaults.length]);
  places.forEach((place, i) => (values[place] = i < given.length ? args[i] : args[i]!.parts[0]));
  const wrong = new Set(places).size < places.length || named.includes(-1) || values.length > params.length;
  if (!wrong && !values.includes(undefined)) return values as (Node | number)[];
  throw errorAt(text, node, "arguments", { signature: signature(name) });
}

/** The arguments as a call is written: leaky_relu(x, negative_slope=0.01). */
function signature(name: string): string {
  const { params, defaults } = TABLE[name]!;
  const required = params.length - defaults.length;
  const value = (i: number) => (i < required ? "" : `=${exact(defaults[i - required]!)}`);
  return `${name}(${params.map((param, i) => param + value(i)).join(", ")})`;
}

/** The steps of a comparison, as the first argument of where. */
function condition(text: string, node: Node): Part[] {
  const [left, right] = node.parts as [Node, Node];
  const primitive = COMPARISONS.get(node.text);
  if (!primitive || COMPARISONS.has(operatorOf(right))) throw errorAt(text, node, "condition");
  return [left, right, { kind: "apply", primitive, count: 2 }];
}

function ofList(text: string, node: Node, args: Node[]): Part[] {
  const [list] = args;
  if (args.length !== 1 || list!.kind !== "[" || !list!.parts.length) throw errorAt(text, node, "list");
  return [...list!.parts, { kind: "apply", primitive: "logsumexp", count: list!.parts.length }];
}

/** A factor in brackets, for the fix of `(a + b)(c)`. */
function factor(text: string, nodes: Node[]): string {
  const code = nodes.map((node) => text.slice(bare(node).start, bare(node).end)).join(", ");
  return Array.from(code).length <= SHORT ? `(${shortened(code)})` : "(...)";
}
