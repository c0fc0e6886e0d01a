/** Moving the keyboard's cursor from box to box. */

import type { Arrangement } from "../layout/arrange";

export type Direction = "left" | "right" | "up" | "down";

/** The box that an arrow key moves to: left to the operands, right to the consumers, up and down to
 * the nearest box of about the same column. */
export function neighbour(arrangement: Arrangement, box: number, direction: Direction): number {
  const { links, arriving, leaving, plan } = arrangement;
  if (plan.down) direction = TURNED[direction];
  if (direction === "left") return nearest(arrangement, arriving[box]!.map((k) => links[k]!.source), box);
  if (direction === "right") return nearest(arrangement, leaving[box]!.map((k) => links[k]!.target), box);
  return vertical(arrangement, box, direction === "up" ? -1 : 1);
}

/** In a picture from top to bottom, operands are above. */
const TURNED: Record<Direction, Direction> = { up: "left", down: "right", left: "up", right: "down" };

/** The nearest of several boxes in height; of equally near ones the first. */
function nearest({ plan }: Arrangement, boxes: readonly number[], from: number): number {
  const middle = (k: number) => onward(plan, k).across;
  const far = (k: number) => Math.round(Math.abs(middle(k) - middle(from)));
  return boxes.reduce((best, k) => (best === -1 || far(k) < far(best) ? k : best), -1);
}

/** The nearest box above or below; a shift to the side counts twice. */
function vertical({ plan }: Arrangement, box: number, sign: number): number {
  const own = onward(plan, box);
  let [best, least] = [-1, Infinity];
  plan.rects.forEach((_, k) => {
    const one = onward(plan, k);
    const down = sign * (one.across - own.across);
    const cost = down + 2 * Math.abs(one.end - own.end);
    if (k !== box && down > 0 && cost < least) [best, least] = [k, cost];
  });
  return best;
}

/** The place of a box: its middle across the direction of the picture, and its end along it. */
function onward({ rects, down }: Arrangement["plan"], k: number): { across: number; end: number } {
  const { x, y, width, height } = rects[k]!;
  return down ? { across: x + width / 2, end: y + height } : { across: y + height / 2, end: x + width };
}
