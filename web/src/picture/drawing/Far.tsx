import type { Arrangement } from "../layout/arrange";
import type { Rect } from "../shared/plan";
import type { Showing } from "../look/look";
import { curve } from "./LinkLine";
import { memo } from "../shared/memo";
import { outline } from "../shared/rects";

const CHUNK = 250;
/** More edges than this are drawn straight. */
const STRAIGHT = 4000;

/** What a box shows from afar: nothing yet, its data, or its gradient too. */
const STATES = ["unknown", "known", "arrived"] as const;

interface ChunkProps {
  rects: readonly Rect[];
  from: number;
  states: string;
}

/** Hundreds of boxes in three paths, because no text can be read from afar. A step changes one chunk. */
const Chunk = memo(function Chunk({ rects, from, states }: ChunkProps) {
  const paths = STATES.map((_, state) => {
    let d = "";
    for (let k = 0; k < states.length; k++) if (states[k] === String(state)) d += outline(rects[from + k]!);
    return d;
  });
  return (
    <g>
      {STATES.map(
        (name, state) => paths[state] && <path key={name} class={`far ${name}`} d={paths[state]} />,
      )}
    </g>
  );
});

const Lines = memo(function Lines({ arrangement }: { arrangement: Arrangement }) {
  const { paths, down } = arrangement.plan;
  const bent = paths.length <= STRAIGHT;
  let d = "";
  for (const points of paths) {
    const [start, end] = [points[0]!, points.at(-1)!];
    const [sx, sy, ex, ey] = [start.x, start.y, end.x, end.y].map(Math.round);
    d += bent ? curve([start, end], down) : `M${sx} ${sy}L${ex} ${ey}`;
  }
  return <path class="far-lines" d={d} />;
});

/** The whole picture from afar. */
export function Far({ arrangement, showing }: { arrangement: Arrangement; showing: Showing }) {
  const { rects } = arrangement.plan;
  const states = statesOf(arrangement, showing);
  const starts = Array.from({ length: Math.ceil(rects.length / CHUNK) }, (_, k) => k * CHUNK);
  return (
    <g class="overview" aria-hidden="true">
      <Lines arrangement={arrangement} />
      {starts.map((from) => (
        <Chunk key={from} rects={rects} from={from} states={states.slice(from, from + CHUNK)} />
      ))}
    </g>
  );
}

/** One digit per box; a group has the state of its last member. */
export function statesOf({ boxes }: Arrangement, { timeline, time }: Showing): string {
  let states = "";
  for (const { members } of boxes) {
    const last = members.at(-1)!;
    const arrived = typeof timeline.gradient(last, time) === "number";
    states += arrived ? "2" : timeline.known(last, time) ? "1" : "0";
  }
  return states;
}
