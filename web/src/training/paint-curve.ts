/** Drawing of the loss curve. */

import { AXIS_FONT, type Size } from "./drawing/canvas";
import { columns, type Column, type Curve } from "./run/curve";
import type { Palette } from "./drawing/palette";
import { axisNumber, powers, ticks, type Range } from "./drawing/scale";

const MARGIN = { left: 46, right: 10, top: 8, bottom: 22 };

/** A curve on its canvas: thinned out, with its range. */
export interface CurveFrame {
  size: Size;
  log: boolean;
  columns: Column[];
  range: Range;
  count: number;
  xOf: (index: number) => number;
  yOf: (loss: number) => number;
  indexAt: (x: number) => number | null;
}

export function frameOf(curve: Curve, size: Size, log: boolean): CurveFrame {
  const count = curve.losses.length;
  const width = Math.max(1, size.width - MARGIN.left - MARGIN.right);
  const height = Math.max(1, size.height - MARGIN.top - MARGIN.bottom);
  const found = columns(curve.losses, width);
  const range = rangeOf(found, log);
  const [low, high] = log ? (range.map(Math.log10) as Range) : range;
  const per = width / Math.max(1, count - 1);
  return {
    size,
    log,
    range,
    count,
    columns: found,
    xOf: (index) => MARGIN.left + index * per,
    yOf: (loss) => {
      const at = log ? Math.log10(Math.max(loss, range[0])) : loss;
      return MARGIN.top + (1 - (at - low) / (high - low)) * height;
    },
    indexAt: (x) => (count ? Math.min(count - 1, Math.max(0, Math.round((x - MARGIN.left) / per))) : null),
  };
}

/** Returns the range of the axis. On a logarithmic axis, a loss of 0 is at the lower end. */
function rangeOf(all: readonly Column[], log: boolean): Range {
  let [low, high] = [Infinity, 0];
  for (const column of all) {
    high = Math.max(high, column.high);
    const least = log && column.low <= 0 ? Infinity : column.low;
    low = Math.min(low, least);
  }
  if (!(high > 0)) high = 1;
  if (!log) return [Math.min(0, low), high * 1.05];
  if (!Number.isFinite(low) || low >= high) low = high / 10;
  return [Math.max(low, high * 1e-16), high];
}

export function paintCurve(
  context: CanvasRenderingContext2D,
  shown: CurveFrame,
  curve: Curve,
  at: number | null,
  palette: Palette,
): void {
  paintAxes(context, shown, curve, palette);
  if (shown.count === 0) return;
  context.beginPath();
  for (const { start, end, low, high } of shown.columns) {
    const x = shown.xOf((start + end - 1) / 2);
    context.lineTo(x, shown.yOf(high));
    if (low !== high) context.lineTo(x, shown.yOf(low));
  }
  context.strokeStyle = palette.accent;
  context.lineWidth = 1;
  context.lineJoin = "round";
  context.globalAlpha = 0.3;
  context.stroke();
  context.globalAlpha = 1;
  const smooth = curve.smoothed();
  paintLine(context, palette.accent, [], shown.columns.map(({ start, end }) => {
    const middle = Math.floor((start + end - 1) / 2);
    return [shown.xOf(middle), shown.yOf(smooth[middle]!)];
  }));
  paintLine(context, palette.labels[0], [5, 4], curve.tests.map(({ step, loss }) => {
    return [shown.xOf(step / curve.every - 1), shown.yOf(loss)];
  }));
  const index = Math.min(at ?? shown.count - 1, shown.count - 1);
  paintReading(context, shown, index, smooth[index]!, at !== null, palette);
}

function paintLine(
  context: CanvasRenderingContext2D,
  colour: string,
  dashes: number[],
  points: readonly (readonly [x: number, y: number])[],
): void {
  context.beginPath();
  for (const [x, y] of points) {
    if (x >= MARGIN.left - 1) context.lineTo(x, Math.max(MARGIN.top, y));
  }
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.setLineDash(dashes);
  context.stroke();
  context.setLineDash([]);
}

function paintReading(
  context: CanvasRenderingContext2D,
  shown: CurveFrame,
  index: number,
  loss: number,
  isAsked: boolean,
  palette: Palette,
): void {
  const [x, y] = [shown.xOf(index), shown.yOf(loss)];
  context.fillStyle = palette.faint;
  if (isAsked) context.fillRect(Math.round(x), MARGIN.top, 1, shown.size.height - MARGIN.top - MARGIN.bottom);
  context.beginPath();
  context.arc(x, y, 3.5, 0, 2 * Math.PI);
  context.fillStyle = palette.accent;
  context.fill();
}

function paintAxes(
  context: CanvasRenderingContext2D,
  shown: CurveFrame,
  curve: Curve,
  palette: Palette,
): void {
  const { width, height } = shown.size;
  const marks = shown.log ? powers(shown.range, 5) : ticks(shown.range, 4);
  context.font = AXIS_FONT;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const loss of marks.length ? marks : [shown.range[0]]) {
    const y = Math.round(shown.yOf(loss));
    context.fillStyle = palette.line;
    context.fillRect(MARGIN.left, y, width - MARGIN.left - MARGIN.right, 1);
    context.fillStyle = palette.faint;
    context.fillText(axisNumber(loss), MARGIN.left - 6, y);
  }
  if (shown.count < 2) return;
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const update of ticks([1, curve.update(shown.count - 1)], 6)) {
    const x = shown.xOf(update / curve.every - 1);
    if (x >= MARGIN.left - 1) context.fillText(axisNumber(update), x, height - MARGIN.bottom + 6);
  }
}
