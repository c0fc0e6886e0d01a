/** The walk of one example's loss, with a way back. */

import { useEffect, useRef } from "preact/hooks";
import type { WalkDocument } from "../document";
import { Walk } from "../walk";
import type { TrainingRoom } from "./run/room";
import { Button } from "../ui/Button";

export interface WalkViewProps {
  room: TrainingRoom;
  /** Shows the graph on the page Walk. */
  openWalk?: (document: WalkDocument) => void;
}

const PLACE = "#/training/walk";

export function WalkView({ room, openWalk }: WalkViewProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []); // not the button, because Space plays here
  useEffect(() => {
    // a place of its own, so that the browser's Back closes the walk and stays on the page
    if (location.hash !== PLACE) history.pushState(null, "", PLACE);
    const follow = () => location.hash !== PLACE && room.closeWalk();
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, [room]);
  const shown = room.walk.value;
  if (!shown) return null;
  return (
    <div class="training-walk">
      <header class="training-walk-head">
        <Button onClick={() => history.back()}>← Back to training</Button>
        <h1 ref={title} tabIndex={-1}>
          Loss of example {shown.example} after {shown.step.toLocaleString("en")}{" "}
          {shown.step === 1 ? "update" : "updates"}
        </h1>
        {openWalk && (
          <Button look="quiet" onClick={() => openWalk(shown.document)}>
            Open in Walk
          </Button>
        )}
      </header>
      <Walk document={shown.document} options={{ presets: false, keys: "page" }} />
    </div>
  );
}
