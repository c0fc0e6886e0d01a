/** One example, chosen on the plane or by its number. Its loss opens as a walk. */

import { formatted } from "../../engine";
import { NumberInput } from "../../ui/fields";
import type { Plane } from "./plane-state";
import { Mark } from "./Mark";
import { Button } from "../../ui/Button";

export function Example({ plane }: { plane: Plane }) {
  const { room } = plane;
  const points = room.points.value;
  const chosen = room.chosen.value;
  const point = chosen === null ? undefined : points[chosen];
  return (
    <section class="card example" aria-labelledby="example-title">
      <header class="card-head">
        <h2 id="example-title">One example</h2>
        <div class="example-number">
          <Button aria-label="Previous example" disabled={!points.length} onClick={() => plane.choose(-1)}>
            ‹
          </Button>
          <NumberInput
            type="number"
            aria-label="Example"
            min={0}
            placeholder="–"
            value={chosen}
            read={(text) => (text !== "" && points[Number(text)] ? Number(text) : null)}
            onNumber={(index) => (room.chosen.value = index)}
          />
          <Button aria-label="Next example" disabled={!points.length} onClick={() => plane.choose(1)}>
            ›
          </Button>
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
            <Button look="primary" onClick={() => room.openWalk(chosen)}>
              Step through its loss
            </Button>
            <Button onClick={() => plane.flip(chosen)}>Flip label</Button>
            <Button onClick={() => plane.remove(chosen)}>Delete</Button>
          </div>
        </>
      ) : (
        <p class="note">Click a point, or type its number, to step through its loss.</p>
      )}
    </section>
  );
}

function answerWords(plane: Plane, x: number, y: number): string {
  const answer = plane.answer(x, y);
  return answer === null ? "" : `, P(1) ${formatted(Number(answer.toFixed(4)))}`;
}
