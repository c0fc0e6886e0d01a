/** Slices of arrays, written as in Python: `0, :, 2:5`. */

export type Sliced<T> = { values: T[]; shape: number[] } | { mistake: string };

/** The elements of an array, which are in order, at a slice. Axes that are left out are whole. */
export function sliceOf<T>(values: readonly T[], shape: readonly number[], text: string): Sliced<T> {
  const keys = text.replace(/^\s*\[|\]\s*$/g, "").split(",").map((key) => key.trim());
  if (keys.length === 1 && keys[0] === "") keys.pop();
  if (keys.length > shape.length) {
    return { mistake: `The array has ${shape.length} ${shape.length === 1 ? "axis" : "axes"}: write fewer commas.` };
  }
  const axes: { picked: number[]; single: boolean }[] = [];
  for (const [axis, size] of shape.entries()) {
    const found = picked(keys[axis] ?? ":", size, axis);
    if ("mistake" in found) return found;
    axes.push(found);
  }
  let places = [0];
  for (const [axis, { picked: chosen }] of axes.entries()) {
    places = places.flatMap((place) => chosen.map((i) => place * shape[axis]! + i));
  }
  return {
    values: places.map((place) => values[place]!),
    shape: axes.filter(({ single }) => !single).map(({ picked: chosen }) => chosen.length),
  };
}

function picked(key: string, size: number, axis: number): { picked: number[]; single: boolean } | { mistake: string } {
  const example = `Write an index, or start:stop:step, such as 0:${Math.min(size, 5)}, for axis ${axis}.`;
  if (/^[+-]?\d+$/.test(key)) {
    const at = Number(key) < 0 ? Number(key) + size : Number(key);
    if (at >= 0 && at < size) return { picked: [at], single: true };
    return { mistake: `Axis ${axis} has ${size} elements: write an index from ${-size} to ${size - 1}.` };
  }
  const found = /^([+-]?\d*):([+-]?\d*)(?::([+-]?\d*))?$/.exec(key.replace(/\s/g, ""));
  if (!found) return { mistake: example };
  const step = found[3] ? Number(found[3]) : 1;
  if (!Number.isInteger(step) || step <= 0) return { mistake: example };
  const end = (word: string | undefined, otherwise: number) => {
    const at = word ? Number(word) : otherwise;
    return Math.min(size, Math.max(0, at < 0 ? at + size : at));
  };
  const chosen: number[] = [];
  for (let i = end(found[1], 0); i < end(found[2], size); i += step) chosen.push(i);
  return { picked: chosen, single: false };
}
