/** Playing: one tick after the other until something stops it. */

import { useSignalEffect } from "@preact/signals";

interface Player {
  playing: { readonly value: boolean };
  tick(): void;
}

/** Calls `tick` while `player` is playing. `pace` returns the milliseconds between two ticks. */
export function usePlaying(player: Player, pace: () => number): void {
  useSignalEffect(() => {
    if (!player.playing.value) return;
    const timer = setInterval(() => player.tick(), pace());
    return () => clearInterval(timer);
  });
}
