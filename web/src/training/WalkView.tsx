/** The walk of one example's loss, with the way back. */

import { useEffect, useRef } from "preact/hooks";
import type { WalkDocument } from "../document";
import { Walk } from "../walk";
import type { TrainingRoom } from "./room";

export interface WalkViewProps {
  room: TrainingRoom;
  /** Shows the graph in the room of the walk. */
  openWalk?: (document: WalkDocument) => void;
}

export function WalkView({ room, openWalk }: WalkViewProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []); // not the button: Space plays here
  const shown = room.walk.value;
  if (!shown) return null;
  return (
    <div class="training-walk">
      <header class="training-walk-head">
        <button type="button" class="button" onClick={() => room.closeWalk()}>
          ← Back to the training
        </button>
        <h1 ref={title} tabIndex={-1}>
          Loss of example {shown.example} after {shown.step.toLocaleString("en")}{" "}
          {shown.step === 1 ? "update" : "updates"}
        </h1>
        {openWalk && (
          <button type="button" class="button quiet" onClick={() => openWalk(shown.document)}>
            Open in the walk
          </button>
        )}
      </header>
      <Walk document={shown.document} options={{ presets: false, keys: "page" }} />
    </div>
  );
}
