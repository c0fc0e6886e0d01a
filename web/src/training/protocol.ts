/** What the page and `gradwalk studio` say to each other over the WebSocket of the training room.
 * JSON, one object per message. The server computes; the page asks and shows. */

import type { WalkDocument } from "../document";

export type Point = [x: number, y: number, label: 0 | 1];

export interface Configuration {
  /** "points" are the user's own: typed, from a CSV file, or drawn with the mouse. */
  data: "xor" | "moons" | "circles" | "spirals" | "points";
  /** How many points to draw, and their noise; for "points" unused. */
  count: number;
  noise: number;
  points?: Point[];
  /** Neurons of the hidden layers. */
  hidden: number[];
  activation: string;
  loss: "bce" | "hinge" | "mse";
  optimizer: string;
  lr: number;
  /** Rows per update. */
  batch: number;
  seed: number;
}

export type Request =
  | { type: "configure"; configuration: Configuration }
  /** New points for the run that is going on; weights stay. */
  | { type: "points"; points: Point[] }
  | { type: "start" }
  | { type: "pause" }
  /** `count` single updates. */
  | { type: "step"; count: number }
  /** Back to the first weights of the same seed. */
  | { type: "rewind" }
  /** What to send along with the frames. */
  | { type: "watch"; gradients: boolean; resolution: number }
  /** The page has shown a frame: the next one may come. */
  | { type: "shown"; frame: number }
  /** The graph of one example's loss, at this very step of the training. */
  | { type: "walk"; example: number };

export type Reply =
  | { type: "hello"; session: string; resumed: boolean; choices: Choices; configuration: Configuration; limits: Limits }
  | Frame
  | { type: "document"; example: number; step: number; document: WalkDocument }
  | Refusal;

export interface Choices {
  data: string[];
  activations: string[];
  losses: string[];
  optimizers: string[];
}

export interface Limits {
  points: number;
  layers: number;
  neurons: number;
  bytes: number;
}

/** An error in four parts, as everywhere in gradwalk. */
export interface Refusal {
  type: "refused";
  where: string;
  expected: string;
  got: string;
  fix: string;
}

export interface Frame {
  type: "frame";
  frame: number;
  running: boolean;
  /** Updates so far; epochs are passes over the data. */
  step: number;
  epoch: number;
  /** Over all points. */
  loss: number | null;
  accuracy: number | null;
  /** Why it stands still, if the loss is no number any more. */
  stopped: string;
  points: Point[];
  layers: LayerFrame[];
  /** P(label 1), or the raw score squeezed into 0..1, at the centres of resolution × resolution
   * cells, row by row from the bottom left of `extent`. */
  boundary: { resolution: number; extent: [number, number, number, number]; values: number[] } | null;
  /** The losses since the frame before (all of them after a resume or a rewind). */
  curve: { from: number; losses: number[] };
}

export interface LayerFrame {
  name: string;
  activation: string;
  /** [neuron][input], and one bias per neuron. */
  weights: number[][];
  biases: number[];
  /** As the last update saw them; only if watched. */
  gradients: { weights: number[][]; biases: number[] } | null;
  /** Outputs of the neurons for all points: their mean. */
  outputs: number[];
  /** Norm of the gradient of the weights, of the last updates (at most 200). */
  norms: number[];
  /** Neurons whose output is 0 for every point, if the activation can die. */
  dead: number[];
  verdict: "healthy" | "vanishing" | "exploding" | "dead units" | "disconnected";
  /** The verdict in plain words, with its numbers. */
  words: string;
}
