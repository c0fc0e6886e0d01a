import { describe, expect, it, vi } from "vitest";
import { valueDrag } from "../../src/ui/dragging";

describe("dragging a number", () => {
  vi.stubGlobal("requestAnimationFrame", () => 0);
  const dragBy = (x: number, y: number, shiftKey = false) => {
    const found: number[] = [];
    const drag = valueDrag(2, (value) => found.push(value));
    drag.move({ x: 1, y: 1 }, { shiftKey });
    drag.move({ x, y }, { shiftKey });
    drag.end();
    return found;
  };

  it("changes it by a hundredth of its power of ten per pixel, right and up", () => {
    expect(dragBy(30, 0)).toEqual([2.3]);
    expect(dragBy(0, -30)).toEqual([2.3]);
    expect(dragBy(-30, 0)).toEqual([1.7]);
  });

  it("is ten times finer with Shift", () => {
    expect(dragBy(30, 0, true)).toEqual([2.03]);
  });
});
