import { describe, expect, it } from "vitest";
import { columns, Curve } from "../../src/training/run/curve";
import { frameOf } from "../../src/training/paint-curve";

/** The server's rule: every loss is kept until there are more than `most`, then neighbours are averaged. */
function server(most: number) {
  let [every, losses, open] = [1, [] as number[], [] as number[]];
  let [known, knownEvery] = [0, 0];
  const mean = (xs: number[]) => xs.reduce((a, b) => a + b, 0) / xs.length;
  const add = (loss: number) => {
    open.push(loss);
    if (open.length < every) return;
    losses.push(mean(open));
    open = [];
    if (losses.length <= most) return;
    if (losses.length % 2) open = Array(every).fill(losses.pop()!);
    losses = Array.from({ length: losses.length / 2 }, (_, i) => mean(losses.slice(2 * i, 2 * i + 2)));
    every *= 2;
  };
  const since = () => {
    const first = knownEvery === every ? known : 0;
    [known, knownEvery] = [losses.length, every];
    return { from: first * every, every, losses: losses.slice(first) };
  };
  return { add, since, all: () => ({ every, losses }) };
}

describe("curve", () => {
  it("has all that the server has after every frame, however the frames fall", () => {
    const [one, curve] = [server(8), new Curve()];
    for (let update = 0; update < 200; update++) {
      one.add(Math.sin(update));
      if (update % 3 === 0 || update % 7 === 0) {
        expect(curve.take(one.since())).toBe(true);
        expect({ every: curve.every, losses: curve.losses }).toEqual(one.all());
      }
    }
    expect(curve.every).toBeGreaterThan(8);
  });

  it("begins anew at 0 and takes an overlap once", () => {
    const curve = new Curve();
    curve.take({ from: 0, every: 1, losses: [3, 2, 1] });
    curve.take({ from: 2, every: 1, losses: [1, 0.5] });
    expect(curve.losses).toEqual([3, 2, 1, 0.5]);
    curve.take({ from: 0, every: 1, losses: [9] });
    expect(curve.losses).toEqual([9]);
  });

  it("says when something in between is missing", () => {
    const curve = new Curve();
    expect(curve.take({ from: 0, every: 1, losses: [1] })).toBe(true);
    expect(curve.take({ from: 2, every: 1, losses: [1] })).toBe(false);
  });

  it("knows the last update of each number", () => {
    const curve = new Curve();
    curve.take({ from: 0, every: 4, losses: [1, 2] });
    expect([curve.update(0), curve.update(1)]).toEqual([4, 8]);
  });
});

describe("columns", () => {
  it("keep every number in order, and every spike", () => {
    const losses = Array.from({ length: 1003 }, (_, i) => Math.cos(i * i));
    losses[500] = 1e9;
    losses[501] = -1e9;
    const found = columns(losses, 97);
    expect(found.length).toBe(97);
    expect(found[0]!.start).toBe(0);
    expect(found.at(-1)!.end).toBe(losses.length);
    found.slice(1).forEach((column, i) => expect(column.start).toBe(found[i]!.end));
    for (const { start, end, low, high } of found) {
      expect(low).toBe(Math.min(...losses.slice(start, end)));
      expect(high).toBe(Math.max(...losses.slice(start, end)));
    }
    expect(Math.max(...found.map((column) => column.high))).toBe(1e9);
  });

  it("are the losses themselves where there is room", () => {
    expect(columns([3, 1, 2], 100).map(({ low, high }) => [low, high])).toEqual([
      [3, 3],
      [1, 1],
      [2, 2],
    ]);
    expect(columns([], 100)).toEqual([]);
  });
});

describe("the curve on its canvas", () => {
  const size = { width: 256, height: 130 };
  const curve = new Curve();
  curve.take({ from: 0, every: 1, losses: [1, 0.1, 0.01] });

  it("puts equal factors equally far apart on a logarithmic axis", () => {
    const { yOf } = frameOf(curve, size, true);
    expect(yOf(0.1) - yOf(1)).toBeCloseTo(yOf(0.01) - yOf(0.1), 9);
    expect(yOf(0)).toBe(yOf(0.01)); // 0 has no logarithm
  });

  it("finds the update under the mouse again", () => {
    const { xOf, indexAt } = frameOf(curve, size, false);
    expect([0, 1, 2].map((i) => indexAt(xOf(i)))).toEqual([0, 1, 2]);
    expect([indexAt(-50), indexAt(9_999)]).toEqual([0, 2]);
    expect(frameOf(new Curve(), size, false).indexAt(5)).toBeNull();
  });

  it("has a place for losses that are all 0 or all alike", () => {
    const flat = new Curve();
    for (const loss of [0, 2]) {
      flat.take({ from: 0, every: 1, losses: [loss, loss] });
      for (const log of [true, false]) expect(frameOf(flat, size, log).yOf(loss)).not.toBeNaN();
    }
  });
});
