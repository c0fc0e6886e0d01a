/** Playing: one step after the other, at the chosen speed, until something stops it. */

import { useSignalEffect } from "@preact/signals";
import type { Walk } from "./state";

/** Steps `walk` while it is playing. */
export function usePlaying(walk: Walk): void {
  useSignalEffect(() => {
    if (!walk.playing.value) return;
    const timer = setInterval(() => walk.tick(), 1000 / walk.speed.value);
    return () => clearInterval(timer);
  });
}
