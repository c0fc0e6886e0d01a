/** Numbers that people type, and the reach of a slider. */

const WORDS: Record<string, number> = { nan: NaN, inf: Infinity, infinity: Infinity };

/** "2", "-1e-3", "inf", "nan", with a real minus sign too; null if it is no number. */
export function parseNumber(text: string): number | null {
  const plain = text.trim().replace("−", "-").toLowerCase();
  const sign = plain.startsWith("-") ? -1 : 1;
  const word = WORDS[plain.replace(/^[+-]/, "")];
  if (word !== undefined) return sign * word;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(plain) ? Number(plain) : null;
}

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
