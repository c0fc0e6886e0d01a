/** Graphs to draw. */

import type { NodeRecord, WalkDocument } from "../../src/document";
import { Graph } from "../../src/engine/graph";

/** Writes a document node by node; operands are what earlier calls returned. */
export class Writer {
  readonly nodes: NodeRecord[] = [];

  leaf(data: number, label = "", group?: string): number {
    return this.nodes.push({ op: "", inputs: [], label, data, ...(group ? { group } : {}) }) - 1;
  }

  number(data: number): number {
    return this.nodes.push({ op: "", inputs: [], label: "", data, constant: true }) - 1;
  }

  op(op: string, inputs: number[], label = "", group?: string): number {
    return this.nodes.push({ op, inputs, label, data: 0, ...(group ? { group } : {}) }) - 1;
  }

  document(title = ""): WalkDocument {
    return { format: "gradwalk-walk", version: 1, title, nodes: this.nodes };
  }

  graph(): Graph {
    return new Graph(this.document());
  }
}

/** (a + b) * c */
export function small(): Graph {
  const w = new Writer();
  const [a, b, c] = [w.leaf(2, "a"), w.leaf(-3, "b"), w.leaf(10, "c")];
  w.op("mul", [w.op("add", [a, b], "e"), c], "f");
  return w.graph();
}

/** (a + 1) * (a * 3) */
export function diamond(): Graph {
  const w = new Writer();
  const a = w.leaf(2, "a");
  w.op("mul", [w.op("add", [a, w.number(1)], "left"), w.op("mul", [a, w.number(3)], "right")], "out");
  return w.graph();
}

/** The squared error of a multilayer perceptron on one example, about 2·n·m nodes per layer. */
export function mlp(sizes = [2, 8, 8, 1], grouped = true): Graph {
  const w = new Writer();
  let layer = Array.from({ length: sizes[0]! }, (_, k) => w.leaf(0.3 * k + 0.1, `x${k}`));
  for (let l = 1; l < sizes.length; l++) {
    layer = Array.from({ length: sizes[l]! }, (_, n) =>
      neuron(w, layer, `layers.${l - 1}.neurons.${n}`, grouped),
    );
  }
  const error = w.op("sub", [layer[0]!, w.leaf(1, "y")]);
  w.op("mul", [error, error], "loss");
  return w.graph();
}

function neuron(w: Writer, inputs: number[], group: string, grouped: boolean): number {
  const place = grouped ? group : undefined;
  let sum = w.leaf(0.1, `${group}.bias`, place);
  inputs.forEach((x, k) => {
    const weight = w.leaf(Math.sin(3 * k + w.nodes.length), `${group}.weights.${k}`, place);
    sum = w.op("add", [sum, w.op("mul", [weight, x], "", place)], "", place);
  });
  return w.op("tanh", [sum], "", place);
}

/** tanh(exp(tanh(… x))): no layers, no names, nothing twice. */
export function chain(length = 80): Graph {
  const w = new Writer();
  let x = w.leaf(1);
  for (let k = 0; k < length; k++) x = w.op(["tanh", "exp"][k % 2]!, [x]);
  return w.graph();
}

/** h = tanh(w * h + x_t), again and again: a group that comes back after it was left. */
export function recurrence(length: number): Graph {
  const w = new Writer();
  const weight = w.leaf(0.5, "cell.weight", "cell");
  let h = w.leaf(0, "h0");
  for (let t = 0; t < length; t++) {
    const inside = w.op("mul", [weight, h], "", "cell");
    h = w.op("tanh", [w.op("add", [inside, w.leaf(0.1 * t, `x${t}`)])], "", "outside");
  }
  return w.graph();
}

/** A graph of this size with random operands; the same for the same seed. */
export function random(size: number, seed: number): Graph {
  const next = generator(seed);
  const w = new Writer();
  for (let k = 0; k < size; k++) {
    const pick = () => Math.max(0, k - 1 - Math.floor(next() ** 3 * k));
    const group = next() < 0.5 ? `block.${Math.floor(next() * 4)}.part.${Math.floor(next() * 3)}` : undefined;
    const label = next() < 0.3 ? `t${Math.floor(next() * 20)}.w${k}` : "";
    if (k < 2 || next() < 0.3) w.leaf(next(), label, group);
    else w.op(["add", "mul", "sub"][Math.floor(next() * 3)]!, [pick(), pick()], label, group);
  }
  return w.graph();
}

/** Numbers in [0, 1), by the generator that Knuth attributes to Lewis, Goodman and Miller. */
function generator(seed: number): () => number {
  let state = (seed % 2147483646) + 1;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

/** Labels that must stay text, numbers that are none, an operation that passes no gradient. */
export function strange(): Graph {
  const w = new Writer();
  const [a, b] = [
    w.leaf(-1, "<script>alert(1)</script>"),
    w.leaf(1e-300, "a very long name of a variable & more"),
  ];
  const gate = w.op("relu", [a], "gate");
  w.op("add", [w.op("log", [w.op("sub", [gate, w.number(0)])], "漢字"), w.op("maximum", [b, gate])], "out");
  return w.graph();
}

/** A complete tree of sums. */
export function tree(depth: number): Graph {
  const w = new Writer();
  const sum = (left: number): number =>
    left ? w.op("add", [sum(left - 1), sum(left - 1)]) : w.leaf(1, `x${w.nodes.length}`);
  sum(depth);
  return w.graph();
}

/** x0 * x1 + x2 * x3 ...: every operation adds one leaf. */
export function lopsided(leaves: number): Graph {
  const w = new Writer();
  let sum = w.leaf(0, "x0");
  for (let k = 1; k < leaves; k++) sum = w.op(k % 2 ? "add" : "mul", [w.leaf(k, `x${k}`), sum]);
  return w.graph();
}

/** A chain from x, and two edges from x past it. */
export function skips(): Graph {
  const w = new Writer();
  const x = w.leaf(1, "x");
  let y = x;
  for (let k = 0; k < 6; k++) y = w.op("tanh", [y], `h${k}`);
  w.op("mul", [w.op("add", [y, x], "skip"), w.op("exp", [x])], "out");
  return w.graph();
}

/** r = tanh(w * r) + r, again and again. */
export function residual(blocks: number): Graph {
  const w = new Writer();
  let r = w.leaf(1, "x");
  for (let k = 0; k < blocks; k++)
    r = w.op("add", [w.op("tanh", [w.op("mul", [w.leaf(1, `w${k}`), r])]), r], `r${k}`);
  return w.graph();
}

/** Squares of squares: parallel edges, two and two. */
export function squares(): Graph {
  const w = new Writer();
  const a = w.leaf(2, "a");
  const b = w.op("mul", [a, a], "b");
  const c = w.op("mul", [b, b], "c");
  w.op("where", [c, c, a], "d");
  return w.graph();
}
