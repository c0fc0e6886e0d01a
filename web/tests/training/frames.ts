/** Frames as the server makes them, small. */

import type { Configuration, Frame, LayerFrame, Point, Reply } from "../../src/training/run/protocol";

export const CONFIGURATION: Configuration = {
  data: "xor",
  count: 4,
  noise: 0.1,
  points: [],
  hidden: [3],
  activation: "tanh",
  loss: "bce",
  optimizer: "adam",
  lr: 0.03,
  batch: 10,
  seed: 0,
};

export const POINTS: Point[] = [
  [1, 1, 0],
  [-1, -1, 0],
  [1, -1, 1],
  [-1, 1, 1],
];

export function layer(index: number, weights: number[][], more: Partial<LayerFrame> = {}): LayerFrame {
  return {
    name: `layers.${index}`,
    activation: "tanh",
    weights,
    biases: weights.map((_, j) => j / 10),
    gradients: null,
    outputs: weights.map((_, j) => -0.5 + j / 2),
    maps: weights.map(() => "Af-9"),
    norms: [],
    dead: [],
    verdict: "not yet",
    words: "No update yet, so no gradient has been computed.",
    ...more,
  };
}

export function frame(number: number, more: Partial<Frame> = {}): Frame {
  return {
    type: "frame",
    frame: number,
    running: false,
    step: number,
    epoch: 0,
    loss: 0.7,
    accuracy: 0.5,
    test: { loss: 0.8, accuracy: 0.25, points: [[0.25, 0.5, 1], [-0.5, 0.5, 0]] },
    kept: 0,
    stopped: "",
    points: POINTS,
    layers: [
      layer(0, [
        [1, -2],
        [0.5, 0],
        [0, 4],
      ]),
      layer(1, [[1, 2, -8]]),
    ],
    boundary: { resolution: 2, extent: [-2, 2, -2, 2], values: [0.1, 0.9, 0.8, 0.2] },
    curve: { from: 0, every: 1, losses: [] },
    ...more,
  };
}

export const HELLO: Extract<Reply, { type: "hello" }> = {
  type: "hello",
  session: "abc",
  resumed: false,
  choices: { data: ["xor", "points"], activations: ["tanh"], losses: ["bce"], optimizers: ["adam"] },
  configuration: CONFIGURATION,
  limits: { points: 6, layers: 6, neurons: 64, bytes: 200, resolution: 80, work: 400_000 },
};
