/** The training page: watch a small network learn, update by update. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WalkDocument } from "../document";
import { Alerts, Controls } from "./settings/Controls";
import { Example } from "./plane/Example";
import { Flow } from "./Flow";
import { Help } from "./Help";
import { useShortcuts } from "../ui/keys";
import { SHORTCUTS } from "./keys";
import { LossCurve } from "./LossCurve";
import { Network } from "./network/Network";
import { usePalette } from "./drawing/palette";
import { Plane } from "./plane/plane-state";
import { PlaneView } from "./plane/PlaneView";
import { TrainingRoom } from "./run/room";
import { Transport } from "./Transport";
import { WalkView } from "./WalkView";

export interface PageProps {
  /** Shows a graph on the page Walk. */
  openWalk?: (document: WalkDocument) => void;
}

/** The page keeps its state while other pages are open. Its run waits on the server. */
let kept: TrainingRoom | null = null;

export function Page({ openWalk }: PageProps) {
  const room = useMemo(() => (kept ??= new TrainingRoom()), []);
  const plane = useMemo(() => new Plane(room), [room]);
  useEffect(() => {
    room.enter();
    return () => room.leave();
  }, [room]);
  if (room.walk.value) return <WalkView room={room} openWalk={openWalk} />;
  return <Training room={room} plane={plane} />;
}

function Training({ room, plane }: { room: TrainingRoom; plane: Plane }) {
  const root = useRef<HTMLDivElement>(null);
  const [help, setHelp] = useState(false);
  usePalette(root);
  useShortcuts(SHORTCUTS, room);
  return (
    <div ref={root} class="training">
      <h1 class="visually-hidden">Training</h1>
      <Transport room={room} help={() => setHelp(true)} />
      <Alerts room={room} />
      <div class="training-grid">
        <div class="column plane-column">
          <PlaneView plane={plane} />
          <Example plane={plane} />
        </div>
        <div class="column live-column">
          <Network room={room} />
          <LossCurve room={room} />
          <Flow room={room} />
        </div>
        <div class="column settings-column">
          <Controls room={room} />
        </div>
      </div>
      <Help open={help} onClose={() => setHelp(false)} />
    </div>
  );
}
