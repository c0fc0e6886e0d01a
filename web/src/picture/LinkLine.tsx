import type { Point } from "./layout";
import type { LinkLook } from "./look";
import { memo } from "./memo";
import { HEIGHT, SMALL_GLYPH } from "./measure";

export interface LinkLineProps {
  id: string;
  points: Point[];
  count: number;
  look: LinkLook;
  selected: boolean;
  highlighted: boolean;
  dimmed: boolean;
  /** Whether it stands for one edge, which can be selected. */
  alone: boolean;
}

/** An edge: a curve with an arrow, and a wide line to hit. */
export const LinkLine = memo(function LinkLine(props: LinkLineProps) {
  const { id, points, count, look, selected, highlighted, dimmed, alone } = props;
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
      <title>{look.slope || look.spoken}</title>
    </g>
  );
});

/** A local derivative at its edge; drawn above the boxes. */
export const SlopeLabel = memo(function SlopeLabel({ points, text }: { points: Point[]; text: string }) {
  const { x, y } = middle(points);
  const width = text.length * SMALL_GLYPH + 14;
  const room = Math.abs(points.at(-1)!.x - points[0]!.x);
  const top = width > room ? y - HEIGHT / 2 - 26 : y - 11; // above the boxes where it would cover them
  return (
    <g class="slope" transform={`translate(${(x - width / 2).toFixed(1)} ${top.toFixed(1)})`}>
      <rect width={width} height="22" rx="6" />
      <text x={width / 2} y="15" text-anchor="middle">
        {text}
      </text>
    </g>
  );
});

function middle(points: readonly Point[]): Point {
  const [a, b] = [points[(points.length - 1) >> 1]!, points[points.length >> 1]!];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

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

function tip({ x, y }: Point, backward: boolean): string {
  return backward ? `M${x} ${y}l9 -5v10z` : `M${x} ${y}l-8 -4v8z`;
}
