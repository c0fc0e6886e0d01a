/** What the page and `gradwalk studio` say to each other over the WebSocket of the training room.
 * JSON, one object per message. The server computes; the page asks and shows.
 *
 * `?session=ID&tab=ANY` resumes the session of that ID, which is kept for 10 minutes after the
 * connection dropped. ANY is drawn by the page when it is loaded (not stored): a connection of the
 * same page takes its session over at once even if the server has not noticed the drop, while a
 * duplicated tab, which has the ID but not the same ANY, gets a session of its own. A connection that
 * was taken over is closed with code 4001, one that found no room with 1013; do not reconnect then. */

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
  /** A new run, which stands still at update 0. What is left out of it takes the default. */
  | { type: "configure"; configuration: Partial<Configuration> }
  /** New points for the run that is going on; weights, updates and running or not stay. From then on
   * `data` of the configuration is "points", and a rewind keeps these points. May be empty. */
  | { type: "points"; points: Point[] }
  /** A table of x, y and label, as text; the reply is of type "csv" and changes nothing yet: send
   * its points in "configure" (a new run) or in "points". */
  | { type: "csv"; text: string }
  /** As fast as it goes, or with that many updates per frame (for people who want to watch).
   * Training waits while a frame has not been shown for a second: hide the page, and it rests. */
  | { type: "start"; perFrame?: number }
  | { type: "pause" }
  /** `count` single updates (at most 10,000); a run that was going is paused first. */
  | { type: "step"; count: number }
  /** Back to the first weights of the same seed, standing still. */
  | { type: "rewind" }
  /** What to send along with the frames. Resolution 0: no boundary; else 2 to limits.resolution.
   * At first: no gradients, resolution 40. */
  | { type: "watch"; gradients: boolean; resolution: number }
  /** The page has shown a frame: the next one may come. */
  | { type: "shown"; frame: number }
  /** The graph of one example's loss, at this very step of the training (up to 2,000 parameters).
   * Labels: w[layer,neuron,input], b[layer,neuron], z[..] the sum of a neuron, a[..] its output; x0,
   * x1, score, target, loss. Groups: "layers.0.neurons.3". */
  | { type: "walk"; example: number };

export type Reply =
  | { type: "hello"; session: string; resumed: boolean; choices: Choices; configuration: Configuration; limits: Limits }
  | Frame
  /** `words` says what was done to the numbers: they are scaled as `gradwalk train` scales a table. */
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
  /** Of one message, in UTF-8; a CSV file is in one, so it has to be a little smaller. */
  bytes: number;
  resolution: number;
  /** Weights × batch: what one update may cost; less of it with the Python engine. */
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
  /** Why it stands still, if it cannot go on: the loss is no number any more (the weights are those
   * before the update that failed), or there are no points. Else "". */
  stopped: string;
  points: Point[];
  layers: LayerFrame[];
  /** P(label 1), or the raw score squeezed into 0..1, at the centres of resolution × resolution
   * cells, row by row from the bottom left of `extent`; 0.5 is the border between the labels.
   * `extent` is [x low, x high, y low, y high], a square around the points. */
  boundary: { resolution: number; extent: [number, number, number, number]; values: number[] } | null;
  /** The losses of the updates, each over its own batch as it saw it, since the frame before (all of
   * them after a resume or a rewind). Each number is the mean of `every` updates, the first one of
   * updates `from` + 1 to `from` + `every`. `every` is 1 up to 4,000 updates and doubles whenever
   * there would be more numbers than that: then, and whenever `from` is 0, these numbers replace
   * all that the page has; else they go behind the first `from / every` ones. */
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
  /** Norm of the gradient of the weights, of the last updates (at most 200), oldest first. */
  norms: number[];
  /** Neurons whose output is 0 for every point, if the activation can die. */
  dead: number[];
  verdict: "not yet" | "healthy" | "vanishing" | "exploding" | "dead units" | "disconnected";
  /** The verdict in plain words, with its numbers. */
  words: string;
}
