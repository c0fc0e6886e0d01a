/** The network: weights as lines, neurons with their mean output, details on demand. */

import { effect, useComputed, useSignal, type Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatted } from "../../engine";
import {
  captionOf,
  diagramOf,
  HEIGHT,
  largest,
  nameOf,
  partAt,
  sameParts,
  SHOWN,
  WIDTH,
  widthsOf,
  wordsOf,
  type Diagram,
  type Part,
} from "./diagram";
import { Check } from "../../ui/fields";
import { useCanvas } from "../drawing/canvas";
import { NetworkPainter, paintMaps } from "./paint-network";
import { palette } from "../drawing/palette";
import { WeightTable } from "./WeightTable";
import { PartDetails } from "./PartDetails";
import type { TrainingRoom } from "../run/room";
import { Button } from "../../ui/Button";

export function Network({ room }: { room: TrainingRoom }) {
  const picked = useSignal<Part | null>(null);
  const hover = useSignal<Part | null>(null);
  const first = useSignal(0);
  const shape = useComputed(() => (room.frame.value ? widthsOf(room.frame.value).join(" ") : ""));
  const diagram = useComputed(() =>
    shape.value ? diagramOf(shape.value.split(" ").map(Number), first.value) : null,
  );
  return (
    <section class="card network" aria-labelledby="network-title">
      <header class="card-head">
        <h2 id="network-title">What each neuron computes</h2>
        <Pages first={first} widest={diagram.value?.widest ?? 0} />
        <Check look="check small" on={room.gradients.value} onChange={(on) => room.watchGradients(on)}>
          Gradients
        </Check>
      </header>
      {diagram.value && <Drawing room={room} diagram={diagram.value} picked={picked} hover={hover} />}
      <Legend room={room} />
      <PartDetails room={room} part={hover.value ?? picked.value} />
      <WeightTable room={room} />
    </section>
  );
}

/** Pages through the neurons of wide layers. */
function Pages({ first, widest }: { first: Signal<number>; widest: number }) {
  if (widest <= SHOWN) return null;
  const last = Math.min(first.value + SHOWN, widest);
  return (
    <div class="pages" role="group" aria-label="Neurons shown">
      <Button
        look="quiet"
        aria-label="Previous neurons"
        disabled={first.value === 0}
        onClick={() => (first.value = Math.max(0, first.value - SHOWN))}
      >
        ↑
      </Button>
      <span class="note">
        {first.value} to {last - 1} of {widest}
      </span>
      <Button
        look="quiet"
        aria-label="Next neurons"
        disabled={last >= widest}
        onClick={() => (first.value = Math.min(widest - SHOWN, first.value + SHOWN))}
      >
        ↓
      </Button>
    </div>
  );
}

interface DrawingProps {
  room: TrainingRoom;
  diagram: Diagram;
  picked: Signal<Part | null>;
  hover: Signal<Part | null>;
}

function Drawing({ room, diagram, picked, hover }: DrawingProps) {
  const svg = useRef<SVGSVGElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(diagram);
  latest.current = diagram;
  useLayoutEffect(() => {
    const painter = new NetworkPainter(svg.current!, diagram);
    return effect(() => {
      if (room.frame.value) painter.paint(room.frame.value, gradientsShown(room));
    });
  }, [diagram]);
  const at = (event: PointerEvent | MouseEvent) => partAt(diagram, ...placeIn(svg.current!, event));
  const layers = Math.max(...diagram.links.map(({ part }) => part.layer)) + 1;
  const marked = hover.value ?? picked.value;
  const isStop = ({ layer, index }: Part, i: number) =>
    picked.value ? layer === picked.value.layer && index === picked.value.index : i === 0;
  useCanvas(canvas, (context, { width }) => {
    const frame = room.frame.value;
    if (frame && palette.value) paintMaps(context, width, latest.current, frame, palette.value);
  });
  return (
    <div class="network-field">
    <canvas ref={canvas} aria-hidden="true" />
    <svg
      key={diagram.neurons.length + "/" + diagram.links.length}
      ref={svg}
      class={room.gradients.value ? "network-drawing gradients" : "network-drawing"}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="group"
      aria-label="Diagram of the network. Arrow keys move from neuron to neuron, brackets from weight to weight."
      onPointerMove={(event) => (hover.value = at(event))}
      onPointerLeave={() => (hover.value = null)}
      onClick={(event) => (picked.value = at(event))}
      onKeyDown={(event) => go(event, diagram, picked, svg.current!)}
    >
      <g class="weights" aria-hidden="true">
        {diagram.links.map(({ part, x0, y0, x1, y1 }) => (
          <line
            key={nameOf(part)}
            class="weight"
            {...{ x1: x0, y1: y0, x2: x1, y2: y1 }}
            data-part={nameOf(part)}
            data-marked={sameParts(part, marked)}
          />
        ))}
      </g>
      {diagram.neurons.map(({ part, x, y }, i) => (
        <g
          key={nameOf(part)}
          class="neuron"
          transform={`translate(${x} ${y})`}
          tabindex={isStop(part, i) ? 0 : -1}
          role="img"
          data-part={nameOf(part)}
          aria-label={wordsOf(part, layers)}
          data-marked={sameParts(part, marked)}
          onFocus={() => (picked.value = part)}
        >
          <circle class="ground" r={diagram.radius} />
          <circle class="output" r={diagram.radius} />
          <text class="caption" y={part.layer < 0 && part.index === 0 ? -diagram.radius - 5 : diagram.radius + 13} aria-hidden="true">
            {captionOf(part, layers)}
          </text>
        </g>
      ))}
    </svg>
    </div>
  );
}

/** Returns whether gradients are wanted and the frame has some: it may be older than the request. */
function gradientsShown(room: TrainingRoom): boolean {
  return room.gradients.value && room.frame.value!.layers.some((layer) => layer.gradients !== null);
}

function placeIn(svg: SVGSVGElement, event: PointerEvent | MouseEvent): [number, number] {
  const { left, top, width } = svg.getBoundingClientRect();
  const scale = WIDTH / width;
  return [(event.clientX - left) * scale, (event.clientY - top) * scale];
}

// --- keys ---------------------------------------------------------------------------------------

function go(event: KeyboardEvent, diagram: Diagram, picked: Signal<Part | null>, svg: SVGSVGElement): void {
  const next = nextPart(event.key, picked.value ?? diagram.neurons[0]!.part, diagram);
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  picked.value = next;
  const neuron: Part = { kind: "neuron", layer: next.layer, index: next.index }; // weights take no focus
  svg.querySelector<SVGElement>(`[data-part="${nameOf(neuron)}"]`)?.focus();
  picked.value = next;
}

/** Returns the part that a key leads to; null if there is none. */
export function nextPart(key: string, from: Part, diagram: Diagram): Part | null {
  if (key === "[" || key === "]") return nextLink(key === "]" ? 1 : -1, from, diagram);
  const [across, down] = (
    { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] } as const
  )[key] ?? [0, 0];
  if (!across && !down) return null;
  const column = diagram.neurons.filter(({ part }) => part.layer === from.layer + across);
  const row = diagram.neurons
    .filter(({ part }) => part.layer === from.layer)
    .findIndex(({ part }) => part.index === from.index);
  return column[Math.min(column.length - 1, Math.max(0, row + down))]?.part ?? null;
}

/** Returns the next weight of the same neuron, in a circle. */
function nextLink(step: number, from: Part, { links }: Diagram): Part | null {
  const own = links.filter(({ part }) => part.layer === from.layer && part.index === from.index);
  if (own.length === 0) return null;
  const at = own.findIndex(({ part }) => sameParts(part, from));
  const next = at < 0 ? (step > 0 ? 0 : own.length - 1) : (at + step + own.length) % own.length;
  return own[next]!.part;
}

function Legend({ room }: { room: TrainingRoom }) {
  const frame = room.frame.value;
  if (!frame) return null;
  const gradients = gradientsShown(room);
  const waits = room.gradients.value && !gradients;
  return (
    <p class="legend network-legend">
      <svg viewBox="0 0 40 8" width="40" height="8" aria-hidden="true">
        <path class="positive" d="M0 4h40" />
      </svg>
      positive
      <svg viewBox="0 0 40 8" width="40" height="8" aria-hidden="true">
        <path class="negative" d="M0 4h40" />
      </svg>
      negative
      <span>
        thickest line: {gradients ? "gradient" : "weight"} ±
        <span class="number">{formatted(largest(frame.layers, gradients))}</span>
      </span>
      {waits && <span>No gradients before the first update.</span>}
    </p>
  );
}
