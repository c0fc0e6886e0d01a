import type { Contribution, GraphNode, Pass, Run } from "./node";
import { long, readsBack } from "./numbers";
import { generalRule, ownSlope, type Rule } from "./own";
import type { Timeline } from "./timeline";

/** A piece of a sentence; `node`: the node that it names. */
export interface Part {
  text: string;
  node?: number;
  kind: "name" | "number" | "sign" | "words";
}

/** The event of a tick, with its values. */
export interface Sentence {
  text: string;
  parts: Part[];
  /** The local derivative in the graph's own names: `∂v4/∂c = v2 = -1.0`; none in the forward pass. */
  derivative: Part[];
  /** The general rule of the primitive, if it has one. */
  rule: Rule | null;
}

/** Describe the tick `time`; in the backward pass, with one sentence for each operand. */
export function sentences(timeline: Timeline, time: number): Sentence[] {
  const moment = timeline.at(time);
  const run = timeline.run;
  if (moment.kind === "start") return [sentence([words("Only the leaves have values.")])];
  if (moment.kind === "forward") {
    return [computed(run, run.graph.nodes[moment.node]!), ...remark(run.stale[moment.node])];
  }
  if (moment.kind === "seed") return [seeded(timeline)];
  return [...passed(run, moment.pass), ...remark(run.staleGradients[moment.node] || run.stale[moment.node])];
}

/** A primitive applied to its operands, by name: `a × b`, `tanh(n)`. */
export function applied(node: GraphNode, operands: readonly Part[]): Part[] {
  const operator = OPERATORS[node.op] ?? node.primitive?.infix;
  if (node.op === "neg") return [sign("-"), ...bracketed(operands[0]!)];
  if (operator && operands.length === 2) {
    const [a, b] = operands as [Part, Part];
    const left = node.op === "pow" ? bracketed(a) : [a];
    return [...left, sign(` ${operator} `), ...(BRACKETED.has(node.op) ? bracketed(b) : [b])];
  }
  const list = operands.flatMap((part, i) => (i ? [sign(", "), part] : [part]));
  return [words(node.op), sign("("), ...list, sign(")")];
}

const OPERATORS: Record<string, string> = { mul: "×", floordiv: "//", mod: "%", pow: "**" };
const BRACKETED = new Set(["add", "sub", "pow"]);

function bracketed(part: Part): Part[] {
  return part.text.startsWith("-") ? [sign("("), part, sign(")")] : [part];
}

// --- forward --------------------------------------------------------------------------------------

function computed(run: Run, node: GraphNode): Sentence {
  const names = node.inputs.map((input) => called(run, input));
  const numbers = node.inputs.map((input) => number(run.data[input]!, input));
  const head = [called(run, node.index), sign(" = "), ...applied(node, names)];
  const result = number(run.data[node.index]!, node.index);
  const rule = generalRule(run.graph, node, null);
  const sizes = run.graph.document.nodes[node.index]!.array?.shape;
  if (sizes?.length) {
    const what = words(`: ${sizes.join(" × ")} elements, as recorded; their sum is `);
    return sentence([...head, what, result], rule);
  }
  const named = !sizes && names.some((part) => part.kind === "name");
  const middle = named ? [sign(" = "), ...applied(node, numbers)] : [];
  const tail = node.recorded ? [words(" (recorded)")] : [];
  return sentence([...head, ...middle, arrow(run.data[node.index]!), result, ...tail], rule);
}

function seeded(timeline: Timeline): Sentence {
  const { run, graph } = timeline;
  const root = graph.root;
  const first = timeline.gradient(root, timeline.seed) ?? NaN;
  const ones = (graph.document.nodes[root]!.array?.shape.length ?? 0) > 0;
  const each = words(" is 1 for each of its elements: the backward pass starts here.");
  if (ones) return sentence([gradOf(run, root), each]);
  const why = words(": the backward pass starts here, because the derivative of a number with respect to itself is 1.");
  return sentence([gradOf(run, root), sign(" = "), number(first, root), why]);
}

// --- backward -------------------------------------------------------------------------------------

function passed(run: Run, pass: Pass): Sentence[] {
  const name = called(run, pass.node);
  if (pass.gradient === null) {
    return [sentence([words("No gradient has reached "), name, words(", so it propagates none.")])];
  }
  const wanted = pass.contributions.filter(({ operand }) => !run.graph.nodes[operand]!.constant);
  if (wanted.length) return wanted.map((contribution) => given(run, pass, contribution));
  return [sentence([name, words(" depends only on constants, which get no gradient.")])];
}

function given(run: Run, pass: Pass, contribution: Contribution): Sentence {
  const node = run.graph.nodes[pass.node]!;
  const rule = generalRule(run.graph, node, contribution.position);
  if (contribution.amount === null) return closed(run, node, contribution, rule);
  const head = [gradOf(run, contribution.operand), sign(run.assigns ? " = " : " += ")];
  const { array } = run.graph.nodes[contribution.operand]!;
  if (array) return sentence([...head, ...ofArray(run, pass, contribution)], rule);
  const product = contribution.slope === null ? [contributionOf(run, pass, contribution)] : chain(run, pass, contribution);
  const body = [...head, ...product, arrow(contribution.amount), number(contribution.amount)];
  const derivative = contribution.slope === null ? [] : derivativeOf(run, node, contribution);
  return sentence([...body, ...accumulated(run, contribution)], rule, derivative);
}

/** ∂v4/∂c = v2 = -1.0 */
function derivativeOf(run: Run, node: GraphNode, contribution: Contribution): Part[] {
  const own = ownSlope(run.graph, node, contribution.position);
  const formula = own ? [sign(" = "), words(own)] : [];
  return [slopeName(node, contribution, run), ...formula, equal(contribution.slope!), number(contribution.slope!)];
}

/** f.grad × ∂f/∂e = 1.0 × 10.0 */
function chain(run: Run, pass: Pass, contribution: Contribution): Part[] {
  const slope = slopeName(run.graph.nodes[pass.node]!, contribution, run);
  const numbers = [number(pass.gradient!, pass.node), sign(" × "), number(contribution.slope!)];
  return [gradOf(run, pass.node), sign(" × "), slope, sign(" = "), ...numbers];
}

function contributionOf(run: Run, pass: Pass, contribution: Contribution): Part {
  const which = operandOf(run.graph.nodes[pass.node]!, contribution);
  return words(`the recorded contribution${which} of ${run.graph.nodes[pass.node]!.name}.grad`);
}

/** For an array: the norm of the contribution, beside the norm of the complete gradient. */
function ofArray(run: Run, pass: Pass, given: Contribution): Part[] {
  const { amount, after } = given;
  const arriving = [contributionOf(run, pass, given), words(", of norm "), number(amount!)];
  const single = Math.abs(after!) === amount;
  return single ? arriving : [...arriving, words("; complete, its norm is "), number(after!)];
}

function slopeName(node: GraphNode, contribution: Contribution, run: Run): Part {
  const operand = run.graph.nodes[contribution.operand]!.name;
  const text = `∂${node.name}/∂${operand}${operandOf(node, contribution)}`;
  return { text, kind: "name", node: contribution.operand };
}

/** `a * a` has two local derivatives for one operand, so the operand is numbered. */
function operandOf(node: GraphNode, contribution: Contribution): string {
  const uses = node.inputs.filter((input) => input === contribution.operand);
  return uses.length > 1 ? ` (operand ${contribution.position + 1})` : "";
}

/** ; a.grad: 3.0 + 2.0 → 5.0 */
function accumulated(run: Run, { before, amount, after, operand }: Contribution): Part[] {
  if (before === null) return [];
  const head = [sign("; "), gradOf(run, operand), sign(": ")];
  if (run.assigns) return [...head, number(after!), words(" overwrites "), number(before)];
  return [...head, number(before), sign(" + "), ...bracketed(number(amount!)), arrow(after!), number(after!)];
}

function closed(run: Run, node: GraphNode, contribution: Contribution, rule: Rule | null): Sentence {
  const operand = called(run, contribution.operand);
  const why = words(`: ${reason(run, node, contribution.position)}.`);
  return sentence([words("No gradient flows to "), operand, why], rule);
}

/** Why no gradient flows to an operand. */
export function reason(run: Run, node: GraphNode, position: number): string {
  if (node.recorded) return "none was recorded";
  if (!node.primitive?.rules[position]) {
    const whole = node.primitive?.rules.every((rule) => rule === null);
    return whole ? `${node.op} is declared to have no derivative` : `${node.op} uses it only as a condition`;
  }
  const operands = node.inputs.map((input) => long(run.data[input]!));
  if (node.op === "where") return `the condition is ${operands[0]}, so the other branch was taken`;
  if (node.op === "maximum") return `${operands[position]} is not the larger one`;
  if (node.op === "minimum") return `${operands[position]} is not the smaller one`;
  const kinks = node.primitive.kinks && ` (convention at the kink: ${node.primitive.kinks})`;
  return `${node.op} is flat at ${operands.join(", ")}${kinks}`;
}

// --- words ----------------------------------------------------------------------------------------

/** Why a value may be wrong after an edit. */
export const STALE =
  "May be out of date: it depends on recorded values that this page cannot recompute.";

function remark(stale: boolean | undefined): Sentence[] {
  return stale ? [sentence([words(STALE)])] : [];
}

function sentence(parts: Part[], rule: Rule | null = null, derivative: Part[] = []): Sentence {
  return { text: joined(parts), parts, derivative, rule };
}

function joined(parts: Part[]): string {
  return parts.map((part) => part.text).join("");
}

function called(run: Run, node: number): Part {
  const { name, constant } = run.graph.nodes[node]!;
  return constant ? number(run.data[node]!, node) : { text: name, kind: "name", node };
}

function gradOf(run: Run, node: number): Part {
  return { text: `${run.graph.nodes[node]!.name}.grad`, kind: "name", node };
}

function number(x: number, node?: number): Part {
  return { text: long(x), kind: "number", ...(node === undefined ? {} : { node }) };
}

/** Before a result: → if its text is all of it, ≈ if it is rounded. */
function arrow(x: number): Part {
  return sign(readsBack(long(x), x) ? " → " : " ≈ ");
}

function equal(x: number): Part {
  return sign(readsBack(long(x), x) ? " = " : " ≈ ");
}

function sign(text: string): Part {
  return { text, kind: "sign" };
}

function words(text: string): Part {
  return { text, kind: "words" };
}
