import type { VNode } from "preact";
import type { Graph } from "../../engine/graph";
import { STALE } from "../../engine/sentence";
import { kept } from "../shared/kept";
import type { BoxLook } from "../look/look";
import type { Rect } from "../shared/plan";
import { GLYPH, HEAD, HEIGHT, PAD, lead, signWidth } from "../layout/measure";
import { memo } from "../shared/memo";
import { shorten, sign } from "../shared/names";

/** The marks of a box, apart from its numbers. */
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
      <g aria-hidden="true">
        {pill
          ? pillOf(rect.width, rect.height, shorten(node.name))
          : card({ graph, index, width: rect.width, look, editable })}
        {left > 0 && once(graph, `${node.op} ${rect.width}`, () => signOf(node.op, rect.width))}
        {badges(rect.width, marks)}
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

/** The button of a box: a rectangle without text, so that screen readers read its name and nothing
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

/** The operation, at the right of the head: it computed the value below. */
function signOf(op: string, right: number) {
  const width = signWidth(op);
  const text = sign(op);
  return (
    <g class="op">
      <path class="round" d={`M${right - width} 0h${width - 8}a8 8 0 0 1 8 8v${HEAD - 8}h${8 - width}a8 8 0 0 1 -8 -8z`} />
      <text class={text.length === 1 ? "sign" : "word"} x={right - width / 2} y="17.5" text-anchor="middle">
        {text}
      </text>
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
  const array = node.array ? graph.document.nodes[index]!.array : undefined;
  const right = width - lead(graph, index);
  return (
    <>
      <rect class="box" width={width} height={HEIGHT} rx="8" />
      <text class={`name ${node.label ? "" : "unnamed"}`} x={PAD} y="17.5">
        {shorten(node.name)}
      </text>
      {array && (
        <text class="caption" x={right - 6} y="17" text-anchor="end">
          {array.shape.join("×")}
        </text>
      )}
      {cell({
        y: DATA,
        width,
        caption: array ? "sum" : "data",
        role: "data",
        text: look.data,
        old: look.oldData,
        stale: look.staleData,
        editable,
      })}
      {!node.constant &&
        cell({
          y: GRAD,
          width,
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

/** The base lines of the value and of the gradient. */
const [DATA, GRAD] = [40, 58];

interface CellProps {
  y: number;
  width: number;
  caption: string;
  role: "data" | "grad";
  text: string;
  old: string;
  stale: boolean;
  partial?: boolean;
  editable?: boolean;
}

/** A value in its line, or an empty slot as long as there is none. In a comparison with another run, the
 * old value stands before it. */
function cell({ y, width, caption, role, text, old, stale, partial, editable }: CellProps) {
  const value = text + (partial ? "…" : "");
  const shown = stale ? `${value}?` : old ? `${old} → ${value}` : value;
  return (
    <g class={`cell ${editable ? "editable" : ""} ${old ? "changed" : ""} ${stale ? "stale" : ""}`}>
      {editable && <rect class="grip" data-grip="" x={width / 2 + 2} y={y - 14} width={width / 2 - 6} height="19" rx="5" />}
      {text ? (
        <text
          class={`number ${role} ${text === "none" ? "none" : ""}`}
          x={width - PAD}
          y={y}
          text-anchor="end"
          {...fitted(shown, width - PAD)}
        >
          {shown}
        </text>
      ) : (
        <path class="slot" d={`M${width - PAD - 26} ${y - 3}h26`} />
      )}
      {old !== "" && <title>{`${caption} was ${old}`}</title>}
    </g>
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
