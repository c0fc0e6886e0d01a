/** NaN and infinities: where they begin, and what made them. */

import { fromJson } from "../document";
import { applied, formatted, type GraphNode, type Pass, type Run, type Timeline } from "../engine";

/** The first step that made a number that is not finite of finite ones. */
export interface Wrong {
  node: number;
  /** "leaf": the number was there before the first step. */
  kind: "leaf" | "forward" | "backward";
  /** The number that was made. */
  number: number;
  /** The operand of a backward step whose contribution it is. */
  operand: number;
}

/** Whether a value is not finite; of an array, any of its elements. */
export function isWrong(run: Run, index: number): boolean {
  const { spread } = run.graph.document.nodes[index]!.array ?? {};
  return spread ? spread.nan + spread.inf > 0 : !Number.isFinite(run.data[index]!);
}

/** Whether a gradient has arrived that is not finite. */
export function isWrongGradient(run: Run, index: number): boolean {
  const gradient = run.gradients[index];
  const spread = run.graph.document.nodes[index]!.array?.grad?.spread;
  if (spread) return spread.nan + spread.inf > 0;
  return typeof gradient === "number" && !Number.isFinite(gradient);
}

/** The first step in which something went wrong; null: all numbers are finite. With `among`, only these
 * nodes are looked at. */
export function firstWrong(run: Run, among?: ReadonlySet<number>): Wrong | null {
  return wrongForward(run, among) ?? wrongBackward(run, among);
}

function wrongForward(run: Run, among?: ReadonlySet<number>): Wrong | null {
  for (const { index, op, inputs } of run.graph.nodes) {
    if ((among && !among.has(index)) || !isWrong(run, index)) continue;
    if (inputs.some((input) => isWrong(run, input))) continue;
    return { node: index, kind: op ? "forward" : "leaf", number: numberOf(run, index), operand: -1 };
  }
  return null;
}

/** The number that is not finite: for an array the first such element that is shown. */
function numberOf(run: Run, index: number): number {
  const { array } = run.graph.document.nodes[index]!;
  const found = array?.values.find((x) => typeof x === "string");
  return found === undefined ? (array?.spread?.nan ? NaN : array ? Infinity : run.data[index]!) : fromJson(found);
}

function wrongBackward(run: Run, among?: ReadonlySet<number>): Wrong | null {
  for (const pass of run.backward) {
    if (pass.gradient === null || isWrongGradient(run, pass.node)) continue;
    const bad = pass.contributions.find(({ amount }) => amount !== null && !Number.isFinite(amount));
    if (!bad || (among && !among.has(pass.node))) continue;
    return { node: pass.node, kind: "backward", number: bad.amount!, operand: bad.operand };
  }
  return sumBackward(run, among);
}

/** Finite contributions whose sum is not finite. */
function sumBackward(run: Run, among?: ReadonlySet<number>): Wrong | null {
  for (const { node, contributions } of run.backward) {
    const bad = contributions.find(({ after, amount, before }) => {
      return Number.isFinite(amount) && Number.isFinite(before) && after !== null && !Number.isFinite(after);
    });
    if (bad && !(among && !among.has(node))) {
      return { node, kind: "backward", number: bad.after!, operand: bad.operand };
    }
  }
  return null;
}

/** The step of the walk in which it happens. */
export function timeOf(timeline: Timeline, { node, kind }: Wrong): number {
  if (kind === "backward") return timeline.timeOfBackward(node);
  return timeline.timeOfForward(node);
}

/** "log(0.0) → -inf" */
export function callOf(run: Run, wrong: Wrong): string {
  const node = run.graph.nodes[wrong.node]!;
  const made = formatted(wrong.number);
  if (wrong.kind === "leaf") return `${node.name} is ${made} itself`;
  if (wrong.kind === "forward") return `${written(run, node)} → ${made}`;
  const into = run.graph.nodes[wrong.operand]!.name;
  const pass = run.backward.find((one: Pass) => one.node === wrong.node)!;
  const incoming = node.array ? "" : ` with the incoming gradient ${formatted(pass.gradient!)}`;
  return `the backward pass of ${written(run, node)}${incoming} contributes ${made} to ${into}`;
}

function written(run: Run, node: GraphNode): string {
  const parts = node.inputs.map((input) => {
    const { array, name } = run.graph.nodes[input]!;
    return { kind: "words" as const, text: array ? name : formatted(run.data[input]!) };
  });
  return applied(node, parts).map(({ text }) => text).join("");
}

/** What made the value or the gradient of one node wrong; null: both are finite. */
export function causeOf(run: Run, index: number): Wrong | null {
  if (isWrong(run, index)) return wrongForward(run, reached(run, index, "inputs"));
  if (!isWrongGradient(run, index)) return null;
  return wrongBackward(run, reached(run, index, "consumers")) ?? firstWrong(run);
}

/** A node and all that it is computed from, or all that is computed from it. */
export function reached(run: Run, index: number, way: "inputs" | "consumers"): Set<number> {
  const found = new Set([index]);
  for (const next of found) {
    const node = run.graph.nodes[next]!;
    const others = way === "inputs" ? node.inputs : node.consumers.map((use) => use.node);
    for (const other of others) found.add(other);
  }
  return found;
}
