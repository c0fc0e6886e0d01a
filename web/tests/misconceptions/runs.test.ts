import { describe, expect, test } from "vitest";
import { Graph, Timeline } from "../../src/engine";
import type { Run } from "../../src/engine";
import { documentOf } from "../../src/expression";
import { assigned, firstDifference, inOrder, recursive } from "../../src/misconceptions/runs";
import { nodesToOrder, twice, unreset } from "../../src/misconceptions/runs";
import type { Pair } from "../../src/misconceptions/runs";
import { chain, doublings, tangle } from "../engine/documents";

const run = (text: string, values: Record<string, number>) => new Graph(documentOf(text, values)).evaluate();
const node = (of: Run, label: string) => of.graph.nodes.findIndex((one) => one.label === label);
const gradient = (of: Run, label: string) => of.gradients[node(of, label)];
const words = (pair: Pair) => firstDifference(pair)?.words;

/** The diamond, with names: a = 2, m = 3, n = 6, y = 18. */
const DIAMOND = run("m = a + 1; n = a * 3; y = m * n", { a: 2 });
/** A diamond whose tip is an inner node: order matters here. */
const INNER = run("t = a * a; m = t + 1; n = t * 3; y = m * n", { a: 2 });

describe("= in place of +=", () => {
  test("keeps what comes last", () => {
    const pair = assigned(DIAMOND);
    expect(gradient(pair.right, "a")).toBe(15);
    expect([6, 9]).toContain(gradient(pair.wrong, "a"));
    const found = firstDifference(pair)!;
    expect(found).toMatchObject({ node: node(DIAMOND, "a"), right: 15, wrong: gradient(pair.wrong, "a") });
    expect(found.words).toBe("a.grad was 9.0. With =, 6.0 overwrites it. With +=, the sum is 15.0.");
  });

  test("does no harm where every node is used once", () => {
    const pair = assigned(run("(a + b) * c", { a: 2, b: -3, c: 10 }));
    expect(firstDifference(pair)).toBe(null);
    expect(pair.wrong.gradients).toEqual(pair.right.gradients);
  });

  test("is stepped beside the right one, step by step", () => {
    const pair = assigned(INNER);
    const nodes = (of: Run) => of.backward.map((pass) => pass.node);
    expect(nodes(pair.wrong)).toEqual(nodes(pair.right));
    const found = firstDifference(pair)!;
    const [wrong, right] = [new Timeline(pair.wrong), new Timeline(pair.right)];
    expect(wrong.gradient(found.node, found.time)).toBe(found.wrong);
    expect(right.gradient(found.node, found.time)).toBe(found.right);
    expect(wrong.gradient(found.node, found.time - 1)).toBe(right.gradient(found.node, found.time - 1));
  });
});

describe("naive recursion", () => {
  test("passes on the first contribution twice", () => {
    const pair = recursive(INNER);
    // t.grad: 15 from m, passed on; then 15 + 15 from n, passed on whole.
    const t = node(INNER, "t");
    const visits = pair.wrong.backward.filter((pass) => pass.node === t).map((pass) => pass.gradient);
    expect(visits).toEqual([12, 27]);
    expect(gradient(pair.right, "a")).toBe(4 * 27);
    expect(gradient(pair.wrong, "a")).toBe(4 * (12 + 27));
    expect(firstDifference(pair)).toMatchObject({ node: t, wrong: 12, right: 27 });
    expect(words(pair)).toBe(
      "t is processed with 12.0. Its complete gradient is 27.0. " +
        "It propagates this part now, and again later as a part of the whole.",
    );
  });

  test("is right for a tree, and where only leaves are shared", () => {
    for (const good of [DIAMOND, run("(a + b) * c", { a: 2, b: -3, c: 10 })]) {
      const pair = recursive(good);
      expect(firstDifference(pair)).toBe(null);
      expect(pair.wrong.gradients).toEqual(good.gradients);
    }
  });

  test("visits e twice for e * e, though all has arrived the first time", () => {
    const pair = recursive(run("e = a + 1; e * e", { a: 2 }));
    expect([gradient(pair.right, "a"), gradient(pair.wrong, "a")]).toEqual([6, 12]);
    expect(words(pair)).toBe("e is visited again and propagates its whole gradient of 6.0 once more.");
  });

  test("is cut off where it would go on for 2 ** 60 visits", () => {
    const pair = recursive(new Graph(doublings(60)).evaluate());
    expect([pair.cut, pair.wrong.backward.length]).toEqual([true, 10_000]);
    expect(firstDifference(pair)).not.toBe(null);
    expect(recursive(new Graph(chain(5_000)).evaluate()).cut).toBe(false);
  });
});

describe("an order of one's own", () => {
  const at = (...labels: string[]) => labels.map((label) => node(INNER, label));

  test("is right if every node waits for its consumers", () => {
    for (const order of [nodesToOrder(INNER.graph), at("y", "m", "n", "t"), at("y", "n", "m", "t")]) {
      const pair = inOrder(INNER, order);
      expect(firstDifference(pair)).toBe(null);
      expect(pair.lost).toEqual([]);
      expect(pair.wrong.gradients).toEqual(INNER.gradients);
    }
  });

  test("loses contributions that arrive after a node was processed, and says why", () => {
    const pair = inOrder(INNER, at("y", "m", "t", "n"));
    expect(pair.lost).toEqual([{
      step: 3, from: node(INNER, "n"), node: node(INNER, "t"), amount: 15,
      words: "t has already been processed when n adds 15.0 to its gradient. This contribution is not propagated.",
    }]);
    expect([gradient(pair.right, "a"), gradient(pair.wrong, "a")]).toEqual([108, 48]);
    expect(words(pair)).toBe(
      "t is processed with 12.0. Its complete gradient is 27.0. Later contributions are not propagated.",
    );
  });

  test("gives nothing at all if the root comes last", () => {
    const pair = inOrder(INNER, at("t", "n", "m", "y"));
    expect(gradient(pair.wrong, "a")).toBe(null);
    expect(words(pair)).toBe("t is processed before any contribution has reached it: its gradient of 27.0 is not propagated.");
    expect(new Timeline(pair.wrong).gradient(node(INNER, "y"), 5)).toBe(1);
  });

  test("may name leaves too, and has to name every other node once", () => {
    expect(inOrder(INNER, [...at("a"), ...nodesToOrder(INNER.graph)]).wrong.gradients).toEqual(INNER.gradients);
    expect(() => inOrder(INNER, at("y", "m", "n"))).toThrow(RangeError);
    expect(() => inOrder(INNER, at("y", "m", "n", "n"))).toThrow(RangeError);
    expect(() => inOrder(INNER, [...at("y", "m", "n", "t"), 99])).toThrow(RangeError);
  });

  test.each([1, 2, 3, 4])("what is lost is what is missing: graph %i", (seed) => {
    const right = new Graph(tangle(seed, 8)).evaluate();
    const order = nodesToOrder(right.graph);
    for (let i = 0; i + 1 < order.length; i++) {
      const swapped = [...order];
      [swapped[i], swapped[i + 1]] = [swapped[i + 1]!, swapped[i]!];
      const pair = inOrder(right, swapped);
      const missing = pair.lost.reduce((sum, one) => sum + one.amount, 0);
      if (!pair.lost.length) expect(firstDifference(pair)).toBe(null);
      if (Math.abs(missing) > 1e-6) expect(firstDifference(pair)).not.toBe(null);
      const consumers = right.graph.nodes[swapped[i]!]!.consumers.map((one) => one.node);
      expect(pair.lost.length > 0).toBe(consumers.includes(swapped[i + 1]!));
    }
  });
});

describe("no reset between two steps", () => {
  const first = run("p = w * x; d = p - y; d ** 2", { w: 1, x: 2, y: 3 });
  const w = node(first, "w");
  const pair = unreset(first, [w], 0.1);

  test("adds the gradient of the step before", () => {
    expect(first.gradients[w]).toBe(-4);
    expect(pair.right.data[w]).toBeCloseTo(1.4, 12);
    expect(pair.right.gradients[w]).toBeCloseTo(-0.8, 12);
    expect(pair.wrong.gradients[w]).toBeCloseTo(-4.8, 12);
    expect(words(pair)).toBe(
      "w.grad still has -4.0 from the previous step: -4.0 + -0.8 → -4.8. The gradient of this step is -0.8.",
    );
  });

  test("shows at once what is left over, and only in what is learned", () => {
    const timeline = new Timeline(pair.wrong);
    expect([timeline.gradient(w, 0), timeline.gradient(node(first, "x"), 0)]).toEqual([-4, undefined]);
    expect(gradient(pair.wrong, "x")).toBe(gradient(pair.right, "x"));
  });
});

describe("an operand that is used twice by one node", () => {
  const DOUBLE = run("h = x * 1; y = h + h", { x: 3 });

  test.each([
    [
      twice(DOUBLE),
      "first backward pass: 2.0 + 1.0 + 1.0 → 4.0. h is an inner node, so it propagates all of it. " +
        "The gradient of this pass is 2.0.",
    ],
    [assigned(DOUBLE), "h.grad was 1.0. With =, 1.0 overwrites it. With +=, the sum is 2.0."],
  ])("is told with all that it has got in that step", (pair, ending) => {
    const found = firstDifference(pair)!;
    expect(found.words.endsWith(ending), found.words).toBe(true);
    const [wrong, right] = [new Timeline(pair.wrong), new Timeline(pair.right)];
    expect(wrong.gradient(found.node, found.time)).toBe(found.wrong); // as the boxes and the table show
    expect(right.gradient(found.node, found.time)).toBe(found.right);
  });

  test("and by others before, with =", () => {
    const pair = assigned(run("h = x * 1; k = h + h; y = k + h * 5", { x: 3 }));
    const found = firstDifference(pair)!;
    expect(found.words).toMatch(/^h\.grad was .*\. With =, .* With \+=, the sum is 7\.0\.$/);
    expect(new Timeline(pair.right).gradient(found.node, found.time)).toBe(7);
  });
});

describe("backward() twice", () => {
  test("goes wrong where inner nodes accumulate", () => {
    const pair = twice(INNER);
    expect(gradient(pair.right, "a")).toBe(2 * 108);
    // y gives m and n 6 + 6 and 5 + 5; t gets 2 × 27 more, on top of its 27; and passes on 81.
    expect(gradient(pair.wrong, "a")).toBe(108 + 4 * 81);
    expect(words(pair)).toBe(
      "m.grad still has 12.0 from the first backward pass: 12.0 + 12.0 → 24.0. " +
        "m is an inner node, so it propagates all of it. The gradient of this pass is 12.0.",
    );
  });

  test("goes well where there is no inner node but the root", () => {
    const pair = twice(run("a * b", { a: 2, b: 3 }));
    expect(firstDifference(pair)).toBe(null);
    expect(pair.wrong.gradients).toEqual([6, 4, 1]);
  });
});

test.each([1, 2, 3, 4, 5])("no mistake touches the right run: graph %i", (seed) => {
  const right = new Graph(tangle(seed, 20)).evaluate();
  const before = structuredClone({ gradients: right.gradients, data: right.data });
  const passes = right.backward.map((pass) => [pass.node, pass.gradient]);
  const reversed = inOrder(right, nodesToOrder(right.graph).reverse());
  for (const pair of [assigned(right), recursive(right), reversed, twice(right)]) {
    const found = firstDifference(pair);
    if (found) expect(found.words).toMatch(/\.$/);
    else expect(pair.wrong.gradients).toEqual(pair.right.gradients);
  }
  expect({ gradients: right.gradients, data: right.data }).toEqual(before);
  expect(right.backward.map((pass) => [pass.node, pass.gradient])).toEqual(passes);
});
