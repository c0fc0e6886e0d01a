/** The layout of the diagram of the network, and the names of its parts. */

import type { Frame, LayerFrame } from "../run/protocol";

export const WIDTH = 600;
export const HEIGHT = 320;
/** How many neurons of a layer are shown at a time. */
export const SHOWN = 12;
const SIDE = 30;

/** A neuron. Layer -1 holds the two inputs. */
export interface Neuron {
  kind: "neuron";
  layer: number;
  index: number;
}

/** A weight: input `input` of neuron `index` of `layer`. */
export interface Link {
  kind: "link";
  layer: number;
  index: number;
  input: number;
}

export type Part = Neuron | Link;

export interface Placed<P extends Part> {
  part: P;
  x: number;
  y: number;
}

export interface Diagram {
  radius: number;
  neurons: Placed<Neuron>[];
  links: { part: Link; x0: number; y0: number; x1: number; y1: number }[];
  /** The width of the widest layer. */
  widest: number;
}

/** Lays out layers of these widths, the inputs first. Of a wide layer, shows the neurons from `first` on. */
export function diagramOf(widths: readonly number[], first: number): Diagram {
  const shown = widths.map((width) => indices(width, first));
  const rows = Math.max(...shown.map((one) => one.length));
  const gap = Math.min(56, (HEIGHT - 16) / rows);
  const radius = Math.min(22, gap / 2 - 2);
  const across = (WIDTH - 2 * SIDE) / Math.max(1, widths.length - 1);
  const neurons = shown.map((all, column) =>
    all.map((index, row): Placed<Neuron> => ({
      part: { kind: "neuron", layer: column - 1, index },
      x: SIDE + column * across,
      y: HEIGHT / 2 + (row - (all.length - 1) / 2) * gap,
    })),
  );
  return { radius, neurons: neurons.flat(), links: linksOf(neurons), widest: Math.max(...widths) };
}

function indices(width: number, first: number): number[] {
  const start = width <= SHOWN ? 0 : Math.min(first, width - SHOWN);
  return Array.from({ length: Math.min(width, SHOWN) }, (_, i) => start + i);
}

function linksOf(columns: Placed<Neuron>[][]): Diagram["links"] {
  return columns.slice(1).flatMap((to, layer) =>
    to.flatMap((b) =>
      columns[layer]!.map((a) => ({
        part: { kind: "link" as const, layer, index: b.part.index, input: a.part.index },
        x0: a.x,
        y0: a.y,
        x1: b.x,
        y1: b.y,
      })),
    ),
  );
}

export function widthsOf(frame: Frame): number[] {
  return [2, ...frame.layers.map((layer) => layer.biases.length)];
}

// --- numbers of a part --------------------------------------------------------------------------

export function weightOf(layers: readonly LayerFrame[], { layer, index, input }: Link): number | undefined {
  return layers[layer]?.weights[index]?.[input];
}

export function gradientOf(layers: readonly LayerFrame[], { layer, index, input }: Link): number | undefined {
  return layers[layer]?.gradients?.weights[index]?.[input];
}

/** Returns the largest magnitude, which the thickest line stands for; 1 if all numbers are 0. */
export function largest(layers: readonly LayerFrame[], gradients: boolean): number {
  let most = 0;
  for (const layer of layers) {
    const rows = gradients ? (layer.gradients?.weights ?? []) : layer.weights;
    for (const row of rows) for (const x of row) most = Math.max(most, Math.abs(x));
  }
  return most || 1;
}

// --- names --------------------------------------------------------------------------------------

/** Returns the name of a part, as in the walk: x0 and x1, a[layer, neuron], w[layer, neuron, input]. */
export function nameOf(part: Part): string {
  if (part.kind === "link") return `w[${part.layer}, ${part.index}, ${part.input}]`;
  return part.layer < 0 ? `x${part.index}` : `a[${part.layer}, ${part.index}]`;
}

export function wordsOf(part: Part, layers: number): string {
  if (part.kind === "link") return `weight from ${sourceOf(part)} to ${neuronWords(part, layers)}`;
  return part.layer < 0 ? `input ${"xy"[part.index]}` : neuronWords(part, layers);
}

export function sourceOf({ layer, input }: Link): string {
  return layer === 0 ? `input ${"xy"[input]}` : `neuron ${input} of layers.${layer - 1}`;
}

/** What is written beside a neuron: the inputs and the output have names. */
export function captionOf({ layer, index }: Part, layers: number): string {
  if (layer < 0) return "xy"[index]!;
  return layer === layers - 1 ? "score" : "";
}

function neuronWords({ layer, index }: Part, layers: number): string {
  return layer === layers - 1 ? "the output" : `neuron ${index} of layers.${layer}`;
}

export function sameParts(a: Part | null, b: Part | null): boolean {
  if (!a || !b || a.kind !== b.kind) return a === b;
  return nameOf(a) === nameOf(b);
}

/** Returns the part of the diagram at a place: a neuron, or the nearest line. */
export function partAt(diagram: Diagram, x: number, y: number): Part | null {
  const neuron = diagram.neurons.find((one) => Math.hypot(one.x - x, one.y - y) <= diagram.radius + 2);
  if (neuron) return neuron.part;
  let best: Part | null = null;
  let least = 6;
  for (const link of diagram.links) {
    const far = distance(link, x, y);
    if (far < least) [best, least] = [link.part, far];
  }
  return best;
}

function distance({ x0, y0, x1, y1 }: Diagram["links"][number], x: number, y: number): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const along = Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x0 + along * dx - x, y0 + along * dy - y);
}
