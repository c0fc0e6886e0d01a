import { describe, expect, it } from "vitest";
import { graphOf } from "../../src/walk/source/formula";
import { PRESETS } from "../../src/walk/source/presets";
import { SPEEDS, Walk } from "../../src/walk/state/state";

const product = () => new Walk(graphOf("(a + b) * c", { a: 2, b: -3, c: 10 }));
const index = (walk: Walk, name: string) => walk.graph.value.nodes.find((node) => node.name === name)!.index;
const snapshot = (walk: Walk) =>
  walk.graph.value.nodes.map(({ index }) => {
    const { timeline, time } = walk;
    return [timeline.value.known(index, time.value), timeline.value.gradient(index, time.value)];
  });

describe("time", () => {
  it("is the same place whichever way it is reached", () => {
    const walk = product();
    const there = [];
    for (let t = 0; t <= walk.timeline.value.length; t++, walk.step(1)) there.push(snapshot(walk));
    for (let t = walk.timeline.value.length; t >= 0; t--, walk.step(-1)) {
      expect(walk.time.value).toBe(t);
      expect(snapshot(walk)).toEqual(there[t]);
    }
  });

  it("ends at both ends", () => {
    const walk = product();
    walk.step(-1);
    expect(walk.time.value).toBe(0);
    walk.step(Infinity);
    expect(walk.time.value).toBe(walk.timeline.value.length);
    walk.step(10);
    expect(walk.time.value).toBe(walk.timeline.value.length);
  });

  it("plays to the end, and from the beginning when played again", () => {
    const walk = product();
    walk.togglePlaying();
    while (walk.playing.value) walk.tick();
    expect(walk.time.value).toBe(walk.timeline.value.length);
    walk.togglePlaying();
    expect([walk.time.value, walk.playing.value]).toEqual([0, true]);
    walk.step(1);
    expect(walk.playing.value).toBe(false);
  });

  it("pauses once where a lesson asks for it", () => {
    const walk = new Walk(graphOf("a * a", { a: 3 }), {}, 1);
    walk.togglePlaying();
    walk.tick();
    expect([walk.time.value, walk.playing.value]).toEqual([1, false]);
    walk.togglePlaying();
    walk.tick();
    expect([walk.time.value, walk.playing.value]).toEqual([2, true]);
  });

  it("goes faster and slower within its speeds", () => {
    const walk = product();
    for (let i = 0; i < 20; i++) walk.changeSpeed(1);
    expect(walk.speed.value).toBe(SPEEDS.at(-1));
    for (let i = 0; i < 20; i++) walk.changeSpeed(-1);
    expect(walk.speed.value).toBe(SPEEDS[0]);
  });
});

describe("edits", () => {
  it("compute everything anew and leave the time as it is", () => {
    const walk = product();
    walk.go(4);
    walk.edit(index(walk, "a"), 5);
    expect(walk.time.value).toBe(4);
    expect(walk.run.value.data.at(-1)).toBe(20);
    expect(walk.run.value.gradients[index(walk, "c")]).toBe(2);
  });

  it("are compared with the original values, or with a run that is kept", () => {
    const walk = product();
    const a = index(walk, "a");
    for (const x of [3, 3.5, 4]) walk.edit(a, x); // a drag gives many values
    const change = () => walk.changes.value.find(({ node, what }) => node === a && what === "value");
    expect(change()).toMatchObject({ old: 2, now: 4 });
    walk.keep(walk.run.value);
    expect(walk.changes.value).toEqual([]);
    walk.edit(a, 5);
    expect(change()).toMatchObject({ old: 4, now: 5 });
    walk.keep(null);
    expect(change()).toMatchObject({ old: 2, now: 5 });
  });

  it("end with a reset", () => {
    const walk = product();
    walk.edit(index(walk, "a"), 4);
    walk.reset();
    expect(walk.edits.value.size).toBe(0);
    expect(walk.run.value.data).toEqual(walk.original.value.data);
    expect(walk.changes.value).toEqual([]);
  });

  it("back to the first value are none", () => {
    const walk = product();
    walk.edit(index(walk, "a"), 4);
    walk.edit(index(walk, "a"), 2);
    expect(walk.edits.value.size).toBe(0);
  });

  it("of what is no leaf are refused", () => {
    const walk = product();
    walk.edit(walk.graph.value.root, 4);
    expect(walk.edits.value.size).toBe(0);
  });

  it("may be NaN", () => {
    const walk = product();
    walk.edit(index(walk, "a"), NaN);
    expect(walk.run.value.data.at(-1)).toBeNaN();
    expect(walk.changes.value[0]?.size).toBe(Infinity);
  });
});

describe("opening", () => {
  it("starts at the beginning with nothing of the graph before", () => {
    const walk = product();
    walk.go(3);
    walk.edit(0, 7);
    walk.toggleBreakpoint(0);
    walk.selection.value = { kind: "node", node: 4 };
    walk.open(graphOf("a * a", { a: 3 }));
    expect(walk.time.value).toBe(0);
    expect(walk.edits.value.size).toBe(0);
    expect(walk.selection.value).toBeNull();
    expect(walk.breakpoints.value.nodes.size).toBe(0);
  });

  it("of a document that is none changes nothing", () => {
    const walk = product();
    const { value } = walk.document;
    expect(() => walk.open({ format: "other" } as never)).toThrow("gradwalk-walk");
    expect(walk.document.value).toBe(value);
  });

  it("takes a state back as it was given", () => {
    const walk = product();
    walk.edit(0, -Infinity);
    walk.go(3);
    walk.selection.value = { kind: "edge", node: walk.graph.value.root, position: 1 };
    walk.folding.value = { mode: "name", open: ["x"] };
    const other = new Walk(walk.document.value, JSON.parse(JSON.stringify(walk.state())));
    expect(other.state()).toEqual(walk.state());
    expect(other.run.value.data).toEqual(walk.run.value.data);
  });

  it.each([
    [{ mode: "zzz", open: [] }], [{ mode: "toString", open: [] }], [{ mode: "layer" }], ["x"], [null], [7],
  ])("leaves out a folding that is none: %j", (folding) => {
    expect(new Walk(graphOf("a * a", { a: 3 }), { folding }).folding.value).toBeUndefined();
  });

  it("leaves out what a state says of nodes that are not there", () => {
    const walk = new Walk(graphOf("a * a", { a: 3 }), {
      edits: [[7, 1], [1, 2]], time: 1e9, selection: { node: 99 },
    });
    expect(walk.edits.value.size).toBe(0);
    expect(walk.selection.value).toBeNull();
    expect(walk.time.value).toBe(walk.timeline.value.length);
  });
});

describe("presets", () => {
  it.each(PRESETS)("$title can be walked", ({ source, values }) => {
    const walk = new Walk(graphOf(source, values));
    expect(walk.timeline.value.length).toBeGreaterThan(2);
    expect(walk.run.value.gradients.filter((g) => g !== null).every(Number.isFinite)).toBe(true);
    expect(walk.graph.value.nodes.filter((node) => node.editable)).toHaveLength(Object.keys(values).length);
  });

  it("have the gradients that the textbook has", () => {
    const gradients = (id: string) => {
      const { source, values } = PRESETS.find((preset) => preset.id === id)!;
      const { graph, gradients: found } = new Walk(graphOf(source, values)).run.value;
      return Object.fromEntries(graph.nodes.map((node) => [node.name, found[node.index]]));
    };
    expect(gradients("product")).toMatchObject({ a: 10, b: 10, c: -1 });
    expect(gradients("square")).toMatchObject({ a: 6 });
    expect(gradients("diamond")).toMatchObject({ a: 15 }); // (3 a² + 3 a)' at 2
    const { z1, z2, z3 } = gradients("softmax");
    const exps = [1, 2, 0.5].map(Math.exp);
    const total = exps.reduce((a, b) => a + b);
    expect(z1).toBeCloseTo(exps[0]! / total, 12);
    expect(z2).toBeCloseTo(exps[1]! / total - 1, 12);
    expect(z3).toBeCloseTo(exps[2]! / total, 12);
  });
});
