/** Drawing of the plane: predictions, points, axes. */

import { border, type Boundary } from "./boundary";
import { AXIS_FONT } from "../drawing/canvas";
import type { Palette } from "../drawing/palette";
import type { Point } from "../run/protocol";
import { axisNumber, ticks, toScreen, type View } from "../drawing/scale";

export interface PlaneScene {
  view: View;
  boundary: Boundary | null;
  points: readonly Point[];
  /** Points that are not learned from, drawn hollow; [] unless they are wanted. */
  tested: readonly Point[];
  chosen: number | null;
  /** The cursor of the keyboard, while the plane has the focus. */
  cursor: [number, number] | null;
  smooth: boolean;
}

const RADIUS = 4.5;

export function paintPlane(context: CanvasRenderingContext2D, scene: PlaneScene, palette: Palette): void {
  const { left, top, size } = scene.view;
  context.save();
  context.beginPath();
  context.rect(left, top, size, size);
  context.clip();
  if (scene.boundary) paintBoundary(context, scene.view, scene.boundary, palette, scene.smooth);
  paintPoints(context, scene, scene.tested, true, palette);
  paintPoints(context, scene, scene.points, false, palette);
  context.restore();
  paintAxes(context, scene.view, palette);
  if (scene.chosen !== null && scene.points[scene.chosen])
    ring(context, scene.view, scene.points[scene.chosen]!, palette);
  if (scene.cursor) paintCursor(context, scene.view, scene.cursor, palette);
}

// --- predictions --------------------------------------------------------------------------------

let cells: { canvas: HTMLCanvasElement; image: ImageData; pixels: Uint32Array } | null = null;

function cellsOf(resolution: number) {
  if (cells?.canvas.width === resolution) return cells;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = resolution;
  const image = new ImageData(resolution, resolution);
  cells = { canvas, image, pixels: new Uint32Array(image.data.buffer) };
  return cells;
}

function paintBoundary(
  context: CanvasRenderingContext2D,
  view: View,
  boundary: Boundary,
  palette: Palette,
  smooth: boolean,
): void {
  const { resolution: n, values, extent } = boundary;
  const { canvas, image, pixels } = cellsOf(n);
  for (let row = 0; row < n; row++) {
    const to = (n - 1 - row) * n; // canvases count from the top
    for (let i = 0; i < n; i++) pixels[to + i] = palette.field[Math.round(values[row * n + i]! * 255)]!;
  }
  canvas.getContext("2d")!.putImageData(image, 0, 0);
  const [left, top] = toScreen(view, extent[0], extent[3]);
  const [right, bottom] = toScreen(view, extent[1], extent[2]);
  context.imageSmoothingEnabled = smooth;
  context.imageSmoothingQuality = "low"; // bilinear
  context.drawImage(canvas, left, top, right - left, bottom - top);
  paintBorder(context, boundary, [left, bottom, (right - left) / n], palette);
}

function paintBorder(
  context: CanvasRenderingContext2D,
  boundary: Boundary,
  [left, bottom, cell]: [number, number, number],
  palette: Palette,
): void {
  context.beginPath();
  for (const [x0, y0, x1, y1] of border(boundary)) {
    context.moveTo(left + (x0 + 0.5) * cell, bottom - (y0 + 0.5) * cell);
    context.lineTo(left + (x1 + 0.5) * cell, bottom - (y1 + 0.5) * cell);
  }
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.25;
  context.stroke();
}

// --- points -------------------------------------------------------------------------------------

/** Circles are label 0, squares label 1: the shapes differ, not only the colours. */
function paintPoints(
  context: CanvasRenderingContext2D,
  { view }: PlaneScene,
  points: readonly Point[],
  hollow: boolean,
  palette: Palette,
): void {
  const radius = points.length > 400 ? RADIUS - 1.25 : RADIUS;
  for (const label of [0, 1] as const) {
    context.beginPath();
    for (const [x, y, is] of points) {
      if (is !== label) continue;
      const [left, top] = toScreen(view, x, y);
      mark(context, label, left, top, radius);
    }
    context.fillStyle = hollow ? palette.panel : palette.labels[label];
    context.strokeStyle = hollow ? palette.labels[label] : palette.panel;
    context.lineWidth = hollow ? 1.75 : 1;
    context.fill();
    context.stroke();
  }
}

function mark(
  context: CanvasRenderingContext2D,
  label: 0 | 1,
  left: number,
  top: number,
  radius: number,
): void {
  const half = radius * 0.9;
  context.moveTo(left + radius, top);
  if (label === 0) context.arc(left, top, radius, 0, 2 * Math.PI);
  else context.rect(left - half, top - half, 2 * half, 2 * half);
}

function ring(context: CanvasRenderingContext2D, view: View, [x, y]: Point, palette: Palette): void {
  const [left, top] = toScreen(view, x, y);
  context.beginPath();
  context.arc(left, top, RADIUS + 5, 0, 2 * Math.PI);
  context.strokeStyle = palette.panel;
  context.lineWidth = 4.5;
  context.stroke();
  context.strokeStyle = palette.ink;
  context.lineWidth = 2;
  context.stroke();
}

function paintCursor(
  context: CanvasRenderingContext2D,
  view: View,
  [x, y]: [number, number],
  palette: Palette,
): void {
  const [left, top] = toScreen(view, x, y);
  context.beginPath();
  for (const [dx, dy] of [
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
  ] as const) {
    context.moveTo(left + 5 * dx, top + 5 * dy);
    context.lineTo(left + 14 * dx, top + 14 * dy);
  }
  context.strokeStyle = palette.ink;
  context.lineWidth = 2;
  context.stroke();
}

// --- axes ---------------------------------------------------------------------------------------

function paintAxes(context: CanvasRenderingContext2D, view: View, palette: Palette): void {
  const { left, top, size } = view;
  context.strokeStyle = palette.faint;
  context.fillStyle = palette.faint;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, size - 1, size - 1);
  context.font = AXIS_FONT;
  context.textBaseline = "top";
  context.textAlign = "center";
  for (const x of ticks(view.x, 5)) {
    const [at] = toScreen(view, x, 0);
    context.fillRect(at, top + size, 1, 4);
    context.fillText(axisNumber(x), at, top + size + 6);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const y of ticks(view.y, 5)) {
    const [, at] = toScreen(view, 0, y);
    context.fillRect(left - 4, at, 4, 1);
    context.fillText(axisNumber(y), left - 7, at);
  }
}
