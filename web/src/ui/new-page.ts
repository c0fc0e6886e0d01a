/** Another page of the same room. */

import { useLayoutEffect, useRef } from "preact/hooks";

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
