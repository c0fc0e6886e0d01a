import { describe, expect, test } from "vitest";
import type { Graph } from "../../src/engine";
import { Timeline } from "../../src/engine/timeline";
import { arranged } from "../../src/picture/layout/arrange";
import { distance, sampled } from "../../src/picture/layout/curves";
import { type Wanted, TALL, placesOf } from "../../src/picture/layout/labels";
import { PRESETS, graphOf } from "../../src/walk";
import { Graph as Made } from "../../src/engine";
import { Writer } from "./graphs";

const UNFOLDED = { mode: "none", open: [] } as const;

/** The labels of all edges into the last node. */
function labels(op: string, operands: number, text = "× 3.0"): Wanted[] {
  const w = new Writer();
  const a = w.leaf(3, "a");
  w.op(op, Array.from({ length: operands }, () => a));
  const { plan } = arranged(w.graph(), UNFOLDED);
  return plan.paths.map((points) => ({ line: sampled(points, false), text }));
}

function overlaps(wanted: Wanted[]): number {
  const places = placesOf(wanted, wanted.map(({ line }) => line));
  return places.filter((a, i) =>
    places.some((b, j) => {
      const beside = a.x + a.width <= b.x || b.x + b.width <= a.x;
      return i < j && !beside && Math.abs(a.y - b.y) < TALL;
    }),
  ).length;
}

describe("labels of edges", () => {
  test.each([
    ["mul", 2, "× 3.0"],
    ["mul", 2, "× -1.234e-10"],
    ["mul", 2, "∂averylongname/∂anotherlongname = 3.0"],
    ["where", 3, "× 3.0"],
    ["where", 3, "∂averylongname/∂anotherlongname = 3.0"],
  ])("of parallel edges do not cover each other: %s of %d, %s", (op, operands, text) => {
    expect(overlaps(labels(op, operands, text))).toBe(0);
  });

  test("many at one place find one each", () => {
    const [one] = labels("mul", 2);
    for (const text of ["× 3.0", "∂averylongname/∂anotherlongname = 3.0"])
      expect(overlaps(Array.from({ length: 30 }, () => ({ ...one!, text })))).toBe(0);
  });
});

const GRAPHS: [string, Graph][] = PRESETS.map(({ id, source, values }) => [id, new Made(graphOf(source, values))]);

test.each(GRAPHS)("at every step of %s, each label is nearest to its own edge", (_, graph) => {
  for (const down of [false, true]) {
    const { plan, links, boxOf } = arranged(graph, UNFOLDED, undefined, down);
    const lines = plan.paths.map((points) => sampled(points, down));
    const timeline = new Timeline(graph.evaluate());
    for (let time = timeline.seed + 1; time <= timeline.length; time++) {
      const moment = timeline.at(time);
      if (moment.kind !== "backward") continue;
      const active = links.flatMap(({ target }, k) => (target === boxOf[moment.node] ? [k] : []));
      const wanted = active.map((k) => ({ line: lines[k]!, text: "× -0.1234" }));
      placesOf(wanted, lines, plan.rects).forEach(({ x, y, width }, at) => {
        const middle = { x: x + width / 2, y: y + TALL / 2 };
        const own = distance(lines[active[at]!]!, middle);
        const same = (k: number) => links[k]!.source === links[active[at]!]!.source && links[k]!.target === links[active[at]!]!.target;
        const others = lines.flatMap((line, k) => (k === active[at] || same(k) ? [] : [distance(line, middle)]));
        expect(own).toBeLessThan(Math.min(...others, Infinity));
      });
    }
  }
});
