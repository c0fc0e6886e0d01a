import { describe, expect, it } from "vitest";
import { isSet, nextStop, NO_BREAKPOINTS, stopAt, type Breakpoints } from "../../src/walk/state/breakpoints";
import { graphOf } from "../../src/walk/source/formula";
import { Walk } from "../../src/walk/state/state";

const walkOf = (source: string, values: Record<string, number>) => new Walk(graphOf(source, values));
const set = (given: Partial<Breakpoints>): Breakpoints => ({ ...NO_BREAKPOINTS, ...given });
const stops = (walk: Walk, breakpoints: Breakpoints) => {
  const times = Array.from({ length: walk.timeline.value.length + 1 }, (_, t) => t);
  return times.filter((t) => stopAt(walk.timeline.value, t, breakpoints));
};

describe("a breakpoint", () => {
  it("that is not set never stops", () => {
    expect(stops(walkOf("log(a) / 0", { a: -1 }), NO_BREAKPOINTS)).toEqual([]);
    expect(isSet(NO_BREAKPOINTS)).toBe(false);
  });

  it("stops where a value becomes infinite or NaN, and says which", () => {
    const walk = walkOf("d = 1 / a\nd * b", { a: 0, b: 0 });
    const stop = nextStop(walk.timeline.value, 0, 1, set({ notFinite: true }));
    expect(stop).toEqual({ time: 1, words: "Stopped: the value of d is inf." });
    expect(nextStop(walk.timeline.value, 1, 1, set({ notFinite: true }))?.words).toContain("NaN");
  });

  it("stops where a gradient becomes infinite while all values are finite", () => {
    const walk = walkOf("sqrt(a) * b", { a: 0, b: 1 });
    const stop = nextStop(walk.timeline.value, 0, 1, set({ notFinite: true }));
    expect(stop?.words).toBe("Stopped: the gradient of a is inf.");
  });

  it("stops beyond a bound, on both sides of 0", () => {
    const walk = walkOf("(a + b) * c", { a: 2, b: -3, c: 10 });
    expect(stops(walk, set({ bound: 9 }))).toEqual([2, 4, 5]); // -10 forward, 10 backward, twice
    expect(stops(walk, set({ bound: 10 }))).toEqual([]);
  });

  it("stops at a named node: at its value and in its backward step", () => {
    const walk = walkOf("d = a + b\nd * c", { a: 2, b: -3, c: 10 });
    const d = walk.graph.value.nodes.find((node) => node.name === "d")!.index;
    const { timeline } = walk;
    const at = [timeline.value.timeOfForward(d), timeline.value.timeOfBackward(d)];
    expect(stops(walk, set({ nodes: new Set([d]) }))).toEqual(at);
  });

  it("is found in both directions", () => {
    const walk = walkOf("(a + b) * c", { a: 2, b: -3, c: 10 });
    walk.breakpoints.value = set({ bound: 9 });
    const found: number[] = [];
    while (walk.toNextStop(1)) found.push(walk.time.value);
    expect(walk.time.value).toBe(walk.timeline.value.length);
    const back: number[] = [];
    while (walk.toNextStop(-1)) back.push(walk.time.value);
    expect(walk.time.value).toBe(0);
    expect(back).toEqual(found.slice(0, -1).reverse());
  });

  it("pauses playing, and playing goes on after it", () => {
    const walk = walkOf("(a + b) * c", { a: 2, b: -3, c: 10 });
    walk.breakpoints.value = set({ bound: 9 });
    walk.togglePlaying();
    while (walk.playing.value) walk.tick();
    expect([walk.time.value, walk.stopped.value?.words]).toEqual([2, "Stopped: the value of v4 is -10.0, beyond ±9.0."]);
    walk.togglePlaying();
    while (walk.playing.value) walk.tick();
    expect(walk.time.value).toBe(4);
  });
});
