/** Numbers as fields show them, and the reach of a slider. */

/** A number as it is typed: short where that loses nothing. */
export function written(x: number): string {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  return Object.is(x, -0) ? "-0" : String(x);
}

/** A slider reaches from -reach to reach: 1, 2 or 5 times a power of ten, and it holds the value. */
export function reach(original: number, value: number): number {
  const most = Math.max(1, ...[2 * original, value].map(Math.abs).filter(Number.isFinite));
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 5].find((s) => s * power >= most) ?? 10;
  return step * power;
}

/** `x` on the grid of a slider, without the dust of binary fractions. */
export function onGrid(x: number, step: number): number {
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  return Number((Math.round(x / step) * step).toFixed(Math.min(digits, 20)));
}

/** The numbers that a field accepts. */
export interface Bounds {
  low: number;
  high: number;
  /** Whether it has to be an integer. */
  whole?: boolean;
}

/** Returns the number of a text; undefined if it is not a number within the bounds. */
export function numberIn(text: string, { low, high, whole = false }: Bounds): number | undefined {
  const x = Number(text);
  const fits = text.trim() !== "" && x >= low && x <= high && (!whole || Number.isInteger(x));
  return fits ? x : undefined;
}
