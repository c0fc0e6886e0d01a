/** The training room: watch a small network learn, update by update. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WalkDocument } from "../document";
import { Alerts, Controls } from "./Controls";
import { Example } from "./Example";
import { Flow } from "./Flow";
import { Help } from "./Help";
import { useShortcuts } from "../ui/keys";
import { ofSite } from "../ui/studio";
import { SHORTCUTS } from "./keys";
import { LossCurve } from "./LossCurve";
import { Network } from "./Network";
import { usePalette } from "./palette";
import { Plane } from "./plane-state";
import { PlaneView } from "./PlaneView";
import { TrainingRoom } from "./room";
import { Transport } from "./Transport";
import { WalkView } from "./WalkView";

export interface PageProps {
  /** Shows a graph in the room of the walk. */
  openWalk?: (document: WalkDocument) => void;
}

/** The room keeps its state while other pages are open. Its run waits on the server. */
let kept: TrainingRoom | null = null;

export function Page(props: PageProps) {
  return ofSite() ? <Absent /> : <Room {...props} />;
}

/** On a site of plain files nothing computes the updates. */
function Absent() {
  return (
    <div class="training absent">
      <h1>Training</h1>
      <p>
        Here a small network learns before your eyes, update by update. The library computes it, so this page
        needs it on your machine:
      </p>
      <pre>
        pip install "gradwalk[studio]"{"\n"}gradwalk studio
      </pre>
    </div>
  );
}

function Room({ openWalk }: PageProps) {
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
