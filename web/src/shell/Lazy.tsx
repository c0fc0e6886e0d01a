/** A page that is loaded when it is opened. */

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { WalkDocument } from "../document";
import { messageOf } from "../ui/messages";
import type { Room } from "./route";

/** The props of every page. */
export interface RoomProps {
  /** The part of the address after the page: "3" of #/lessons/3. */
  rest: string;
  /** Shows a graph on the page Walk. */
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
      (error: unknown) => setLoaded({ error: messageOf(error) }),
    );
  }, [room]);
  if (loaded.error) {
    return (
      <p class="alert room-alert" role="alert">
        This page could not be loaded: {loaded.error}
      </p>
    );
  }
  const { Page } = loaded;
  return Page ? <Page {...props} /> : <p class="waiting">Loading …</p>;
}
