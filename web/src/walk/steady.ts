/** A height that only grows, so that sentences of different lengths do not move the page. */

import { useLayoutEffect } from "preact/hooks";
import type { RefObject } from "preact";

/** Keeps the first element in `around` at its greatest height until `what` or its width changes. */
export function useSteadyHeight(around: RefObject<HTMLElement | null>, what: unknown): void {
  useLayoutEffect(() => {
    const element = around.current?.firstElementChild;
    if (!(element instanceof HTMLElement) || typeof ResizeObserver === "undefined") return undefined;
    let [wide, high] = [0, 0];
    const observer = new ResizeObserver(([entry]) => {
      const { inlineSize, blockSize } = entry!.borderBoxSize[0]!;
      const other = inlineSize !== wide;
      if (!other && blockSize <= high) return;
      [wide, high] = [inlineSize, other ? 0 : blockSize];
      element.style.minHeight = high ? `${high}px` : "";
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      element.style.minHeight = "";
    };
  }, [around, what]);
}
