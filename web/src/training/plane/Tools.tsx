/** The tools of the mouse on the plane, and the actions on all points. */

import { toCsv } from "../run/points";
import type { Plane } from "./plane-state";
import { save } from "../../ui/files";
import { Mark } from "./Mark";
import type { Tool } from "../run/room";
import { Button } from "../../ui/Button";

const TOOLS: { tool: Tool; words: string; title: string; mark?: 0 | 1 }[] = [
  { tool: "select", words: "Choose", title: "Choose and drag points" },
  { tool: "zero", words: "Add 0", title: "Add points with label 0 (right click or Shift: label 1)", mark: 0 },
  { tool: "one", words: "Add 1", title: "Add points with label 1 (right click or Shift: label 0)", mark: 1 },
  { tool: "erase", words: "Erase", title: "Delete points by clicking them" },
];

/** Chooses what a press on the plane does. */
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

/** Changes or saves all points. */
export function AllPoints({ plane }: { plane: Plane }) {
  const { room } = plane;
  const isEmpty = room.points.value.length === 0;
  const clear = () => {
    room.keep();
    room.setPoints([]);
  };
  return (
    <div class="all-points" role="group" aria-label="All points">
      <Button look="quiet" disabled={room.undoable.value === 0} onClick={() => room.undo()}>
        Undo
      </Button>
      <Button look="quiet" disabled={isEmpty} onClick={clear}>
        Clear
      </Button>
      <Button
        look="quiet"
        disabled={isEmpty}
        onClick={() => save("points.csv", toCsv(room.points.value), "text/csv")}
      >
        Save CSV
      </Button>
    </div>
  );
}
