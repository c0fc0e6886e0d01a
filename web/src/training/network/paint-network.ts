/** Writes the numbers of a frame into the existing lines and neurons of the diagram. It runs thirty times
 * a second, so it touches only what has changed. */

import { gradientOf, largest, weightOf, WIDTH, type Diagram } from "./diagram";
import { mapOfInput, numbersOf, paintMap } from "./maps";
import type { Palette } from "../drawing/palette";
import type { Frame } from "../run/protocol";

export class NetworkPainter {
  private readonly lines: Cell[];
  private readonly discs: Cell[];
  private readonly neurons: Cell[];

  constructor(
    svg: SVGSVGElement,
    private readonly diagram: Diagram,
  ) {
    const cells = (selector: string) =>
      Array.from(svg.querySelectorAll<SVGElement>(selector), (e) => new Cell(e));
    this.lines = cells("line.weight");
    this.neurons = cells("g.neuron");
    this.discs = cells("circle.output");
  }

  paint(frame: Frame, gradients: boolean): void {
    this.paintLinks(frame, gradients);
    this.paintNeurons(frame);
  }

  private paintLinks({ layers }: Frame, gradients: boolean): void {
    const most = largest(layers, gradients);
    this.diagram.links.forEach(({ part }, i) => {
      const x = (gradients ? gradientOf(layers, part) : weightOf(layers, part)) ?? 0;
      const size = Math.abs(x) / most;
      const line = this.lines[i]!;
      line.set("class", x < 0 ? "weight negative" : "weight positive");
      line.set("stroke-width", (0.4 + 5.6 * size).toFixed(1));
      line.set("stroke-opacity", (0.4 + 0.6 * size).toFixed(2));
    });
  }

  private paintNeurons({ layers, points }: Frame): void {
    this.diagram.neurons.forEach(({ part: { layer, index } }, i) => {
      const mean = layer < 0 ? meanInput(points, index) : (layers[layer]?.outputs[index] ?? 0);
      const isDead = layer >= 0 && layers[layer]?.dead.includes(index);
      this.neurons[i]!.set("class", isDead ? "neuron dead" : "neuron");
      this.discs[i]!.set("class", mean < 0 ? "output negative" : "output positive");
      this.discs[i]!.set("fill-opacity", layers[0]?.maps.length ? "0" : (0.55 * Math.min(1, Math.abs(mean))).toFixed(2));
    });
  }
}

/** Paints what each neuron computes over the plane into its disc. */
export function paintMaps(
  context: CanvasRenderingContext2D,
  width: number,
  { neurons, radius }: Diagram,
  { layers }: Frame,
  palette: Palette,
): void {
  if (!layers[0]?.maps.length) return;
  const scale = width / WIDTH;
  const r = radius * scale;
  for (const { part, x, y } of neurons) {
    const map = part.layer < 0 ? mapOfInput(part.index) : numbersOf(layers[part.layer]?.maps[part.index] ?? "");
    context.save();
    context.beginPath();
    context.arc(x * scale, y * scale, r, 0, 2 * Math.PI);
    context.fillStyle = palette.panel;
    context.fill();
    context.clip();
    if (map.length) paintMap(context, map, [x * scale - r, y * scale - r, 2 * r], palette);
    context.restore();
  }
}

export function meanInput(points: Frame["points"], index: number): number {
  if (points.length === 0) return 0;
  return points.reduce((sum, point) => sum + point[index]!, 0) / points.length;
}

/** An element with a record of its last attributes, to skip writes that change nothing. */
class Cell {
  private readonly last: Record<string, string> = {};

  constructor(private readonly element: SVGElement) {}

  set(name: string, value: string): void {
    if (this.last[name] === value) return;
    this.last[name] = value;
    this.element.setAttribute(name, value);
  }
}
