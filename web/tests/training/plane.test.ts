import { describe, expect, it } from "vitest";
import { border, valueAt, type Boundary } from "../../src/training/plane/boundary";
import { fieldOf } from "../../src/training/drawing/palette";
import { added, flipped, moved, nearest, removed, same, toCsv } from "../../src/training/run/points";
import type { Point } from "../../src/training/run/protocol";
import { axisNumber, powers, rateOf, sliderOf, ticks, toData, toScreen } from "../../src/training/drawing/scale";

function sampled(resolution: number, f: (x: number, y: number) => number): Boundary {
  const centre = (i: number) => -2 + (4 * (i + 0.5)) / resolution;
  const cells = Array.from({ length: resolution }, (_, i) => i);
  const values = cells.flatMap((j) => cells.map((i) => f(centre(i), centre(j))));
  return { resolution, extent: [-2, 2, -2, 2], values };
}

describe("the boundary", () => {
  const plane = sampled(20, (x, y) => 0.5 + 0.1 * x - 0.05 * y);

  it("is exact between the centres for a plane", () => {
    for (const [x, y] of [
      [0, 0],
      [1.234, -0.7],
      [-1.85, 1.85],
    ] as const) {
      expect(valueAt(plane, x, y)).toBeCloseTo(0.5 + 0.1 * x - 0.05 * y, 12);
    }
  });

  it("is level beyond the outermost centres", () => {
    expect(valueAt(plane, 99, 0)).toBe(valueAt(plane, 1.9, 0));
    expect(valueAt(plane, 0, -99)).toBe(valueAt(plane, 0, -1.9));
  });

  it("has its border where a plane is 0.5: y = 2x", () => {
    const stretches = border(plane);
    expect(stretches.length).toBeGreaterThan(10);
    const toPlane = (cell: number) => -2 + (4 * (cell + 0.5)) / 20;
    for (const [x0, y0, x1, y1] of stretches) {
      expect(toPlane(y0)).toBeCloseTo(2 * toPlane(x0), 9);
      expect(toPlane(y1)).toBeCloseTo(2 * toPlane(x1), 9);
    }
  });

  it("has no border where one label has all", () => {
    expect(border(sampled(8, () => 0.9))).toEqual([]);
    expect(border(sampled(8, () => 0.5))).toEqual([]);
  });

  it("runs in two stretches through a saddle", () => {
    expect(border(sampled(2, (x, y) => (x * y > 0 ? 1 : 0))).length).toBe(2);
  });
});

describe("colours", () => {
  it("go from one label over the paper to the other", () => {
    const field = fieldOf([200, 100, 0], [255, 255, 255], [0, 100, 200]);
    const bytes = (i: number) => [...new Uint8Array(field.buffer, 4 * i, 4)];
    expect(bytes(0)[0]).toBeGreaterThan(bytes(0)[2]!);
    expect(bytes(255)[2]).toBeGreaterThan(bytes(255)[0]!);
    expect(Math.min(...bytes(127), ...bytes(128))).toBeGreaterThanOrEqual(254);
  });
});

describe("scales", () => {
  const view = {
    x: [-1, 3] as [number, number],
    y: [2, 6] as [number, number],
    left: 40,
    top: 10,
    size: 400,
  };

  it("lead to the screen and back", () => {
    expect(toScreen(view, -1, 6)).toEqual([40, 10]);
    expect(toScreen(view, 3, 2)).toEqual([440, 410]);
    const [x, y] = toData(view, ...toScreen(view, 0.3, 4.7));
    expect([x, y]).toEqual([expect.closeTo(0.3, 9), expect.closeTo(4.7, 9)]);
  });

  it.each([
    [
      [-2, 2],
      [-2, -1, 0, 1, 2],
    ],
    [
      [0, 0.5],
      [0, 0.1, 0.2, 0.3, 0.4, 0.5],
    ],
    [
      [-1500, 1500],
      [-1000, 0, 1000],
    ],
    [[3, 3], [3]],
  ] as [[number, number], number[]][])("have round numbers in %j", (range, expected) => {
    expect(ticks(range, 5)).toEqual(expected);
  });

  it("have powers of ten, not too many", () => {
    expect(powers([0.01, 1], 5)).toEqual([0.01, 0.1, 1]);
    expect(powers([1e-16, 1], 5).length).toBeLessThanOrEqual(5);
  });

  it("are written short", () => {
    expect([0, -1.5, 20, 1e-4, 123456, 0.1 + 0.2].map(axisNumber)).toEqual([
      "0",
      "−1.5",
      "20",
      "1e−4",
      "1e5",
      "0.3",
    ]);
  });

  it("make a learning rate of a slider and back", () => {
    expect([rateOf(0), rateOf(50), rateOf(100)]).toEqual([1e-5, 0.01, 10]);
    for (let slider = 0; slider <= 100; slider++) expect(sliderOf(rateOf(slider))).toBeCloseTo(slider, -0.5);
    expect([sliderOf(0), sliderOf(1e6)]).toEqual([0, 100]);
  });
});

describe("points", () => {
  const points: Point[] = [
    [0, 0, 0],
    [1, 1, 1],
    [0.1, 0, 1],
  ];

  it("change one at a time, and leave the others as they were", () => {
    expect(added(points, 0.123456, -1, 1)).toEqual([...points, [0.1235, -1, 1]]);
    expect(moved(points, 1, 5, 6)).toEqual([
      [0, 0, 0],
      [5, 6, 1],
      [0.1, 0, 1],
    ]);
    expect(removed(points, 0)).toEqual([
      [1, 1, 1],
      [0.1, 0, 1],
    ]);
    expect(flipped(points, 2)).toEqual([
      [0, 0, 0],
      [1, 1, 1],
      [0.1, 0, 0],
    ]);
    expect(points).toEqual([
      [0, 0, 0],
      [1, 1, 1],
      [0.1, 0, 1],
    ]);
  });

  it("are found by their distance; of two the later one, which is drawn on top", () => {
    const far = (x: number) => (p: Point) => Math.abs(p[0] - x);
    expect(nearest(points, 0.5, far(0.08))).toBe(2);
    expect(nearest(points, 0.5, far(0.05))).toBe(2);
    expect(nearest(points, 0.5, far(9))).toBeNull();
  });

  it("are the same if all of their parts are", () => {
    expect(
      same(
        points,
        points.map((p) => [...p] as Point),
      ),
    ).toBe(true);
    expect(same(points, flipped(points, 0))).toBe(false);
    expect(same(points, points.slice(1))).toBe(false);
  });

  it("are written as a table", () => {
    expect(
      toCsv([
        [0.5, -1, 1],
        [2, 3, 0],
      ]),
    ).toBe("x,y,label\n0.5,-1,1\n2,3,0\n");
  });
});
