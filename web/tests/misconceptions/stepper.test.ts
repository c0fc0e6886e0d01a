import { describe, expect, test } from "vitest";
import { Graph } from "../../src/engine";
import { documentOf } from "../../src/expression";
import { assigned, inOrder } from "../../src/misconceptions/runs";
import { Stepper } from "../../src/misconceptions/stepper";
import {
  documentOfStory,
  LEARNED,
  named,
  pairOf,
  RATE,
  STORIES,
  storyOf,
} from "../../src/misconceptions/stories";

const run = (text: string, values: Record<string, number>) => new Graph(documentOf(text, values)).evaluate();
const TREE = run("(a + b) * c", { a: 2, b: -3, c: 10 });
const DIAMOND = run("m = a + 1; n = a * 3; m * n", { a: 2 });

describe("two runs in lock step", () => {
  test("begin at the seed and end when the longer one is over", () => {
    const stepper = new Stepper(assigned(DIAMOND));
    expect([stepper.step.value, stepper.length.value]).toEqual([0, 3]);
    stepper.go(-5);
    expect(stepper.step.value).toBe(0);
    stepper.go(Infinity);
    expect(stepper.step.value).toBe(3);
  });

  test("mark the first node that differs, and not before it does", () => {
    const stepper = new Stepper(assigned(DIAMOND));
    const { node } = stepper.difference.value!;
    for (let step = 0; step < stepper.stop.value; step++) {
      stepper.go(step);
      expect([stepper.parted.value, stepper.marked.value]).toEqual([false, null]);
    }
    stepper.toDifference();
    expect([stepper.parted.value, stepper.marked.value]).toEqual([true, node]);
  });

  test("mark what was clicked instead, until the next step", () => {
    const stepper = new Stepper(assigned(DIAMOND));
    stepper.toDifference();
    stepper.chosen.value = 0;
    expect(stepper.marked.value).toBe(0);
    stepper.go(stepper.step.value - 1);
    expect(stepper.marked.value).toBe(null);
  });

  test("pause where they part, and then play on to the end", () => {
    const stepper = new Stepper(pairOf("twice", documentOfStory(storyOf("twice"))));
    stepper.run();
    while (stepper.playing.value) stepper.tick();
    expect(stepper.step.value).toBe(stepper.stop.value);
    expect(stepper.stop.value).toBeLessThan(stepper.length.value);
    stepper.toggle();
    while (stepper.playing.value) stepper.tick();
    expect(stepper.step.value).toBe(stepper.length.value);
    stepper.toggle();
    expect([stepper.step.value, stepper.playing.value]).toEqual([0, true]);
  });

  test("never part where the mistake does no harm", () => {
    const stepper = new Stepper(assigned(TREE));
    expect(stepper.stop.value).toBe(Infinity);
    stepper.toDifference();
    expect([stepper.step.value, stepper.parted.value]).toEqual([stepper.length.value, false]);
  });

  test("begin anew with another pair", () => {
    const stepper = new Stepper(assigned(TREE));
    stepper.run();
    stepper.tick();
    stepper.open(assigned(DIAMOND));
    expect([stepper.step.value, stepper.playing.value, stepper.length.value]).toEqual([0, false, 3]);
  });
});

describe("the stories", () => {
  const pairs = STORIES.map((story) => {
    if (story.kind !== "order") return { story, pair: pairOf(story.kind, documentOfStory(story)) };
    const right = new Graph(documentOfStory(story)).evaluate();
    return { story, pair: inOrder(right, named(right.graph, ["t", "n", "m", "y"])) };
  });

  test("are the five of them, each with an address", () => {
    expect(STORIES.map(({ kind }) => kind)).toEqual(["assign", "recursion", "order", "reset", "twice"]);
    for (const story of STORIES) expect(storyOf(story.kind)).toBe(story);
    expect(storyOf("something else").kind).toBe("assign");
  });

  test.each(pairs)("$story.title: goes wrong, and says where", ({ pair }) => {
    const stepper = new Stepper(pair);
    expect(stepper.stop.value).toBeLessThanOrEqual(stepper.length.value);
    expect(stepper.difference.value!.words).toMatch(/\d/);
  });

  test("without a reset the second step makes the loss larger, with one smaller", () => {
    const { kind, source, values } = storyOf("reset");
    const first = run(source, values);
    const { wrong, right } = pairOf(kind as "reset", documentOf(source, values));
    const learned = named(first.graph, LEARNED);
    const loss = (of: typeof wrong) => {
      const edits = learned.map((node): [number, number] => [
        node,
        of.data[node]! - RATE * of.gradients[node]!,
      ]);
      return first.graph.evaluate(new Map(edits)).data[first.graph.root]!;
    };
    const between = right.data[first.graph.root]!;
    expect(loss(wrong)).toBeGreaterThan(between);
    expect(loss(right)).toBeLessThan(between);
  });
});
