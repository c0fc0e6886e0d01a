/** Example graphs. Each shows one property of the backward pass. */

export interface Preset {
  id: string;
  title: string;
  /** What to look at. */
  note: string;
  source: string;
  values: Record<string, number>;
}

const MLP = `h1 = tanh(w11 * x1 + w12 * x2 + b1)
h2 = tanh(w21 * x1 + w22 * x2 + b2)
out = tanh(u1 * h1 + u2 * h2 + c)
loss = (out - target) ** 2`;

const SOFTMAX = `e1 = exp(z1)
e2 = exp(z2)
e3 = exp(z3)
total = e1 + e2 + e3
p2 = e2 / total
loss = -log(p2)`;

export const PRESETS: Preset[] = [
  {
    id: "product",
    title: "(a + b) * c",
    note: "A sum propagates its gradient unchanged. A product multiplies it by the other factor.",
    source: "(a + b) * c",
    values: { a: 2, b: -3, c: 10 },
  },
  {
    id: "square",
    title: "a * a",
    note: "One node, used twice. Each use gives a contribution, and the contributions add up.",
    source: "a * a",
    values: { a: 3 },
  },
  {
    id: "diamond",
    title: "The diamond (a + 1) * (a * 3)",
    note: "Two paths lead from a to the result. The gradient of a is the sum over both.",
    source: "(a + 1) * (a * 3)",
    values: { a: 2 },
  },
  {
    id: "neuron",
    title: "One neuron",
    note: "A weighted sum, then tanh. Where tanh is flat, little gradient flows through it.",
    source: "n = w1 * x1 + w2 * x2 + b\nout = tanh(n)",
    values: { w1: -3, x1: 2, w2: 1, x2: 0.5, b: 6 },
  },
  {
    id: "mlp",
    title: "A 2-layer MLP with its loss",
    note: "Two hidden neurons, one output, the squared error. One backward pass computes the gradient of every weight.",
    source: MLP,
    values: {
      w11: 0.5,
      x1: 1,
      w12: -0.4,
      x2: -0.5,
      b1: 0.1,
      w21: -0.3,
      w22: 0.8,
      b2: 0,
      u1: 0.7,
      u2: -0.6,
      c: 0.2,
      target: 1,
    },
  },
  {
    id: "softmax",
    title: "Softmax and cross-entropy",
    note: "Three class scores; class 2 is correct. Each score's gradient is its softmax probability minus its target (1 for class 2, else 0).",
    source: SOFTMAX,
    values: { z1: 1, z2: 2, z3: 0.5 },
  },
];
