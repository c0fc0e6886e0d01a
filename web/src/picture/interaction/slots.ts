/** Reuse of elements: a box that enters the frame takes the element of one that leaves it. */

import type { Arrangement } from "../layout/arrange";
import { signWidth } from "../layout/measure";

/** For each box or link that is drawn, the number of the element that draws it. */
export type Slots = ReadonlyMap<number, number>;

export interface Places {
  arrangement: Arrangement | null;
  boxes: Slots;
  links: Slots;
}

export const NO_PLACES: Places = { arrangement: null, boxes: new Map(), links: new Map() };

/** The elements of the next drawing. Another arrangement starts from scratch, with its elements in the
 * order of the boxes. */
export function placesAfter(
  before: Places,
  arrangement: Arrangement,
  drawn: { boxes: readonly number[]; links: readonly number[]; far: boolean },
): Places {
  const old = before.arrangement === arrangement ? before : NO_PLACES;
  return {
    arrangement,
    boxes: reused(old.boxes, drawn.boxes, (k) => kindOf(arrangement, k), drawn.far ? 0 : SPARE),
    links: reused(old.links, drawn.links, () => "", 0),
  };
}

/** A slot for each item, which it keeps as long as it is drawn. New items take, in order, the slots of
 * leaving items of their kind: changing a text costs a browser less than creating an element. Up to
 * `spare` unused slots stay, out of sight, for items that come next. */
export function reused(
  before: Slots,
  items: readonly number[],
  kindOf: (item: number) => string,
  spare = SPARE,
): Slots {
  const staying = new Set(items);
  const free = new Map<string, [number, number][]>();
  let next = 0;
  for (const [item, slot] of before) {
    next = Math.max(next, slot + 1);
    if (staying.has(item)) continue;
    const kind = kindOf(item);
    if (!free.get(kind)?.push([item, slot])) free.set(kind, [[item, slot]]);
  }
  for (const slots of free.values()) slots.reverse(); // pop then takes the first one first
  const taken = (k: number) => before.get(k) ?? free.get(kindOf(k))?.pop()?.[1] ?? next++;
  const slots = new Map(items.map((k) => [k, taken(k)]));
  for (const [item, slot] of [...free.values()].flat().slice(0, spare)) slots.set(item, slot);
  return slots;
}

/** The most elements that are kept out of sight. */
const SPARE = 60;

/** The drawn items in the order of their slots: moving an element costs as much as creating one. */
export function inSlots(slots: Slots): number[] {
  return [...slots].sort((a, b) => a[1] - b[1]).map(([item]) => item);
}

/** Boxes of one kind have the same elements in them. */
function kindOf({ graph, boxes }: Arrangement, k: number): string {
  const { members } = boxes[k]!;
  if (members.length > 1) return "group";
  const { op, inputs, constant, array } = graph.nodes[members[0]!]!;
  return `${constant && !array} ${!!array} ${op && inputs.length ? signWidth(op) : ""}`;
}
