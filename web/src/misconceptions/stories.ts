/** The five misconceptions in words, with the lines of code and the graph that shows each. */

import { documentOf } from "../expression";
import { Graph } from "../engine";
import type { WalkDocument } from "../document";
import { assigned, recursive, twice, unreset, type Mistake, type Pair } from "./runs";

export interface Side {
  /** What the picture is called: `with =`. */
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
  /** Whether a formula of one's own may be tried. */
  open: boolean;
  /** Said until the runs part. */
  before: string;
  /** Said of a graph that the mistake does not harm. */
  harmless: string;
}

/** A diamond whose tip is an inner node: what is late at t is missing at a. */
const DIAMOND = "t = a * a\nm = t + 1\nn = t * 3\ny = m * n\ny";

const ALIKE = "So far both runs are alike.";

export const STORIES: Story[] = [
  {
    kind: "assign",
    title: "= instead of +=",
    short: "A gradient is set, not added to",
    source: "m = a + 1\nn = a * 3\ny = m * n\ny",
    values: { a: 2 },
    open: true,
    before: ALIKE,
    harmless:
      "Here it makes no difference: every node is used only once, so there is nothing to be added to.",
    wrong: {
      called: "with =",
      text:
        "A node hands each operand its gradient. The operand stores it, as any variable stores a " +
        "number.",
      code: "operand.grad = node.grad * slope",
    },
    right: {
      called: "with +=",
      text:
        "An operand that is used twice is handed two shares, one for each use. They add up. With = the " +
        "one that comes last wipes out the other.",
      code: "operand.grad += node.grad * slope",
    },
  },
  {
    kind: "recursion",
    title: "Recursion without an order",
    short: "Operands are called at once",
    source: DIAMOND,
    values: { a: 2 },
    open: true,
    before: ALIKE,
    harmless:
      "Here it makes no difference: no node with operands is used twice, so every visit finds its " +
      "gradient complete.",
    wrong: {
      called: "by recursion",
      text:
        "Backward is a walk from the result to the leaves, so each node passes its gradient on and " +
        "calls itself for its operands.",
      code: [
        "def backward(node):",
        "    for operand, slope in node.operands:",
        "        operand.grad += node.grad * slope",
        "        backward(operand)",
      ].join("\n"),
    },
    right: {
      called: "in topological order",
      text:
        "A node that is used twice is visited twice: first with a part of its gradient, then with all " +
        "of it, and the part is passed on again. The visits double with every such node behind " +
        "another.",
      code: [
        "for node in reversed(topological_order):",
        "    for operand, slope in node.operands:",
        "        operand.grad += node.grad * slope",
      ].join("\n"),
    },
  },
  {
    kind: "order",
    title: "An order of your own",
    short: "Drag the nodes, see what is lost",
    source: DIAMOND,
    values: { a: 2 },
    open: false,
    before: ALIKE,
    harmless: "This order is right: every node has its turn after everything that uses it. Nothing is lost.",
    wrong: {
      called: "in your order",
      text:
        "Every node has its turn once, and every share is added. Then surely it does not matter who " +
        "comes first.",
      code: "for node in your_order:\n    pass_on(node)",
    },
    right: {
      called: "in topological order",
      text:
        "A node passes on what it holds when its turn comes. What arrives later stays with it. So its " +
        "turn must come after that of every node that uses it, and every order that keeps to this is " +
        "right.",
      code: "for node in reversed(topological_order):\n    pass_on(node)",
    },
  },
  {
    kind: "reset",
    title: "No reset between steps",
    short: "Old gradients push once more",
    source: "p = w * x\ne = p - y\nloss = e * e\nloss",
    values: { w: 1, x: 2, y: 3 },
    open: false,
    before: "This is the second step. On the left w still holds the gradient of the first one.",
    harmless: "Here it makes no difference.",
    wrong: {
      called: "without a reset",
      text:
        "Every step computes the gradient of its own loss, so the gradients of the step before are of " +
        "no more interest.",
      code: "loss.backward()\noptimizer.step()",
    },
    right: {
      called: "with a reset",
      text:
        "backward() adds to what a parameter's gradient holds. Unless it is reset, the second step " +
        "moves along the sum of both gradients, the old one among them, and overshoots.",
      code: "optimizer.zero_grad()\nloss.backward()\noptimizer.step()",
    },
  },
  {
    kind: "twice",
    title: "backward() twice",
    short: "Inner nodes keep what they had",
    source: DIAMOND,
    values: { a: 2 },
    open: true,
    before:
      "This is the second sweep. On the left every node still holds its gradient of the first one, " +
      "on the right only the leaves do.",
    harmless:
      "Here it makes no difference: between the result and the leaves there is no node that could " +
      "keep anything.",
    wrong: {
      called: "every node accumulates",
      text:
        "Gradients accumulate, so a second backward() doubles them all. That is how micrograd is " +
        "written: every node adds to the gradient that it has.",
      code: "for node in reversed(topological_order):\n    node._backward()  # every grad adds up",
    },
    right: {
      called: "only leaves accumulate",
      text:
        "An inner node that still holds the first sweep's gradient passes it on a second time, and " +
        "the leaves get more than twice of theirs. gradwalk starts inner nodes anew in every sweep " +
        "and accumulates in leaves only.",
      code: "y.backward()\ny.backward()  # leaves: exactly twice",
    },
  },
];

/** The learning rate of the two steps without a reset. */
export const RATE = 0.1;
/** What those two steps learn. */
export const LEARNED = ["w"];

/** The story of an address; the first one if it names none. */
export function storyOf(name: string): Story {
  return STORIES.find(({ kind }) => kind === name) ?? STORIES[0]!;
}

/** The graph that a story is told with. */
export function documentOfStory({ source, values }: Story): WalkDocument {
  return documentOf(source, values);
}

/** The wrong and the right run of a graph. An order of one's own is made elsewhere. */
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

/** The nodes with these names. */
export function named(graph: Graph, names: readonly string[]): number[] {
  return names
    .map((name) => graph.nodes.findIndex((node) => node.name === name))
    .filter((index) => index >= 0);
}
