/** Hooks that pages share. */

import { useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

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

/** Starts another page at its top, and a screen reader with its heading. `page` tells pages apart. */
export function useNewPage(place: { current: HTMLElement | null }, page: unknown, heading: string): void {
  const shown = useRef(page);
  useLayoutEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    scrollTo(0, 0);
    place.current?.querySelector<HTMLElement>(heading)?.focus({ preventScroll: true });
  }, [page]);
}
