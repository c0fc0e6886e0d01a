import { describe, expect, test } from "vitest";
import { Timeline } from "../../src/engine/timeline";
import { arrange } from "../../src/picture/layout/arrange";
import { companyOf } from "../../src/picture/interaction/follow";
import { framesOf } from "../../src/picture/layout/frames";
import { linkNear } from "../../src/picture/interaction/near";
import { NO_PLACES, inSlots, placesAfter, reused } from "../../src/picture/interaction/slots";
import { automatic, idle } from "../../src/picture/interaction/modes";
import { inside } from "../../src/picture/shared/rects";
import * as graphs from "./graphs";

const unfolded = { mode: "none", open: [] } as const;

describe("elements that are used again", () => {
  const alike = () => "";

  test("what stays keeps its element, what comes takes those of what leaves, in order", () => {
    const before = reused(new Map(), [1, 2, 3, 4], alike, 0);
    expect([...reused(before, [2, 4, 7, 9], alike, 0)]).toEqual([[2, 1], [4, 3], [7, 0], [9, 2]]);
  });

  test("no two items share an element, whatever was there before", () => {
    let slots = reused(new Map(), [1], alike);
    for (const items of [[1, 2, 3], [], [9, 8], [1, 2, 3, 4, 5, 6], [4], [7, 8, 9]]) {
      slots = reused(slots, items, (k) => String(k % 2), 2);
      expect(new Set(slots.values()).size).toBe(slots.size);
      expect(items.every((k) => slots.has(k))).toBe(true);
      expect(slots.size).toBeLessThanOrEqual(items.length + 2);
    }
  });

  test("a leaf does not take the element of an operation", () => {
    const graph = graphs.mlp();
    const arrangement = arrange(graph, unfolded);
    const leaf = graph.nodes.findIndex((node) => node.leaf);
    const inner = graph.nodes.findIndex((node) => node.op === "mul");
    const drawn = (k: number) => ({ boxes: [arrangement.boxOf[k]!], links: [], far: false });
    const first = placesAfter(NO_PLACES, arrangement, drawn(leaf));
    const second = placesAfter(first, arrangement, drawn(inner));
    expect(second.boxes.get(arrangement.boxOf[inner]!)).not.toBe(first.boxes.get(arrangement.boxOf[leaf]!));
    expect(inSlots(second.boxes)).toEqual([leaf, inner].map((k) => arrangement.boxOf[k]!));
  });

  test("from afar nothing waits out of sight, and another arrangement begins anew", () => {
    const graph = graphs.mlp();
    const arrangement = arrange(graph, unfolded);
    const near = placesAfter(NO_PLACES, arrangement, { boxes: [3, 4, 5], links: [], far: false });
    expect(placesAfter(near, arrangement, { boxes: [4], links: [], far: true }).boxes.size).toBe(1);
    const folded = arrange(graph, { mode: "layer", open: [] });
    expect([...placesAfter(near, folded, { boxes: [2], links: [], far: false }).boxes]).toEqual([[2, 0]]);
  });
});

test.each([1, -1])("a picture that follows a step shows the node, and the next ones (%i)", (direction) => {
  const graph = graphs.mlp();
  const timeline = new Timeline(graph.evaluate());
  const arrangement = arrange(graph, unfolded);
  const frame = { width: 900, height: 500 };
  let more = 0;
  for (let time = 1; time < timeline.length; time += 7) {
    const moment = timeline.at(time);
    if (moment.kind === "start") continue;
    const rect = arrangement.plan.rects[arrangement.boxOf[moment.node]!]!;
    const around = companyOf(arrangement, { timeline, time, direction }, moment.node, frame);
    expect(inside(rect, around)).toBe(true);
    expect(around.width <= frame.width && around.height <= frame.height).toBe(true);
    const next = timeline.at(time + direction);
    if (next.kind !== "start") more += Number(inside(arrangement.plan.rects[arrangement.boxOf[next.node]!]!, around));
  }
  expect(more).toBeGreaterThan(10);
});

test("an edge is found where it is drawn, and not beside it", () => {
  const arrangement = arrange(graphs.small(), unfolded);
  const all = arrangement.links.map((_, k) => k);
  arrangement.plan.paths.forEach(([start, end], k) => {
    const middle = { x: (start!.x + end!.x) / 2, y: (start!.y + end!.y) / 2 };
    expect(linkNear(arrangement, all, middle, 6)).toBe(k);
    expect(linkNear(arrangement, all, { x: middle.x, y: middle.y + 500 }, 6)).toBe(-1);
  });
});

describe("frames of open groups", () => {
  test("there is one for each open group, outer ones first and further off", () => {
    const graph = graphs.mlp();
    expect(framesOf(arrange(graph, { mode: "layer", open: [] }))).toEqual([]);
    const closed = arrange(graph, { mode: "layer", open: [] });
    const outer = closed.boxes.find((box) => box.title === "layers.1")!;
    const half = arrange(graph, { mode: "layer", open: [outer.id] });
    const inner = half.boxes.find((box) => box.title === "layers.1.neurons.3")!;
    const frames = framesOf(arrange(graph, { mode: "layer", open: [outer.id, inner.id] }));
    expect(frames.map((frame) => frame.title)).toEqual(["layers.1", "layers.1.neurons.3"]);
    expect(frames[0]!.off).toBeGreaterThan(frames[1]!.off);
  });

  test("none surrounds a box that is not in its group", () => {
    const graph = graphs.mlp();
    const [group] = arrange(graph, { mode: "layer", open: [] }).boxes.filter((box) => box.members.length > 20);
    const arrangement = arrange(graph, { mode: "layer", open: [group!.id] });
    const shapes = framesOf(arrangement)[0]!.shapes.match(/M[\d.-]+ [\d.-]+h[\d.]+v[\d.]+/g)!;
    const members = arrangement.boxes.filter((box) => box.around.some(({ id }) => id === group!.id));
    expect(shapes.length === 1 || shapes.length === members.length).toBe(true);
  });
});

describe("ways to fold that do nothing are told", () => {
  test("a chain without layers and names", () => {
    const graph = graphs.chain();
    expect(idle(graph, "layer")).toBe("no layers");
    expect(idle(graph, "name")).toBe("no names");
    expect(idle(graph, "shared")).toBe("nothing is used twice");
    const folding = { mode: "auto", open: [] } as const;
    expect(arrange(graph, folding).mode).not.toBe("layer");
    expect(automatic(graph, arrange(graph, folding), folding)).toBe("automatically (by same work)");
  });

  test("a model has its layers; a small graph is not folded by itself", () => {
    const graph = graphs.mlp();
    for (const mode of ["layer", "name", "shared", "work", "depth"] as const) expect(idle(graph, mode)).toBe("");
    const [tiny, folding] = [graphs.small(), { mode: "auto", open: [] } as const];
    expect(automatic(tiny, arrange(tiny, folding), folding)).toBe("automatically (small: unfolded)");
  });
});
