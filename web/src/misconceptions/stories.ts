/** The five misconceptions in words, with the lines of code and the graph that shows each. */

import { documentOf } from "../expression";
import { Graph } from "../engine";
import type { WalkDocument } from "../document";
import { assigned, recursive, twice, unreset, type Mistake, type Pair } from "./runs";

export interface Side {
  /** The caption of the run: `with =`. */
  called: string;
  text: string;
  code: string;
}

export interface Story {
  kind: Mistake;
  /** In the address: #/misconceptions/assign. */
  title: string;
  /** In the list of all. */
  short: string;
  wrong: Side;
  right: Side;
  source: string;
  values: Record<string, number>;
  /** Whether the user may try a formula. */
  open: boolean;
  /** Shown until the runs differ. */
  before: string;
  /** Shown for a graph in which the mistake makes no difference. */
  harmless: string;
}

/** A diamond whose tip is an inner node: a late contribution to t is missing at a. */
const DIAMOND = "t = a * a\nm = t + 1\nn = t * 3\ny = m * n\ny";

const ALIKE = "So far, both runs are equal.";

export const STORIES: Story[] = [
  {
    kind: "assign",
    title: "= instead of +=",
    short: "Contributions overwrite each other",
    source: "m = a + 1\nn = a * 3\ny = m * n\ny",
    values: { a: 2 },
    open: true,
    before: ALIKE,
    harmless:
      "Here, the mistake makes no difference: every node is used only once, so it gets one contribution.",
    wrong: {
      called: "with =",
      text:
        "Each node computes the gradient of its operands. An operand stores it, as any variable stores a " +
        "number.",
      code: "operand.grad = node.grad * derivative",
    },
    right: {
      called: "with +=",
      text:
        "An operand that is used twice receives two contributions, and they must be added. With =, the " +
        "second one overwrites the first.",
      code: "operand.grad += node.grad * derivative",
    },
  },
  {
    kind: "recursion",
    title: "Recursion without an order",
    short: "Operands are visited at once",
    source: DIAMOND,
    values: { a: 2 },
    open: true,
    before: ALIKE,
    harmless:
      "Here, the mistake makes no difference: no node with operands is used twice, so its gradient is " +
      "complete at every visit.",
    wrong: {
      called: "by recursion",
      text:
        "The backward pass goes from the result to the leaves. So each node propagates its gradient and " +
        "calls backward for its operands.",
      code: [
        "def backward(node):",
        "    for operand, derivative in node.operands:",
        "        operand.grad += node.grad * derivative",
        "        backward(operand)",
      ].join("\n"),
    },
    right: {
      called: "in topological order",
      text:
        "A node that is used twice is visited twice: first with a part of its gradient, then with the " +
        "whole, so the part is propagated twice. The number of visits doubles with every such node on a " +
        "path.",
      code: [
        "for node in reversed(topological_order):",
        "    for operand, derivative in node.operands:",
        "        operand.grad += node.grad * derivative",
      ].join("\n"),
    },
  },
  {
    kind: "order",
    title: "An order of your own",
    short: "Drag the nodes to see what is lost",
    source: DIAMOND,
    values: { a: 2 },
    open: false,
    before: ALIKE,
    harmless: "This order is correct: every node is processed after all nodes that use it. Nothing is lost.",
    wrong: {
      called: "in your order",
      text: "Every node is processed once, and every contribution is added. So the order does not matter.",
      code: "for node in your_order:\n    propagate(node)",
    },
    right: {
      called: "in topological order",
      text:
        "A node propagates the gradient that it has when it is processed. Later contributions are not " +
        "propagated. So process a node only after every node that uses it. Every such order is correct.",
      code: "for node in reversed(topological_order):\n    propagate(node)",
    },
  },
  {
    kind: "reset",
    title: "No reset between steps",
    short: "Old gradients are added again",
    source: "p = w * x\ne = p - y\nloss = e * e\nloss",
    values: { w: 1, x: 2, y: 3 },
    open: false,
    before: "This is the second step. On the left, w still has the gradient of the first step.",
    harmless: "Here, the mistake makes no difference.",
    wrong: {
      called: "without a reset",
      text:
        "Every step computes the gradient of its own loss, so the gradients of the previous step do not " +
        "matter.",
      code: "loss.backward()\noptimizer.step()",
    },
    right: {
      called: "with a reset",
      text:
        "backward() adds to the gradient of a parameter. Without a reset, the second step uses the sum of " +
        "the old and the new gradient, and overshoots.",
      code: "optimizer.zero_grad()\nloss.backward()\noptimizer.step()",
    },
  },
  {
    kind: "twice",
    title: "backward() twice",
    short: "Inner nodes keep old gradients",
    source: DIAMOND,
    values: { a: 2 },
    open: true,
    before:
      "This is the second backward pass. On the left, every node still has its gradient of the first " +
      "pass. On the right, only the leaves do.",
    harmless:
      "Here, the mistake makes no difference: there is no node between the result and the leaves that " +
      "could keep a gradient.",
    wrong: {
      called: "every node accumulates",
      text:
        "Gradients accumulate, so a second backward() doubles all of them. micrograd is written like " +
        "this: every node adds to its gradient.",
      code: "for node in reversed(topological_order):\n    node._backward()  # every grad adds up",
    },
    right: {
      called: "only leaves accumulate",
      text:
        "An inner node that still has the gradient of the first pass propagates it a second time. So the " +
        "leaves get more than twice their gradient. gradwalk resets inner nodes in every backward " +
        "pass and accumulates in leaves only.",
      code: "y.backward()\ny.backward()  # leaves: exactly twice",
    },
  },
];

/** The learning rate of the two steps without a reset. */
export const RATE = 0.1;
/** The leaves that those two steps change. */
export const LEARNED = ["w"];

/** Returns the story of an address; the first one for any other address. */
export function storyOf(name: string): Story {
  return STORIES.find(({ kind }) => kind === name) ?? STORIES[0]!;
}

/** Returns the graph of a story. */
export function documentOfStory({ source, values }: Story): WalkDocument {
  return documentOf(source, values);
}

/** Returns the wrong and the correct run of a graph. `inOrder` makes those of an order of the user. */
export function pairOf(kind: Exclude<Mistake, "order">, document: WalkDocument): Pair {
  const graph = new Graph(document);
  const run = graph.evaluate();
  switch (kind) {
    case "assign":
      return assigned(run);
    case "recursion":
      return recursive(run);
    case "twice":
      return twice(run);
    case "reset":
      return unreset(run, named(graph, LEARNED), RATE);
  }
}

/** Returns the nodes with these names. */
export function named(graph: Graph, names: readonly string[]): number[] {
  return names
    .map((name) => graph.nodes.findIndex((node) => node.name === name))
    .filter((index) => index >= 0);
}
