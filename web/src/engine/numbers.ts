/** A number for a box: four significant digits, integers up to a million in full. */
export function formatted(x: number): string {
  return written(x, 4);
}

/** A number for a sentence: six significant digits. */
export function long(x: number): string {
  return written(x, 6);
}

/** Whether a text of a number reads back as the number: otherwise it is about the number. */
export function readsBack(text: string, x: number): boolean {
  return !Number.isFinite(x) || Number(text) === x;
}

/** As many digits as are needed to read the number back exactly. */
export function exact(x: number): string {
  if (!Number.isFinite(x)) return word(x);
  return pointed(Object.is(x, -0) ? "-0" : String(x).replace("e+", "e"));
}

function written(x: number, digits: number): string {
  if (!Number.isFinite(x)) return word(x);
  if (Number.isInteger(x) && Math.abs(x) < 1e6) return exact(x);
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e") as [string, string];
  const power = Number(exponent);
  if (power < -4 || power >= Math.max(digits, 6)) return `${trimmed(mantissa)}e${power}`;
  return pointed(trimmed(x.toFixed(Math.max(0, digits - 1 - power))));
}

function word(x: number): string {
  return Number.isNaN(x) ? "NaN" : x > 0 ? "inf" : "-inf";
}

function trimmed(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Floats have a point, so that 10.0 is not taken for a count. */
function pointed(text: string): string {
  return /[.e]/.test(text) ? text : `${text}.0`;
}
