import type { Arrangement } from "../layout/arrange";
import { type Frame, framesOf } from "../layout/frames";
import { memo } from "../shared/memo";
import { columns, shorten } from "../shared/names";

const GLYPH = 7.2;
/** How much narrower the connections of boxes are than their borders. */
const NARROWER = 7;
const APART = 13;

/** Quiet frames behind the boxes of open groups. */
export const Frames = memo(function Frames({ arrangement }: { arrangement: Arrangement }) {
  const frames = framesOf(arrangement);
  if (!frames.length) return null;
  return (
    <g class="frames" aria-hidden="true">
      {frames.map((frame) => (
        <g key={frame.id}>
          {layer(frame, "line", 2 * frame.off + 2)}
          {layer(frame, "ground", 2 * frame.off)}
        </g>
      ))}
    </g>
  );
});

/** A wide line around the shapes makes them one: drawn twice, its border is the frame. */
function layer({ shapes, joints }: Frame, name: "line" | "ground", width: number) {
  return (
    <g class={`frame ${name}`} stroke-width={width}>
      <path d={shapes} />
      {joints !== "" && <path class="joint" d={joints} stroke-width={width - NARROWER} />}
    </g>
  );
}

/** The names of open groups, at their frames; a click folds. The keyboard has Backspace for it, and
 * the list of open groups below the picture. */
export const FrameNames = memo(function FrameNames({ arrangement }: { arrangement: Arrangement }) {
  const frames = framesOf(arrangement);
  if (!frames.length) return null;
  return (
    <g class="frame-names" aria-hidden="true">
      {frames.map((frame) => (
        <FrameName key={frame.id} frame={frame} />
      ))}
    </g>
  );
});

const FrameName = memo(function FrameName({ frame: { id, title, x, y, off, inside } }: { frame: Frame }) {
  const name = shorten(title);
  const width = columns(name) * GLYPH + 30;
  const top = y - off - 10 - APART * inside; // names at the same corner are above each other
  return (
    <g
      class="frame-name"
      data-fold={id}
      transform={`translate(${(x - off + 8).toFixed(1)} ${top.toFixed(1)})`}
    >
      <rect width={width} height="18" rx="9" />
      <text x="10" y="13">
        {name}
      </text>
      <path class="minus" d={`M${width - 17} 9h8`} />
      <title>{`Fold ${title}`}</title>
    </g>
  );
});
