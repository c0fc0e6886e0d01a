import type { VNode } from "preact";
import type { Graph } from "../engine/graph";
import { STALE } from "../engine/sentence";
import { kept } from "./kept";
import type { BoxLook } from "./look";
import type { Rect } from "./plan";
import { GLYPH, HEIGHT, PAD, RADIUS, SHAFT, SMALL_GLYPH, lead, signWidth } from "./measure";
import { memo } from "./memo";
import { shorten, sign } from "./names";

/** How a box stands out, apart from its numbers. */
export interface BoxMarks {
  selected: boolean;
  cursor: boolean;
  /** Place on the highlighted path, from 1; 0: not on it. */
  step: number;
  /** Other boxes are highlighted. */
  dimmed: boolean;
  breakpoint: boolean;
  found: boolean;
  /** Place in the visit order, from 1; 0: none. */
  visit: number;
}

export interface NodeBoxProps {
  graph: Graph;
  index: number;
  rect: Rect;
  look: BoxLook;
  marks: BoxMarks;
  editable: boolean;
  focusable: boolean;
}

/** A node: its operation in a circle, and the box with name, data and grad. Its parts are functions
 * and no components: with dozens of nodes in a frame, components would double the time of a step. */
export const NodeBox = memo(function NodeBox({
  graph,
  index,
  rect,
  look,
  marks,
  editable,
  focusable,
}: NodeBoxProps) {
  const node = graph.nodes[index]!;
  const pill = node.constant && !node.array;
  const left = lead(graph, index);
  return (
    <g
      class={`node ${kind(graph, index)} ${classes(look, marks)}`}
      transform={`translate(${rect.x.toFixed(1)} ${rect.y.toFixed(1)})`}
      data-box={`node ${index}`}
      data-node={index}
    >
      {target({ rect, name: look.spoken, title: doubt(look), focusable, "aria-pressed": marks.selected })}
      {left > 0 && once(graph, `${node.op} ${rect.height}`, () => signOf(node.op, rect.height / 2))}
      <g transform={`translate(${left} 0)`} aria-hidden="true">
        {pill
          ? pillOf(rect.width, rect.height, shorten(node.name))
          : card({ graph, index, width: rect.width - left, look, editable })}
        {badges(rect.width - left, marks)}
      </g>
    </g>
  );
});

interface TargetProps {
  rect: Rect;
  name: string;
  /** The tooltip; "": none. */
  title: string;
  focusable: boolean;
  "aria-pressed"?: boolean;
  "aria-expanded"?: boolean;
}

/** The button of a box: a rectangle without text, so that screen readers say its name and nothing
 * else. The drawn shapes ignore the mouse. */
export function target({ rect, name, title, focusable, ...states }: TargetProps) {
  return (
    <rect
      class="target"
      width={rect.width}
      height={rect.height}
      rx="8"
      role="button"
      tabindex={focusable ? 0 : -1}
      aria-label={name}
      {...states}
    >
      {title && <title>{title}</title>}
    </rect>
  );
}

/** Why a value of a box may be out of date; "" if none may. */
export function doubt({ staleData, staleGrad }: BoxLook): string {
  return staleData || staleGrad ? STALE : "";
}

function kind(graph: Graph, index: number): string {
  const node = graph.nodes[index]!;
  if (node.constant) return "constant";
  return index === graph.root ? "root" : node.inputs.length ? "inner" : "leaf";
}

export function classes(look: BoxLook, marks: BoxMarks): string {
  return [
    look.glow && `glow-${look.glow}`,
    !look.data && "unknown",
    marks.selected && "selected",
    marks.cursor && "cursor",
    marks.step > 0 && "highlighted",
    marks.dimmed && "dimmed",
    marks.found && "found",
  ]
    .filter(Boolean)
    .join(" ");
}

function signOf(op: string, middle: number) {
  const width = signWidth(op);
  const text = sign(op);
  return (
    <g class="op" aria-hidden="true">
      <rect class="round" y={middle - RADIUS} width={width} height={2 * RADIUS} rx={RADIUS} />
      <text class={text.length === 1 ? "sign" : "word"} x={width / 2} y={middle + 5} text-anchor="middle">
        {text}
      </text>
      <path class="shaft" d={`M${width} ${middle}h${SHAFT - 1}`} />
      <path class="tip" d={`M${width + SHAFT} ${middle}l-7 -4v8z`} />
    </g>
  );
}

function pillOf(width: number, height: number, text: string) {
  return (
    <>
      <rect class="box" width={width} height={height} rx={height / 2} />
      <text class="number data" x={width / 2} y={height / 2 + 4.5} text-anchor="middle">
        {text}
      </text>
    </>
  );
}

interface CardProps {
  graph: Graph;
  index: number;
  width: number;
  look: BoxLook;
  editable: boolean;
}

function card({ graph, index, width, look, editable }: CardProps) {
  const node = graph.nodes[index]!;
  const half = width / 2;
  const array = node.array ? graph.document.nodes[index]!.array : undefined;
  return (
    <>
      <rect class="box" width={width} height={HEIGHT} rx="8" />
      <path class="rule" d={`M${half} 27V${HEIGHT - 7}`} />
      <text class={`name ${node.label ? "" : "unnamed"}`} x={PAD} y="18">
        {shorten(node.name)}
      </text>
      {array && (
        <text class="caption" x={width - PAD} y="17" text-anchor="end">
          {array.shape.join("×")}
        </text>
      )}
      {cell({
        graph,
        x: 0,
        width: half,
        caption: array ? "sum" : "data",
        role: "data",
        text: look.data,
        old: look.oldData,
        stale: look.staleData,
        editable,
      })}
      {cell({
        graph,
        x: half,
        width: half,
        caption: "grad",
        role: "grad",
        text: look.grad,
        old: look.oldGrad,
        stale: look.staleGrad,
        partial: look.partial,
      })}
    </>
  );
}

interface CellProps {
  graph: Graph;
  x: number;
  width: number;
  caption: string;
  role: "data" | "grad";
  text: string;
  old: string;
  stale: boolean;
  partial?: boolean;
  editable?: boolean;
}

/** A caption and a value, or an empty slot as long as there is no value. In a comparison with another
 * run, the old value replaces the caption. */
function cell({ graph, x, width, caption: what, role, text, old, stale, partial, editable }: CellProps) {
  const shown = text + (partial ? "…" : "");
  const middle = x + width / 2;
  const was = `${old} →`;
  const caption = stale ? `old ${what}?` : what;
  return (
    <g class={`cell ${editable ? "editable" : ""} ${old ? "changed" : ""} ${stale ? "stale" : ""}`}>
      {editable && (
        <rect class="grip" data-grip="" x={x + 4} y="25" width={width - 8} height={HEIGHT - 29} rx="5" />
      )}
      {old
        ? captionOf(was, middle, fitted(was, width, SMALL_GLYPH))
        : once(graph, `${caption} ${middle}`, () => captionOf(caption, middle))}
      {text ? (
        <text
          class={`number ${role} ${text === "none" ? "none" : ""}`}
          x={middle}
          y="49"
          text-anchor="middle"
          {...fitted(shown, width)}
        >
          {shown}
        </text>
      ) : (
        <path class="slot" d={`M${middle - 13} 46h26`} />
      )}
      {old !== "" && <title>{`${what} was ${old}`}</title>}
    </g>
  );
}

function captionOf(text: string, middle: number, squeezed: ReturnType<typeof fitted> = {}) {
  return (
    <text class="caption" x={middle} y="34" text-anchor="middle" {...squeezed}>
      {text}
    </text>
  );
}

/** Parts that never change are created once for all boxes, so that they are not compared again. They
 * refer to elements of the page, so they are stored with their graph: a notebook keeps this module. */
function once(graph: Graph, key: string, make: () => VNode): VNode {
  return (parts(graph)[key] ??= make());
}

const parts = kept((_: Graph): Record<string, VNode> => ({}));

/** A long number is squeezed into its cell. */
export function fitted(
  text: string,
  width: number,
  glyph = GLYPH,
): { textLength?: number; lengthAdjust?: "spacingAndGlyphs" } {
  const room = width - 8;
  return text.length * glyph > room ? { textLength: room, lengthAdjust: "spacingAndGlyphs" } : {};
}

export function badges(width: number, marks: BoxMarks) {
  const number = marks.visit || marks.step;
  return (
    <>
      {marks.breakpoint && (
        <circle class="breakpoint" cx="0" cy="0" r="6">
          <title>breakpoint</title>
        </circle>
      )}
      {number > 0 && (
        <g class="badge">
          <circle cx={width} cy="0" r="11" />
          <text x={width} y="4" text-anchor="middle">
            {number}
          </text>
        </g>
      )}
    </>
  );
}
