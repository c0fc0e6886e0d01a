/** Moving the keyboard's cursor from box to box. */

import type { Arrangement } from "./arrange";

export type Direction = "left" | "right" | "up" | "down";

/** The box that an arrow key moves to: left to the operands, right to the consumers, up and down to
 * the nearest box of about the same column. */
export function neighbour(arrangement: Arrangement, box: number, direction: Direction): number {
  const { links, arriving, leaving } = arrangement;
  if (direction === "left") return nearest(arrangement, arriving[box]!.map((k) => links[k]!.source), box);
  if (direction === "right") return nearest(arrangement, leaving[box]!.map((k) => links[k]!.target), box);
  return vertical(arrangement, box, direction === "up" ? -1 : 1);
}

/** The nearest of several boxes in height; of equally near ones the first. */
function nearest({ plan }: Arrangement, boxes: readonly number[], from: number): number {
  const middle = (k: number) => plan.rects[k]!.y + plan.rects[k]!.height / 2;
  const far = (k: number) => Math.round(Math.abs(middle(k) - middle(from)));
  return boxes.reduce((best, k) => (best === -1 || far(k) < far(best) ? k : best), -1);
}

/** The nearest box above or below; a shift to the side counts twice. */
function vertical({ plan }: Arrangement, box: number, sign: number): number {
  const own = plan.rects[box]!;
  let [best, least] = [-1, Infinity];
  plan.rects.forEach((rect, k) => {
    const down = sign * (rect.y + rect.height / 2 - own.y - own.height / 2);
    const cost = down + 2 * Math.abs(rect.x + rect.width - own.x - own.width);
    if (k !== box && down > 0 && cost < least) [best, least] = [k, cost];
  });
  return best;
}
