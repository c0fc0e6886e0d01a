/** A formula that cannot be read: what was expected, what came, how to mend it, and where. */
export class ExpressionError extends Error {
  constructor(
    /** Counted from 1, in characters as people count them; 0: the mistake is not in the text. */
    readonly line: number,
    readonly column: number,
    readonly expected: string,
    readonly got: string,
    readonly fix: string,
    /** The line with a caret below it. */
    readonly excerpt: string,
  ) {
    const where = line ? `formula, line ${line}, column ${column}` : "formula";
    super(`${where}: expected ${expected}, got ${got}. ${fix}${excerpt && `\n\n${excerpt}`}`);
    this.name = "ExpressionError";
  }
}

const BEFORE = 36;
const WIDTH = 72;

/** The error at a place of `text`. */
export function pointAt(
  text: string,
  line: number,
  column: number,
  { expected, got, fix }: { expected: string; got: string; fix: string },
): ExpressionError {
  const shown = excerpt(text.split("\n")[line - 1] ?? "", column);
  return new ExpressionError(line, column, expected, got, fix, shown);
}

function excerpt(line: string, column: number): string {
  const characters = Array.from(line);
  const start = Math.max(0, column - 1 - BEFORE);
  const before = start ? "..." : "";
  const after = characters.length > start + WIDTH ? "..." : "";
  const part = visible(characters.slice(start, start + WIDTH).join(""));
  return `    ${before}${part}${after}\n    ${" ".repeat(before.length + column - 1 - start)}^`;
}

/** Without tabs and control characters, which would shift the caret. */
function visible(text: string): string {
  return text.replace(/[^\P{C}\p{Cf}]|[\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, " ");
}

/** A piece of a formula, short enough to stand inside a sentence. */
export function shortened(code: string): string {
  const line = Array.from(visible(code.split(/\s+/).filter(Boolean).join(" ")));
  return line.length <= 64 ? line.join("") : `${line.slice(0, 61).join("")}...`;
}

/** What other systems call a function, where the spelling alone would mislead the guess. */
export const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["ln", "log"], ["max", "maximum"], ["min", "minimum"], ["sgn", "sign"], ["σ", "sigmoid"],
  ["logistic", "sigmoid"], ["swish", "silu"], ["fabs", "abs"], ["power", "pow"],
]);

/** A question that offers the known name that is most like `name`; empty if none is. */
export function nearest(name: string, known: readonly string[]): string {
  const other = OTHER_NAMES.get(name) ?? "";
  if (known.includes(other)) return `Did you mean '${other}'?`;
  let best = "";
  let most = 0.65;
  for (const candidate of known) {
    const likeness = (2 * common(candidate, name)) / (candidate.length + name.length);
    if (likeness > most || (likeness === most && candidate > best)) [best, most] = [candidate, likeness];
  }
  return best && `Did you mean '${best}'?`;
}

/** How many letters two words share in blocks: the longest one, and what matches beside it. */
function common(a: string, b: string): number {
  if (a.length > 64 || b.length > 64) return a === b ? a.length : 0;
  let [length, inA, inB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < b.length; j++) {
      let k = 0;
      while (i + k < a.length && a[i + k] === b[j + k]) k++;
      if (k > length) [length, inA, inB] = [k, i, j];
    }
  }
  if (!length) return 0;
  const left = common(a.slice(0, inA), b.slice(0, inB));
  return left + length + common(a.slice(inA + length), b.slice(inB + length));
}
