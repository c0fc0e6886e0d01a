/** The protocol between the page and `gradwalk studio` over the WebSocket of the training page: JSON, one
 * object per message. The page sends requests, the server computes and replies.
 *
 * `?session=ID&tab=ANY` resumes the session of that ID, which is kept for 10 minutes after the
 * connection dropped. ANY is drawn at random when the page is loaded, and is not stored. A connection of
 * the same page takes its session over at once, even if the server has not noticed the drop. A duplicated
 * tab has the ID but another ANY, and gets a session of its own. A connection that was taken over is
 * closed with code 4001, and one without a free session with 1013: do not reconnect after these. */

import type { WalkDocument } from "../../document";

export type Point = [x: number, y: number, label: 0 | 1];

export interface Configuration {
  /** "points" are the user's: from a CSV file, or drawn with the mouse. */
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
  /** Starts a new run, paused at update 0. Members that are left out take their defaults. */
  | { type: "configure"; configuration: Partial<Configuration> }
  /** Replaces the points of the current run. Its weights and updates stay, and it keeps running or stays
   * paused. From then on, `data` of the configuration is "points", and a rewind keeps these points. They
   * may be empty. */
  | { type: "points"; points: Point[] }
  /** A table of x, y and label, as text; the reply is of type "csv" and changes nothing yet: send
   * its points in "configure" (a new run) or in "points". */
  | { type: "csv"; text: string }
  /** Starts the training at full speed, or with a number of updates per frame. Training pauses while a
   * frame has not been shown for a second, for example while the page is hidden. */
  | { type: "start"; perFrame?: number }
  | { type: "pause" }
  /** Makes `count` single updates (at most 10,000). A running training is paused first. */
  | { type: "step"; count: number }
  /** Goes back to the initial weights of the same seed, paused. */
  | { type: "rewind" }
  /** Exchanges the run for the one that a rewind or new settings have replaced. */
  | { type: "restore" }
  /** Sets what frames contain. Resolution 0 means no boundary; otherwise 2 to limits.resolution. By
   * default, the resolution is 40 and there are no gradients. */
  | { type: "watch"; gradients: boolean; resolution: number }
  /** The page has shown a frame. The server may send the next one. */
  | { type: "shown"; frame: number }
  /** The graph of one example's loss, at this very step of the training (up to 2,000 parameters).
   * Labels: w[layer,neuron,input], b[layer,neuron], z[..] the sum of a neuron, a[..] its output; x0,
   * x1, score, target, loss. Groups: "layers.0.neurons.3". */
  | { type: "walk"; example: number };

export type Reply =
  | {
      type: "hello";
      session: string;
      resumed: boolean;
      choices: Choices;
      configuration: Configuration;
      limits: Limits;
    }
  | Frame
  /** `words` reports how the numbers were scaled, as `gradwalk train` scales a table. */
  | { type: "csv"; points: Point[]; words: string }
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
  /** The size of one message in UTF-8. A CSV file is sent in one message, so it must be a little smaller. */
  bytes: number;
  resolution: number;
  /** Weights × batch: the limit for one update. It is lower with the Python engine. */
  work: number;
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
  /** On points of the same kind that are not learned from; null for the user's own points. */
  test: { loss: number | null; accuracy: number; points: Point[] } | null;
  /** The updates of the run that a rewind or new settings have replaced; 0: none. */
  kept: number;
  /** Why the run cannot continue, or "": the loss is not finite (the weights are those before the failed
   * update), or there are no points. */
  stopped: string;
  points: Point[];
  layers: LayerFrame[];
  /** P(label 1), or the raw score squeezed into 0..1, at the centres of resolution × resolution
   * cells, row by row from the bottom left of `extent`; 0.5 is the border between the labels.
   * `extent` is [x low, x high, y low, y high], a square around the points. */
  boundary: { resolution: number; extent: [number, number, number, number]; values: number[] } | null;
  /** The losses of the updates since the frame before, each over its own batch. After a resume or a
   * rewind, all losses. Each number is the mean of `every` updates, the first one of
   * updates `from` + 1 to `from` + `every`. `every` is 1 up to 4,000 updates and doubles whenever
   * there would be more numbers than that: then, and whenever `from` is 0, these numbers replace
   * all that the page has; otherwise they follow the first `from / every` ones. */
  curve: { from: number; every: number; losses: number[] };
}

export interface LayerFrame {
  name: string;
  activation: string;
  /** [neuron][input], and one bias per neuron. */
  weights: number[][];
  biases: number[];
  /** As the last update saw them; only if watched, and null before the first update. */
  gradients: { weights: number[][]; biases: number[] } | null;
  /** Outputs of the neurons for all points: their mean. */
  outputs: number[];
  /** What each neuron computes over the square of the boundary: letters of LEVELS in `maps.ts`, for cells
   * row by row from the bottom left; empty for large networks. */
  maps: string[];
  /** Norm of the gradient of the weights, of the last updates (at most 200), oldest first. */
  norms: number[];
  /** Neurons whose output is 0 for every point, if the activation can die. */
  dead: number[];
  verdict: "not yet" | "healthy" | "vanishing" | "exploding" | "dead units" | "disconnected";
  /** The verdict in plain words, with its numbers. */
  words: string;
}
