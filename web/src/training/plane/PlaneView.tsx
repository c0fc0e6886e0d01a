/** The plane: the points, and the prediction of the network everywhere. */

import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { formatted } from "../../engine";
import { useCanvas } from "../drawing/canvas";
import { Check } from "../../ui/fields";
import { Mark } from "./Mark";
import { paintPlane } from "./paint-plane";
import { palette } from "../drawing/palette";
import type { Plane } from "./plane-state";
import { AllPoints, Tools } from "./Tools";
import { usePointer } from "./use-pointer";

export function PlaneView({ plane }: { plane: Plane }) {
  const { room } = plane;
  const canvas = useRef<HTMLCanvasElement>(null);
  const field = useRef<HTMLDivElement>(null);
  const focused = useSignal(false);
  const smooth = useSignal(true);
  useCanvas(canvas, (context, size) => {
    plane.size.value = size;
    if (!palette.value) return;
    const scene = {
      view: plane.view(),
      boundary: room.frame.value?.boundary ?? null,
      points: room.points.value,
      tested: plane.testShown.value ? (room.frame.value?.test?.points ?? []) : [],
      chosen: room.chosen.value,
      cursor: focused.value ? plane.cursor.value : null,
      smooth: smooth.value,
    };
    paintPlane(context, scene, palette.value);
  });
  usePointer(field, plane);
  const keys = useMemo(() => keysOf(plane), [plane]);
  return (
    <section class="card plane" aria-labelledby="plane-title">
      <header class="card-head">
        <h2 id="plane-title">Predictions of the network</h2>
        <AllPoints plane={plane} />
      </header>
      <div class="tools">
        <Tools plane={plane} />
        {room.frame.value?.test && (
          <Check look="check small" on={plane.testShown.value} onChange={(on) => (plane.testShown.value = on)}>
            Test points
          </Check>
        )}
        <Check look="check small" on={smooth.value} onChange={(on) => (smooth.value = on)}>
          Smooth
        </Check>
      </div>
      <div
        ref={field}
        class={`plane-field tool-${room.tool.value}`}
        role="application"
        aria-label="Plane of the points"
        aria-describedby="plane-keys"
        tabIndex={0}
        onKeyDown={keys}
        onFocus={(event) => {
          focused.value = event.currentTarget.matches(":focus-visible");
        }}
        onBlur={() => {
          focused.value = plane.carrying.value = false;
          plane.held.value = null;
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      <Readout plane={plane} />
      <p id="plane-keys" class="visually-hidden">
        Arrow keys move the cursor. Enter adds a point. n and p choose the next and the previous point, m
        moves it, l flips its label, Delete deletes it.
      </p>
      <p class="visually-hidden" role="status">
        {plane.announced.value}
      </p>
    </section>
  );
}

/** Coordinates and prediction at the mouse, or at the cursor of the keyboard. */
function Readout({ plane }: { plane: Plane }) {
  const at = plane.hover.value ?? plane.cursor.value;
  const answer = at && plane.answer(...at);
  const { loss = "bce" } = plane.room.configuration.value ?? {}; // unknown until the studio answers
  return (
    <div class="readout">
      <p class="number" data-testid="readout">
        {at ? `x ${at[0].toFixed(2)}  y ${at[1].toFixed(2)}  ` : "Point at the plane to read a prediction"}
        {answer !== null && answer !== undefined && `P(1) ${formatted(Number(answer.toFixed(4)))}`}
      </p>
      <p class="legend">
        <Mark label={0} /> label 0
        <i class="ramp" aria-hidden="true" />
        <Mark label={1} /> label 1
        {plane.testShown.value && plane.room.frame.value?.test && (
          <>
            <Mark label={0} hollow />
            <Mark label={1} hollow /> test points: not learned from
          </>
        )}
      </p>
      {loss !== "bce" && (
        <p class="note">This loss gives no probability. Here, P(1) is (1 + score) / 2, clipped to 0 and 1.</p>
      )}
    </div>
  );
}

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

function keysOf(plane: Plane): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    const action = ACTIONS[event.key];
    if (!arrow && !action) return;
    event.preventDefault();
    event.stopPropagation(); // elsewhere, the arrow keys step the training
    if (arrow) plane.go(...arrow, event.shiftKey);
    else action!(plane);
  };
}

const ACTIONS: Record<string, (plane: Plane) => void> = {
  Enter: (plane) => {
    if (plane.carrying.value) return plane.carry();
    const [x0, x1, y0, y1] = plane.extent.value;
    const [x, y] = plane.cursor.value ?? [(x0 + x1) / 2, (y0 + y1) / 2];
    plane.cursor.value = [x, y];
    plane.add(x, y, plane.room.tool.value === "zero" ? 0 : 1);
  },
  n: (plane) => plane.choose(1),
  p: (plane) => plane.choose(-1),
  m: (plane) => plane.carry(),
  l: (plane) => onChosen(plane, (index) => plane.flip(index)),
  Delete: (plane) => onChosen(plane, (index) => plane.remove(index)),
  Backspace: (plane) => onChosen(plane, (index) => plane.remove(index)),
  Escape: (plane) => {
    plane.carrying.value = false;
    plane.held.value = plane.room.chosen.value = null;
  },
};

function onChosen(plane: Plane, act: (index: number) => void): void {
  const chosen = plane.room.chosen.value;
  if (chosen === null) plane.announce("Choose a point first, with n or p.");
  else act(chosen);
}
