/** The curve of the loss. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { formatted } from "../engine";
import { useCanvas } from "./drawing/canvas";
import { Check } from "../ui/fields";
import { frameOf, paintCurve, type CurveFrame } from "./paint-curve";
import { palette } from "./drawing/palette";
import { WORDS } from "./run/words";
import type { TrainingRoom } from "./run/room";

export function LossCurve({ room }: { room: TrainingRoom }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const log = useSignal(false);
  const at = useSignal<number | null>(null);
  const shown = useRef<CurveFrame | null>(null);
  useCanvas(canvas, (context, size) => {
    void room.frame.value; // each frame extends the curve
    shown.current = frameOf(room.curve, size, log.value);
    if (palette.value) paintCurve(context, shown.current, room.curve, at.value, palette.value);
  });
  const count = room.frame.value ? room.curve.losses.length : 0;
  const index = at.value === null ? null : Math.min(at.value, count - 1);
  const point = (event: PointerEvent) => {
    const { left } = canvas.current!.getBoundingClientRect();
    at.value = shown.current?.indexAt(event.clientX - left) ?? null;
  };
  return (
    <section class="card curve" aria-labelledby="curve-title">
      <header class="card-head">
        <h2 id="curve-title">Loss: {nameOfLoss(room)}</h2>
        <Check look="check small" on={log.value} onChange={(on) => (log.value = on)}>
          Logarithmic
        </Check>
      </header>
      <div
        class="curve-field"
        role="slider"
        tabIndex={0}
        aria-label="Loss curve: update to read"
        aria-valuemin={0}
        aria-valuemax={count * room.curve.every}
        aria-valuenow={index === null || index < 0 ? 0 : room.curve.update(index)}
        aria-valuetext={reading(room, index)}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => (at.value = null)}
        onKeyDown={(event) => {
          const next = moved(event.key, index, count);
          if (next === null) return;
          event.preventDefault();
          event.stopPropagation();
          at.value = next;
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      <p class="legend curve-legend">
        <span><span class="key-line batch" /> each update&apos;s batch</span>
        <span><span class="key-line smooth" /> training, smoothed</span>
        {room.frame.value?.test && (
          <>
            <span><span class="key-line test" /> test</span>
          </>
        )}
      </p>
      <p class="number note" data-testid="curve-reading">
        {reading(room, index)}
      </p>
    </section>
  );
}

function reading({ curve }: TrainingRoom, index: number | null): string {
  if (curve.losses.length === 0) return "No updates yet.";
  const i = index ?? curve.losses.length - 1;
  const last = curve.update(i);
  const updates = curve.every === 1 ? `update ${last}` : `updates ${last - curve.every + 1} to ${last}, mean`;
  const smooth = curve.losses.length > 1 ? `, smoothed ${formatted(curve.smoothed()[i]!)}` : "";
  return `${updates}: loss ${formatted(curve.losses[i]!)}${smooth}`;
}

function moved(key: string, index: number | null, count: number): number | null {
  if (count === 0) return null;
  const from = index ?? count - 1;
  const page = Math.max(1, Math.round(count / 10));
  const step = (
    { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -page, PageUp: page } as Record<
      string,
      number
    >
  )[key];
  if (step !== undefined) return Math.min(count - 1, Math.max(0, from + step));
  return key === "Home" ? 0 : key === "End" ? count - 1 : null;
}

/** The loss of the run: the page shows no other. */
function nameOfLoss(room: TrainingRoom): string {
  const { loss = "" } = room.configuration.value ?? {};
  return WORDS[loss] ?? loss;
}
