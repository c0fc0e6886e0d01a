/** A room that is loaded when somebody enters it. */

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { WalkDocument } from "../document";
import type { Room } from "./route";

/** What every room is told. */
export interface RoomProps {
  /** What follows the room in the address: "3" of #/lessons/3. */
  rest: string;
  /** Show a graph in the room of the walk. */
  openWalk: (document: WalkDocument) => void;
}

type Page = ComponentType<RoomProps>;

const LOADERS: Record<Exclude<Room, "walk">, () => Promise<{ Page: unknown }>> = {
  misconceptions: () => import("./rooms/misconceptions"),
  training: () => import("./rooms/training"),
  lessons: () => import("./rooms/lessons"),
};

export function Lazy({ room, ...props }: RoomProps & { room: Exclude<Room, "walk"> }) {
  const [loaded, setLoaded] = useState<{ Page?: Page; error?: string }>({});
  useEffect(() => {
    LOADERS[room]().then(
      ({ Page }) => setLoaded({ Page: Page as Page }),
      (error: unknown) => setLoaded({ error: error instanceof Error ? error.message : String(error) }),
    );
  }, [room]);
  if (loaded.error) {
    return (
      <p class="alert room-alert" role="alert">
        This room could not be loaded: {loaded.error}
      </p>
    );
  }
  const { Page } = loaded;
  return Page ? <Page {...props} /> : <p class="waiting">Loading …</p>;
}
