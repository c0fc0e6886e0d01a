/** Writes the numbers of a frame into the existing lines and neurons of the diagram. It runs thirty times
 * a second, so it touches only what has changed. */

import { brief, fontSize, gradientOf, largest, weightOf, type Diagram } from "./diagram";
import type { Frame } from "./protocol";

export class NetworkPainter {
  private readonly lines: Cell[];
  private readonly discs: Cell[];
  private readonly texts: Cell[];
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
    this.texts = cells("text.mean");
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
      this.discs[i]!.set("fill-opacity", (0.55 * Math.min(1, Math.abs(mean))).toFixed(2));
      const text = brief(mean);
      this.texts[i]!.text(text);
      this.texts[i]!.set(
        "font-size",
        fontSize(text, this.diagram.radius)
          .toFixed(2)
          .replace(/\.?0+$/, ""),
      );
    });
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

  text(value: string): void {
    if (this.last.text === value) return;
    this.last.text = value;
    this.element.textContent = value;
  }
}
