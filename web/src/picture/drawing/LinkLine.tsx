import { type Place, TALL } from "../layout/labels";
import { SMALL_GLYPH } from "../layout/measure";
import type { Point } from "../shared/plan";
import type { LinkLook } from "../look/look";
import { memo } from "../shared/memo";

export interface LinkLineProps {
  id: string;
  points: Point[];
  /** Whether edges run from top to bottom. */
  down: boolean;
  count: number;
  look: LinkLook;
  selected: boolean;
  highlighted: boolean;
  dimmed: boolean;
  /** Whether it is one edge, which can be selected. */
  alone: boolean;
  /** Whether the mouse is at it. Only then it has a title: hundreds of titles would take long. */
  hovered: boolean;
}

/** An edge: a curve with an arrow, and a wide line to hit. */
export const LinkLine = memo(function LinkLine(props: LinkLineProps) {
  const { id, points, down, count, look, selected, highlighted, dimmed, alone, hovered } = props;
  const d = curve(points, down);
  const backward = look.glow === "backward";
  const thick = count > 1 ? Math.min(5, 1.5 + 0.45 * Math.log2(count)) : undefined;
  const names = [
    "edge",
    look.glow && `glow-${look.glow}`,
    look.dotted && "dotted",
    look.faint && "faint",
    selected && "selected",
    highlighted && "highlighted",
    dimmed && "dimmed",
  ];
  const spoken = { "aria-label": look.spoken };
  return (
    <g
      class={names.filter(Boolean).join(" ")}
      data-link={id}
      {...(alone ? { role: "button", tabindex: -1, ...spoken } : { role: "img", ...spoken })}
    >
      <path class="line" d={d} stroke-width={thick} />
      <path class="tip" d={tip(backward ? points[0]! : points.at(-1)!, backward, down)} />
      <path class="hit" d={d} />
      {hovered && <title>{look.slope || look.spoken}</title>}
    </g>
  );
});

/** The contribution on its way from the node to its operand. */
export function Traveller({ d, text }: { d: string; text: string }) {
  const width = text.length * SMALL_GLYPH + 14;
  return (
    <g class="traveller" aria-hidden="true" style={{ offsetPath: `path("${d}")` }}>
      <rect x={-width / 2} y={-TALL / 2} width={width} height={TALL} rx={TALL / 2} />
      <text y="4" text-anchor="middle">
        {text}
      </text>
    </g>
  );
}

/** A local derivative at its edge; drawn above the boxes. */
export const SlopeLabel = memo(function SlopeLabel({ x, y, width, text }: Place & { text: string }) {
  return (
    <g class="slope" transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>
      <rect width={width} height={TALL} rx="6" />
      <text x={width / 2} y="15" text-anchor="middle">
        {text}
      </text>
    </g>
  );
});

/** Curves that leave and arrive level; upright, if the picture runs down. */
export function curve(points: readonly Point[], down: boolean): string {
  let { x, y } = points[0]!;
  let d = `M${x.toFixed(1)} ${y.toFixed(1)}`;
  for (const next of points.slice(1)) {
    const [fromX, fromY, toX, toY] = [x, y, next.x, next.y].map((at) => at.toFixed(1));
    const half = ((down ? y + next.y : x + next.x) / 2).toFixed(1);
    const bend = down ? `${fromX} ${half} ${toX} ${half}` : `${half} ${fromY} ${half} ${toY}`;
    d += `C${bend} ${toX} ${toY}`;
    ({ x, y } = next);
  }
  return d;
}

/** The arrow: at the end, or for a gradient at the start. */
export function tip({ x, y }: Point, backward: boolean, down: boolean): string {
  if (down) return backward ? `M${x} ${y}l-5 9h10z` : `M${x} ${y}l-4 -8h8z`;
  return backward ? `M${x} ${y}l9 -5v10z` : `M${x} ${y}l-8 -4v8z`;
}
