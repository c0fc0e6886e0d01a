/** What a neuron computes over the plane, as a small picture. */

import type { Palette } from "../drawing/palette";

/** From minus the largest magnitude to plus it. */
export const LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";
const MIDDLE = (LEVELS.length - 1) / 2;
const INDEX = new Map([...LEVELS].map((letter, k) => [letter, (k - MIDDLE) / MIDDLE]));

/** The numbers of a map, from -1 to 1. */
export function numbersOf(map: string): number[] {
  return Array.from(map, (letter) => INDEX.get(letter) ?? 0);
}

/** The map of an input: it grows from left to right, or from bottom to top. */
export function mapOfInput(index: number, cells = 13): number[] {
  return Array.from({ length: cells * cells }, (_, k) => {
    const at = index === 0 ? k % cells : Math.floor(k / cells);
    return (2 * at) / (cells - 1) - 1;
  });
}

/** Paints numbers from -1 to 1 into a square, row by row from the bottom left. */
export function paintMap(
  context: CanvasRenderingContext2D,
  numbers: readonly number[],
  [x, y, size]: [x: number, y: number, size: number],
  palette: Palette,
): void {
  const cells = Math.round(Math.sqrt(numbers.length));
  const step = size / cells;
  numbers.forEach((number, k) => {
    const [column, row] = [k % cells, Math.floor(k / cells)];
    context.globalAlpha = Math.abs(number);
    context.fillStyle = palette.labels[number < 0 ? 0 : 1];
    context.fillRect(x + column * step, y + (cells - 1 - row) * step, step + 0.5, step + 0.5);
  });
  context.globalAlpha = 1;
}
