import type { Plan, Point, Size } from "../shared/plan";
import { outline } from "../shared/rects";
import { memo } from "../shared/memo";
import { type View, shown } from "../shared/view";

const WIDE = 168;
const HIGH = 108;
/** A long chain is drawn at least so high. */
const LEAST = 28;

interface MinimapProps {
  plan: Plan;
  view: View;
  frame: Size;
  /** The box of the present step; -1: none. */
  current: number;
  onMove(to: Point): void;
}

const Boxes = memo(function Boxes({ plan }: { plan: Plan }) {
  return <path class="all" d={plan.rects.map(outline).join("")} />;
});

/** The whole picture in a corner, and the part that the frame shows. It is hidden from the keyboard,
 * which moves the picture itself. */
export function Minimap({ plan, view, frame, current, onMove }: MinimapProps) {
  const scale = Math.min(WIDE / Math.max(1, plan.width), HIGH / Math.max(1, plan.height));
  const [wide, high] = [Math.max(LEAST, plan.width * scale), Math.max(LEAST, plan.height * scale)];
  const part = shown(view, frame);
  const move = (event: PointerEvent) => {
    if (!(event.buttons & 1)) return;
    const corner = (event.currentTarget as Element).getBoundingClientRect();
    onMove({
      x: ((event.clientX - corner.left) / corner.width) * plan.width,
      y: ((event.clientY - corner.top) / corner.height) * plan.height,
    });
  };
  const now = plan.rects[current];
  const dot = 3;
  return (
    <svg
      class="picture-minimap"
      width={wide}
      height={high}
      viewBox={`0 0 ${plan.width} ${plan.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onPointerDown={move}
      onPointerMove={move}
    >
      <Boxes plan={plan} />
      {now && (
        <ellipse
          class="now"
          cx={now.x + now.width / 2}
          cy={now.y + now.height / 2}
          rx={(dot * plan.width) / wide}
          ry={(dot * plan.height) / high}
        />
      )}
      <rect
        class="part"
        x={part.x}
        y={part.y}
        width={part.width}
        height={part.height}
        stroke-width="1.5"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  );
}
