/** A canvas in the resolution of the screen, painted once per change. */

import { effect, signal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo } from "preact/hooks";

export interface Size {
  width: number;
  height: number;
}

/** Paints whenever a signal that `paint` reads changes, or the size of the canvas on the page.
 * The size comes from an observer, so that painting never forces a layout of the page. */
export function useCanvas(
  canvas: RefObject<HTMLCanvasElement | null>,
  paint: (context: CanvasRenderingContext2D, size: Size) => void,
): Signal<Size> {
  const size = useMemo(() => signal<Size>({ width: 0, height: 0 }), []);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context) return;
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      size.value = { width, height };
    });
    observer.observe(element);
    const stop = effect(() => {
      const { width, height } = size.value;
      if (width === 0 || height === 0) return;
      fit(element, context, size.value);
      context.clearRect(0, 0, width, height);
      paint(context, size.value);
    });
    return () => {
      stop();
      observer.disconnect();
    };
  }, []);
  return size;
}

function fit(element: HTMLCanvasElement, context: CanvasRenderingContext2D, { width, height }: Size): void {
  const ratio = Math.min(3, devicePixelRatio || 1);
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (element.width !== w || element.height !== h) [element.width, element.height] = [w, h];
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

/** Text of axes. */
export const AXIS_FONT = "11px system-ui, sans-serif";
