import { type Place, TALL } from "./labels";
import type { Point } from "./plan";
import type { LinkLook } from "./look";
import { memo } from "./memo";

export interface LinkLineProps {
  id: string;
  points: Point[];
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
  const { id, points, count, look, selected, highlighted, dimmed, alone, hovered } = props;
  const d = curve(points);
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
      <path class="tip" d={tip(backward ? points[0]! : points.at(-1)!, backward)} />
      <path class="hit" d={d} />
      {hovered && <title>{look.slope || look.spoken}</title>}
    </g>
  );
});

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

/** Curves that leave and arrive level. */
export function curve(points: readonly Point[]): string {
  let { x, y } = points[0]!;
  let d = `M${x.toFixed(1)} ${y.toFixed(1)}`;
  for (const next of points.slice(1)) {
    const half = ((x + next.x) / 2).toFixed(1);
    d += `C${half} ${y.toFixed(1)} ${half} ${next.y.toFixed(1)} ${next.x.toFixed(1)} ${next.y.toFixed(1)}`;
    ({ x, y } = next);
  }
  return d;
}

/** The arrow: at the end, or for a gradient at the start. */
export function tip({ x, y }: Point, backward: boolean): string {
  return backward ? `M${x} ${y}l9 -5v10z` : `M${x} ${y}l-8 -4v8z`;
}
