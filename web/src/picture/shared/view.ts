/** The place of the picture in its frame: screen = picture * scale + (x, y). */

import type { Point, Rect, Size } from "./plan";

export interface View extends Point {
  scale: number;
}

export const SMALLEST = 0.02;
export const LARGEST = 4;
const MARGIN = 22;
/** At this scale the numbers of a box are 12 pixels high. A picture of few boxes is never opened smaller:
 * it is panned instead. */
export const READABLE = 12 / 13.5;
const COMFORTABLE = 1.5;

export function clampScale(scale: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, scale));
}

/** The whole picture, in the middle of the frame. */
export function fit(content: Size, frame: Size): View {
  const [wide, high] = [frame.width - 2 * MARGIN, frame.height - 2 * MARGIN];
  const scale = clampScale(
    Math.min(COMFORTABLE, wide / Math.max(1, content.width), high / Math.max(1, content.height)),
  );
  return {
    scale,
    x: (frame.width - content.width * scale) / 2,
    y: (frame.height - content.height * scale) / 2,
  };
}

/** The first view: the whole picture, or of a picture that would be too small the part around `focus`. */
export function opening(content: Size, frame: Size, legible: boolean, focus: (room: Size) => Rect): View {
  const whole = fit(content, frame);
  if (whole.scale >= READABLE || !legible) return whole;
  const room = { width: frame.width / READABLE, height: frame.height / READABLE };
  return within(content, frame, centred(focus(room), frame, { ...whole, scale: READABLE }));
}

/** The view without empty space beside the picture: where the picture is smaller than its frame, it is in
 * the middle. */
export function within(content: Size, frame: Size, view: View): View {
  const place = (at: number, long: number, room: number) => {
    const free = room - long * view.scale;
    return free >= 0 ? free / 2 : Math.min(MARGIN, Math.max(free - MARGIN, at));
  };
  return {
    scale: view.scale,
    x: place(view.x, content.width, frame.width),
    y: place(view.y, content.height, frame.height),
  };
}

/** Scaled by a factor around a point of the frame. */
export function zoomed(view: View, factor: number, at: Point): View {
  const scale = clampScale(view.scale * factor);
  const ratio = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** The part of the picture that the frame shows, with some space around it. */
export function shown(view: View, frame: Size, around = 0): Rect {
  const [wide, high] = [frame.width / view.scale, frame.height / view.scale];
  return {
    x: -view.x / view.scale - around * wide,
    y: -view.y / view.scale - around * high,
    width: wide * (1 + 2 * around),
    height: high * (1 + 2 * around),
  };
}

/** The view with a box in the middle, at a scale of at least `least`. */
export function centred(rect: Rect, frame: Size, view: View, least = 0): View {
  const scale = Math.max(view.scale, least);
  return {
    scale,
    x: frame.width / 2 - (rect.x + rect.width / 2) * scale,
    y: frame.height / 2 - (rect.y + rect.height / 2) * scale,
  };
}
