/** Keys of the focused picture. Plain left and right step through the walk. */

import type { Arrangement } from "../layout/arrange";
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

const KEYS: Readonly<Record<string, (picture: KeyActions) => void>> = {
  "+": (picture) => picture.zoom(1.4),
  "=": (picture) => picture.zoom(1.4),
  "-": (picture) => picture.zoom(1 / 1.4),
  "0": (picture) => picture.fitAll(),
  Enter: (picture) => picture.open(),
  Backspace: (picture) => picture.close(),
};

/** Handle a key; return whether the picture uses it. */
export function pressed(event: KeyboardEvent, picture: KeyActions): boolean {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  const arrow = ARROWS[key];
  if (ctrlKey || metaKey) return false;
  if (altKey) return !!arrow && picture.order(arrow === "left" ? 1 : -1);
  if (key === "Escape") return picture.clear();
  if (arrow && shiftKey) picture.go(arrow);
  else if (/^[1-9]$/.test(key)) picture.operand(Number(key) - 1);
  else if (Object.hasOwn(KEYS, key)) KEYS[key]!(picture);
  else return false;
  return true;
}

/** The keys in a sentence, for screen readers. */
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
