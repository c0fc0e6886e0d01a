import { describe, expect, test } from "vitest";
import { Graph, Timeline } from "../../src/engine";
import { LECTURE, document, tangle } from "./documents";

const lecture = new Timeline(new Graph(LECTURE).evaluate());

describe("a timeline", () => {
  test("has one tick per operation, one for the seed, one per node that passes on", () => {
    const moments = Array.from({ length: lecture.length + 1 }, (_, time) => lecture.at(time));
    expect(moments.map(({ kind, ...more }) => [kind, "node" in more ? more.node : null])).toEqual([
      ["start", null], ["forward", 2], ["forward", 4], ["forward", 6], ["seed", 6],
      ["backward", 6], ["backward", 4], ["backward", 2],
    ]);
    expect(lecture.length).toBe(7);
  });

  test("ends at its ends", () => {
    expect(lecture.at(-3)).toEqual({ kind: "start" });
    expect(lecture.at(99)).toEqual(lecture.at(7));
    expect(lecture.clamped(NaN)).toBe(0);
  });

  test("knows at every time which numbers are there", () => {
    const known = (time: number) => LECTURE.nodes.map((_, node) => lecture.known(node, time));
    expect(known(0)).toEqual([true, true, false, true, false, true, false]);
    expect(known(2)).toEqual([true, true, true, true, true, true, false]);
    expect(known(3)).not.toContain(false);
  });

  test("knows at every time which gradients have arrived", () => {
    const gradients = (time: number) => LECTURE.nodes.map((_, node) => lecture.gradient(node, time));
    const u = undefined;
    expect(gradients(3)).toEqual([u, u, u, u, u, u, u]);
    expect(gradients(4)).toEqual([u, u, u, u, u, u, 1]);
    expect(gradients(5)).toEqual([u, u, u, u, -2, 4, 1]);
    expect(gradients(6)).toEqual([u, u, -2, -2, -2, 4, 1]);
    expect(gradients(7)).toEqual([6, -4, -2, -2, -2, 4, 1]);
    expect(gradients(5)).toEqual([u, u, u, u, -2, 4, 1]);
  });

  test("shows a gradient while it grows", () => {
    const run = new Graph(document([[3, "a"], ["neg", [0]], ["square", [0]], ["add", [1, 2]]])).evaluate();
    const timeline = new Timeline(run);
    const times = Array.from({ length: timeline.length + 1 }, (_, time) => timeline.gradient(0, time));
    expect(times).toEqual([undefined, undefined, undefined, undefined, undefined, undefined, 6, 5]);
    expect(timeline.timeOfBackward(0)).toBe(7);
  });

  test("null is a gradient that will never come", () => {
    const run = new Graph(document([[-3, "a"], ["relu", [0]], ["c", 2], ["mul", [1, 2]]])).evaluate();
    const timeline = new Timeline(run);
    expect([4, 5].map((time) => timeline.gradient(0, time))).toEqual([undefined, null]);
    expect(timeline.gradient(2, 0)).toBe(null);
    expect(timeline.timeOfBackward(2)).toBe(Infinity);
  });

  test("of one leaf is the seed alone", () => {
    const timeline = new Timeline(new Graph(document([[3, "a"]])).evaluate());
    expect([timeline.length, timeline.gradient(0, 0), timeline.gradient(0, 1)]).toEqual([1, undefined, 1]);
  });

  test.each([1, 2, 3])("ends with the gradients of the run, graph %i", (seed) => {
    const run = new Graph(tangle(seed, 60)).evaluate();
    const timeline = new Timeline(run);
    const last = run.data.map((_, node) => timeline.gradient(node, timeline.length) ?? null);
    expect(last).toEqual(run.gradients);
    for (const { index, inputs } of run.graph.nodes) {
      if (!inputs.length) continue;
      const time = timeline.timeOfBackward(index);
      expect(timeline.gradient(index, time - 1)).toBe(run.gradients[index]);
    }
  });
});
