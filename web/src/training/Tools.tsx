/** What the mouse does on the plane, and the points as a whole. */

import { toCsv } from "./points";
import type { Plane } from "./plane-state";
import { Mark } from "./PlaneView";
import type { Tool } from "./room";

const TOOLS: { tool: Tool; words: string; title: string; mark?: 0 | 1 }[] = [
  { tool: "select", words: "Choose", title: "Choose and drag points" },
  { tool: "zero", words: "Add 0", title: "Add points of label 0; right click or Shift: label 1", mark: 0 },
  { tool: "one", words: "Add 1", title: "Add points of label 1; right click or Shift: label 0", mark: 1 },
  { tool: "erase", words: "Erase", title: "Delete the points that are clicked" },
];

/** What a press on the plane does. */
export function Tools({ plane: { room } }: { plane: Plane }) {
  return (
    <div class="segments" role="group" aria-label="Mouse on the plane">
      {TOOLS.map(({ tool, words, title, mark }) => (
        <button
          key={tool}
          type="button"
          class="button"
          title={title}
          aria-pressed={room.tool.value === tool}
          onClick={() => {
            room.tool.value = tool;
          }}
        >
          {mark !== undefined && <Mark label={mark} />}
          {words}
        </button>
      ))}
    </div>
  );
}

/** What is done to all points. */
export function AllPoints({ plane }: { plane: Plane }) {
  const { room } = plane;
  const isEmpty = room.points.value.length === 0;
  const clear = () => {
    room.keep();
    room.setPoints([]);
  };
  return (
    <div class="all-points" role="group" aria-label="All points">
      <button
        type="button"
        class="button quiet"
        disabled={room.undoable.value === 0}
        onClick={() => room.undo()}
      >
        Undo
      </button>
      <button type="button" class="button quiet" disabled={isEmpty} onClick={clear}>
        Clear
      </button>
      <button type="button" class="button quiet" disabled={isEmpty} onClick={() => download(plane)}>
        Save CSV
      </button>
    </div>
  );
}

/** The points as a file on the machine of the person. */
function download(plane: Plane): void {
  const url = URL.createObjectURL(new Blob([toCsv(plane.room.points.value)], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "points.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
