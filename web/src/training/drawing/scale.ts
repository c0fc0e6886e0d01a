/** Conversions between numbers and places on the screen, and the ticks of an axis. */

export type Range = [low: number, high: number];

/** Returns about `count` round numbers inside a range, 1, 2 or 5 times a power of ten apart. */
export function ticks([low, high]: Range, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((s) => s * power >= rough) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => tidy((first + i) * step, step));
}

function tidy(x: number, step: number): number {
  return Number(x.toFixed(Math.min(20, Math.max(0, -Math.floor(Math.log10(step))))));
}

/** Returns at most `most` powers of ten inside a range of positive numbers. */
export function powers([low, high]: Range, most: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / most));
  const found: number[] = [];
  for (let power = first; power <= last; power += every) found.push(10 ** power);
  return found;
}

/** Writes a short number for an axis: 0.5, 20, 1e-4, with a typographic minus sign. */
export function axisNumber(x: number): string {
  const size = Math.abs(x);
  const far = size !== 0 && (size < 1e-3 || size >= 1e5);
  return (far ? x.toExponential(0).replace("e+", "e") : String(Number(x.toPrecision(6)))).replaceAll(
    "-",
    "−",
  );
}

/** Converts a slider, 0 to 100, to a learning rate from 10⁻⁵ to 10 with two digits. */
export function rateOf(slider: number): number {
  return Number((10 ** (-5 + (6 * slider) / 100)).toPrecision(2));
}

/** Converts a learning rate to the position of the slider. */
export function sliderOf(rate: number): number {
  if (!(rate > 0)) return 0;
  return Math.min(100, Math.max(0, ((Math.log10(rate) + 5) / 6) * 100));
}

/** The plane on the canvas: a square of the data, inside margins for the numbers. */
export interface View {
  x: Range;
  y: Range;
  left: number;
  top: number;
  size: number;
}

export function toScreen(view: View, x: number, y: number): [number, number] {
  return [
    view.left + ((x - view.x[0]) / (view.x[1] - view.x[0])) * view.size,
    view.top + (1 - (y - view.y[0]) / (view.y[1] - view.y[0])) * view.size,
  ];
}

export function toData(view: View, left: number, top: number): [number, number] {
  return [
    view.x[0] + ((left - view.left) / view.size) * (view.x[1] - view.x[0]),
    view.y[0] + (1 - (top - view.top) / view.size) * (view.y[1] - view.y[0]),
  ];
}

export function clamp(x: number, [low, high]: Range): number {
  return Math.min(high, Math.max(low, x));
}
