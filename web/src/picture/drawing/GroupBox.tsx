import type { Graph } from "../../engine/graph";
import type { Part } from "../fold/fold";
import type { Heat } from "../look/heat";
import type { Rect } from "../shared/plan";
import type { BoxLook } from "../look/look";
import { GROUP_HEIGHT, PAD, STACK } from "../layout/measure";
import { memo } from "../shared/memo";
import { counted, shorten, tally } from "../shared/names";
import { type BoxMarks, badges, classes, doubt, target } from "./NodeBox";

export interface GroupBoxProps {
  graph: Graph;
  box: Part;
  rect: Rect;
  look: BoxLook;
  marks: BoxMarks;
  focusable: boolean;
  /** Its colour; null: groups are not coloured, or it is not known yet. */
  heat: Heat | null;
}

/** A folded group: sheets behind each other, what it contains, and the ranges of its values. */
export const GroupBox = memo(function GroupBox({ graph, box, rect, look, marks, focusable, heat }: GroupBoxProps) {
  const width = rect.width - STACK;
  return (
    <g
      class={`node group ${classes(look, marks)} ${heat ? `heat heat-${heat.level < 0 ? "none" : heat.level}` : ""}`}
      transform={`translate(${rect.x.toFixed(1)} ${rect.y.toFixed(1)})`}
      data-box={box.id}
    >
      {target({ rect, name: `${look.spoken}${heat ? `, ${heat.words}` : ""}; folded`, title: doubt(look), focusable, "aria-expanded": false })}
      <g aria-hidden="true">
        {[STACK, STACK / 2].map((shift) => (
          <rect key={shift} class="behind" x={shift} y={-shift} width={width} height={GROUP_HEIGHT} rx="9" />
        ))}
        <rect class="box" width={width} height={GROUP_HEIGHT} rx="9" />
        <text class="name" x={PAD} y="20">
          {shorten(box.title)}
        </text>
        <path class="plus" d={`M${width - 20} 15h10m-5 -5v10`} />
        <text class="note" x={PAD} y="37">
          {shorten(heat && isDescribed(heat) ? heat.words : noteOf(graph, box), Math.floor((width - 2 * PAD) / 7.3))}
        </text>
        <Line y={55} caption="data" text={look.data} changed={!!look.oldData} stale={look.staleData} width={width} />
        <Line y={73} caption="grad" text={look.grad} changed={false} stale={look.staleGrad} width={width} />
        {badges(width, marks)}
      </g>
    </g>
  );
});

/** Whether the box shows the description of its colour. */
function isDescribed({ level }: Heat): boolean {
  return level !== -1;
}

/** The number of nodes of each kind; only the number, if the title is the kind. */
function noteOf(graph: Graph, box: Part): string {
  const held = tally(graph, box.members);
  return held === box.title ? `${counted(box.members.length)} nodes` : held;
}

function Line({
  y,
  caption,
  text,
  changed,
  stale,
  width,
}: {
  y: number;
  caption: "data" | "grad";
  text: string;
  changed: boolean;
  stale: boolean;
  width: number;
}) {
  const room = width - 2 * PAD - 38;
  const squeezed =
    text.length * 8.1 > room ? { textLength: room, lengthAdjust: "spacingAndGlyphs" as const } : {};
  return (
    <g class={`cell ${changed ? "changed" : ""} ${stale ? "stale" : ""}`}>
      <text class="caption" x={PAD} y={y}>
        {changed ? `${caption} Δ` : stale ? `${caption} ?` : caption}
      </text>
      {text ? (
        <text class={`span ${caption}`} x={PAD + 38} y={y} {...squeezed}>
          {text}
        </text>
      ) : (
        <path class="slot" d={`M${PAD + 38} ${y - 4}h40`} />
      )}
    </g>
  );
}
