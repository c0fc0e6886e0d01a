import { NEAREST, OTHER_NAMES } from "./language";

/** A question that offers the known name most like `name`; "" if none is like it. */
export function nearest(name: string, known: readonly string[]): string {
  const other = OTHER_NAMES.get(name) ?? "";
  const found = known.includes(other) ? other : similar(name, known);
  return found && NEAREST.replace("{name}", found);
}

function similar(name: string, known: readonly string[]): string {
  let best = "";
  let most = 0.65;
  for (const candidate of known) {
    const likeness = (2 * common(candidate, name)) / (candidate.length + name.length);
    if (likeness > most || (likeness === most && candidate > best)) [best, most] = [candidate, likeness];
  }
  return best;
}

/** How many letters two words have in common, in blocks: the longest one, and what matches beside it. */
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
