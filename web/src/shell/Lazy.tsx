/** A page that is loaded when it is opened. */

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { WalkDocument } from "../document";
import { messageOf } from "../ui/messages";
import { adviceOn, statusOf } from "../ui/studio";
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
  workshop: () => import("./rooms/workshop"),
};

/** Returns why a page was not loaded: another server than before, none, or an error of the page. */
async function reasonOf(error: unknown): Promise<string> {
  const status = await statusOf();
  return status === 200 ? `${messageOf(error)}. Reload the page.` : adviceOn(status);
}

export function Lazy({ room, ...props }: RoomProps & { room: Exclude<Room, "walk"> }) {
  const [loaded, setLoaded] = useState<{ Page?: Page; error?: string }>({});
  useEffect(() => {
    LOADERS[room]().then(
      ({ Page }) => setLoaded({ Page: Page as Page }),
      async (error: unknown) => setLoaded({ error: await reasonOf(error) }),
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
