/** One example: chosen on the plane or by its number, and the way into the walk of its loss. */

import { useMemo } from "preact/hooks";
import { formatted } from "../engine";
import type { Plane } from "./plane-state";
import { Mark } from "./PlaneView";

export function Example({ plane }: { plane: Plane }) {
  const { room } = plane;
  const points = room.points.value;
  const chosen = room.chosen.value;
  // The very same element in every frame: what is being typed must not be written over.
  const field = useMemo(() => <ExampleField plane={plane} />, [plane]);
  const point = chosen === null ? undefined : points[chosen];
  return (
    <section class="card example" aria-labelledby="example-title">
      <header class="card-head">
        <h2 id="example-title">One example</h2>
        <div class="example-number">
          <button
            type="button"
            class="button"
            aria-label="Example before"
            disabled={!points.length}
            onClick={() => plane.choose(-1)}
          >
            ‹
          </button>
          {field}
          <button
            type="button"
            class="button"
            aria-label="Example after"
            disabled={!points.length}
            onClick={() => plane.choose(1)}
          >
            ›
          </button>
          <span class="note">of {points.length}</span>
        </div>
      </header>
      {point && chosen !== null ? (
        <>
          <p class="number example-words">
            x {formatted(point[0])}, y {formatted(point[1])}, label <Mark label={point[2]} /> {point[2]}
            {answerWords(plane, point[0], point[1])}
          </p>
          <div class="row">
            <button type="button" class="button primary" onClick={() => room.openWalk(chosen)}>
              Walk this example’s loss
            </button>
            <button type="button" class="button" onClick={() => plane.flip(chosen)}>
              Other label
            </button>
            <button type="button" class="button" onClick={() => plane.remove(chosen)}>
              Delete
            </button>
          </div>
        </>
      ) : (
        <p class="note">
          Click a point, or choose one by its number: its loss can be walked, number by number.
        </p>
      )}
    </section>
  );
}

function ExampleField({ plane }: { plane: Plane }) {
  return (
    <input
      class="field"
      type="number"
      aria-label="Example"
      min={0}
      value={plane.room.chosen.value ?? ""}
      placeholder="–"
      onChange={(event) => choose(plane, event.currentTarget)}
    />
  );
}

function answerWords(plane: Plane, x: number, y: number): string {
  const answer = plane.answer(x, y);
  return answer === null ? "" : `, P(1) ${formatted(Number(answer.toFixed(4)))}`;
}

function choose(plane: Plane, input: HTMLInputElement): void {
  const index = Number(input.value);
  const exists = input.value !== "" && plane.room.points.value[index] !== undefined;
  plane.room.chosen.value = exists ? index : null;
  if (!exists) input.value = "";
}
