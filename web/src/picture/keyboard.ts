/** Keys of the focused picture. Plain left and right step through the walk. */

import type { Arrangement } from "./arrange";
import type { Direction } from "./cursor";

export interface KeyActions {
  zoom(factor: number): void;
  fitAll(): void;
  go(direction: Direction): void;
  /** Opens a group, edits a leaf, selects another node. */
  open(): void;
  /** Folds the group that the box is in. */
  close(): void;
  /** Selects the edge from the operand at a position. */
  operand(position: number): void;
  clear(): boolean;
  /** Earlier or later in the visit order. */
  order(step: number): boolean;
}

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

/** Handle a key; return whether the picture uses it. */
export function pressed(event: KeyboardEvent, actions: KeyActions): boolean {
  if (event.ctrlKey || event.metaKey) return false;
  const arrow = ARROWS[event.key];
  if (arrow && event.altKey) return actions.order(arrow === "left" ? 1 : -1);
  if (arrow && event.shiftKey) return done(() => actions.go(arrow));
  if (event.altKey) return false;
  if (/^[1-9]$/.test(event.key)) return done(() => actions.operand(Number(event.key) - 1));
  switch (event.key) {
    case "+":
    case "=":
      return done(() => actions.zoom(1.4));
    case "-":
      return done(() => actions.zoom(1 / 1.4));
    case "0":
      return done(() => actions.fitAll());
    case "Enter":
      return done(() => actions.open());
    case "Backspace":
      return done(() => actions.close());
    case "Escape":
      return actions.clear();
    default:
      return false;
  }
}

function done(act: () => void): true {
  act();
  return true;
}

/** What screen readers say about the keys. */
export const KEY_HELP =
  "Shift and arrow keys go from node to node: left to operands, right to consumers. " +
  "Enter opens a group, edits a leaf or " +
  "selects a node. Digits select the edge of an operand. Plus, minus and zero zoom. Backspace folds.";

/** The picture in a sentence, for screen readers. */
export function described({ boxes }: Arrangement, size: number): string {
  const folded = boxes.length < size ? `, folded into ${boxes.length} boxes` : "";
  const nodes = size === 1 ? "node" : "nodes";
  return `A graph of ${size} ${nodes}${folded}, operands left, result right. ${KEY_HELP}`;
}
