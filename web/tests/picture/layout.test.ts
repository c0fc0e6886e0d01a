import { describe, expect, test, vi } from "vitest";
import { type Arrangement, arrange, arranged } from "../../src/picture/layout/arrange";
import { documentOf } from "../../src/expression";
import { Graph } from "../../src/engine/graph";
import { neighbour } from "../../src/picture/interaction/cursor";
import type { FoldMode } from "../../src/picture/fold/fold";
import { layout } from "../../src/picture/layout/layout";
import { inside, overlaps } from "../../src/picture/shared/rects";
import { READABLE, centred, fit, opening, shown, zoomed } from "../../src/picture/shared/view";
import { MOST_BOXES, visible } from "../../src/picture/interaction/visible";
import { crossings, cuts } from "./drawn";
import * as graphs from "./graphs";

vi.setConfig({ testTimeout: 60_000 }); // a bound for hung tests, not for slow machines

const CASES: [string, Graph, FoldMode][] = [
  ["small", graphs.small(), "none"],
  ["diamond", graphs.diamond(), "none"],
  ["strange", graphs.strange(), "none"],
  ["mlp by layer", graphs.mlp(), "layer"],
  ["mlp by work", graphs.mlp(), "work"],
  ["mlp unfolded", graphs.mlp(), "none"],
  ["recurrence", graphs.recurrence(30), "none"],
  ["recurrence folded", graphs.recurrence(30), "layer"],
  ["random of 50", graphs.random(50, 2), "none"],
  ["random of 150", graphs.random(150, 3), "none"],
  ["random of 2000", graphs.random(2000, 4), "none"],
  ["random by name", graphs.random(2000, 5), "name"],
];

function overlapping({ plan }: Arrangement): [number, number][] {
  const order = plan.rects.map((_, k) => k).sort((a, b) => plan.rects[a]!.x - plan.rects[b]!.x);
  const found: [number, number][] = [];
  order.forEach((k, at) => {
    for (const j of order.slice(at + 1)) {
      if (plan.rects[j]!.x >= plan.rects[k]!.x + plan.rects[k]!.width) break;
      const [a, b] = [plan.rects[k]!, plan.rects[j]!];
      const slack = 0.01; // of floating point
      if (
        overlaps(
          { ...a, width: a.width - slack, height: a.height - slack },
          { ...b, x: b.x + slack, y: b.y + slack },
        )
      )
        found.push([k, j]);
    }
  });
  return found;
}

describe.each(CASES)("%s", (_, graph, mode) => {
  const arrangement = arranged(graph, { mode, open: [] });
  const { plan, links, boxes } = arrangement;

  test("no box overlaps another", () => expect(overlapping(arrangement)).toEqual([]));

  test("every box and every edge is inside the picture", () => {
    const whole = { x: -0.01, y: -0.01, width: plan.width + 0.02, height: plan.height + 0.02 };
    for (const rect of plan.rects) expect(inside(rect, whole)).toBe(true);
    for (const point of plan.paths.flat())
      expect(inside({ ...point, width: 0, height: 0 }, whole)).toBe(true);
  });

  test("edges lead to the right, from the side of one box to the side of the other", () => {
    links.forEach((link, k) => {
      const [from, to, path] = [plan.rects[link.source]!, plan.rects[link.target]!, plan.paths[k]!];
      expect(path[0]!.x).toBeCloseTo(from.x + from.width, 6);
      expect(path.at(-1)!.x).toBeCloseTo(to.x, 6);
      expect(path[0]!.x).toBeLessThan(path.at(-1)!.x);
      expect(path.at(-1)!.y).toBeGreaterThanOrEqual(to.y);
      expect(path.at(-1)!.y).toBeLessThanOrEqual(to.y + to.height);
    });
  });

  test("no edge runs through a box", () => {
    if (boxes.length < 200) expect(cuts(plan, links)).toBe(0);
  });

  test("the same every time, and found once", () => {
    expect(arranged(graph, { mode, open: [] }).plan).toEqual(plan);
    expect(arrange(graph, { mode, open: [] })).toBe(arrange(graph, { mode, open: [] }));
  });

  test("arrow keys reach operands and users", () => {
    boxes.forEach((_, k) => {
      const left = neighbour(arrangement, k, "left");
      const right = neighbour(arrangement, k, "right");
      expect(left === -1).toBe(arrangement.arriving[k]!.length === 0);
      expect(right === -1).toBe(arrangement.leaving[k]!.length === 0);
      if (left >= 0) expect(links.some((link) => link.source === left && link.target === k)).toBe(true);
      if (right >= 0) expect(links.some((link) => link.source === k && link.target === right)).toBe(true);
    });
  });
});

test("the operands of a + b stand in order", () => {
  const { plan, boxOf } = arranged(graphs.small(), { mode: "none", open: [] });
  const y = (node: number) => plan.rects[boxOf[node]!]!.y;
  expect(y(0)).toBeLessThan(y(1));
});

test("the two edges of a * a arrive at different heights", () => {
  const w = new graphs.Writer();
  const a = w.leaf(3, "a");
  w.op("mul", [a, a], "square");
  const { plan, links } = arranged(w.graph(), { mode: "none", open: [] });
  expect(links).toHaveLength(2);
  expect(Math.abs(plan.paths[0]!.at(-1)!.y - plan.paths[1]!.at(-1)!.y)).toBeGreaterThan(8);
});

/** Operands below the next operand of the same node. */
function disorder({ plan, boxOf, graph }: Arrangement): number {
  const y = (node: number) => plan.rects[boxOf[node]!]!.y;
  return graph.nodes.flatMap(({ inputs }) => inputs.filter((j, at) => at > 0 && y(j) < y(inputs[at - 1]!))).length;
}

describe("pictures of small graphs are clear", () => {
  const formula = (source: string, names: string) =>
    new Graph(documentOf(source, Object.fromEntries(names.split(" ").map((name, k) => [name, 0.1 * k + 0.2]))));
  const MLP = `h1 = tanh(w11 * x1 + w12 * x2 + b1)
    h2 = tanh(w21 * x1 + w22 * x2 + b2)
    (tanh(u1 * h1 + u2 * h2 + c) - target) ** 2`.replace(/\n +/g, "\n");
  const SOFTMAX = "e1 = exp(z1)\ne2 = exp(z2)\ntotal = e1 + e2 + exp(z3)\n-log(e2 / total)";

  test.each<[name: string, graph: Graph, mostCrossings: number, mostDisorder: number]>([
    ["(a + b) * c", graphs.small(), 0, 0],
    ["a * a", formula("a * a", "a"), 0, 0],
    ["a diamond", graphs.diamond(), 0, 1],
    ["a diamond behind a square", formula("t = a * a\nm = t + 1\nn = t * 3\nm * n", "a"), 0, 1],
    ["a neuron", formula("tanh(w1 * x1 + w2 * x2 + b)", "w1 x1 w2 x2 b"), 0, 0],
    ["an MLP", formula(MLP, "w11 x1 w12 x2 b1 w21 w22 b2 u1 u2 c target"), 1, 2],
    ["softmax", formula(SOFTMAX, "z1 z2 z3"), 0, 1],
    ["a polynomial", formula("x ** 3 + 2 * x ** 2 - 5 * x + 1", "x"), 0, 2],
    ["a chain", graphs.chain(12), 0, 0],
    ["a tree", graphs.tree(3), 0, 0],
    ["a lopsided tree", graphs.lopsided(8), 0, 0],
    ["long skips", graphs.skips(), 0, 0],
    ["residual blocks", graphs.residual(4), 0, 0],
    ["parallel edges", graphs.squares(), 0, 0],
    ["a recurrence", graphs.recurrence(4), 0, 0],
    ["strange names", graphs.strange(), 0, 2],
    ["a random graph of 12", graphs.random(12, 1), 0, 0],
    ["a random graph of 30", graphs.random(30, 2), 1, 5],
    ["a random graph of 50", graphs.random(50, 2), 10, 12],
  ])("%s", (_, graph, mostCrossings, mostDisorder) => {
    const arrangement = arranged(graph, { mode: "none", open: [] });
    expect(crossings(arrangement.plan)).toBeLessThanOrEqual(mostCrossings);
    expect(disorder(arrangement)).toBeLessThanOrEqual(mostDisorder);
    expect(cuts(arrangement.plan, arrangement.links)).toBe(0);
  });

  test("what crosses and what cuts is counted", () => {
    const box = { width: 10, height: 10 };
    const rects = [0, 40, 80].flatMap((x) => [{ x, y: 0, ...box }, { x, y: 40, ...box }]);
    const [down, up] = [[{ x: 10, y: 5 }, { x: 80, y: 45 }], [{ x: 10, y: 45 }, { x: 80, y: 5 }]];
    const level = [{ x: 10, y: 5 }, { x: 80, y: 5 }];
    const plan = { rects, paths: [down, up, level], width: 90, height: 50, down: false };
    expect(crossings(plan)).toBe(1);
    expect(cuts(plan, [{ source: 0, target: 5 }, { source: 1, target: 4 }, { source: 0, target: 4 }])).toBe(1);
  });

  test.each([
    ["past a chain", graphs.skips()],
    ["past a recurrence", graphs.recurrence(6)],
    ["past blocks", graphs.residual(4)],
  ])("an edge over many layers is level between its ends, %s", (_, graph) => {
    const { plan } = arranged(graph, { mode: "none", open: [] });
    const bends = plan.paths.map((path) => path.filter(({ y }, k) => k && Math.abs(y - path[k - 1]!.y) > 1).length);
    expect(plan.paths.some((path) => path.length > 4)).toBe(true);
    expect(Math.max(...bends)).toBeLessThanOrEqual(2);
  });

  test("an edge to a narrow box does not cut a wide one in its column", () => {
    const arcs = [{ source: 0, target: 1 }, { source: 0, target: 2 }];
    const sizes = [{ width: 50, height: 30 }, { width: 300, height: 90 }, { width: 20, height: 10 }];
    expect(cuts(layout(sizes, arcs), arcs)).toBe(0);
  });

  test("equal boxes are placed alike whatever their sizes", () => {
    const arcs = [{ source: 0, target: 2 }, { source: 1, target: 2 }];
    const sizes = [{ width: 300, height: 90 }, { width: 20, height: 10 }, { width: 50, height: 50 }];
    const { rects, width } = layout(sizes, arcs);
    expect(rects.map(({ x, width: wide }) => x + wide)).toEqual([300, 300, width]);
    expect(rects[0]!.y + 90).toBeLessThanOrEqual(rects[1]!.y);
  });
});

test("5,000 boxes cost a bounded number of operations, and the picture is no mile high", () => {
  const effort = (size: number) => {
    const count = { steps: 0 };
    const { plan } = arranged(graphs.random(size, 9), { mode: "none", open: [] }, count);
    expect(plan.width / plan.height).toBeLessThan(6);
    expect(plan.width / plan.height).toBeGreaterThan(0.3);
    return count.steps;
  };
  const [half, whole] = [effort(2500), effort(5000)];
  expect(whole).toBeLessThan(60 * 5000);
  expect(whole / half).toBeLessThan(2.6);
});

describe("what is drawn", () => {
  const arrangement = arranged(graphs.random(3000, 4), { mode: "none", open: [] });

  test("few boxes get elements of their own, however many there are", () => {
    const all = visible(arrangement, null, [7]);
    expect(all.far).toBe(true);
    expect(all.boxes).toEqual([7]);
    const rect = arrangement.plan.rects[100]!;
    const near = visible(arrangement, { x: rect.x - 300, y: rect.y - 300, width: 800, height: 600 }, [-1]);
    expect(near.far).toBe(false);
    expect(near.boxes).toContain(100);
    expect(near.boxes.length).toBeLessThan(MOST_BOXES);
  });

  test("every edge of a drawn box is drawn, and those that pass by are drawn once", () => {
    const rect = arrangement.plan.rects[500]!;
    const found = visible(arrangement, { x: rect.x - 400, y: rect.y - 300, width: 1000, height: 700 }, []);
    for (const box of found.boxes) {
      for (const k of [...arrangement.arriving[box]!, ...arrangement.leaving[box]!])
        expect(found.links).toContain(k);
    }
    expect(found.through.filter((k) => found.links.includes(k))).toEqual([]);
  });
});

describe("view", () => {
  const frame = { width: 800, height: 500 };

  test("fitting shows all of the picture", () => {
    for (const content of [
      { width: 100, height: 90 },
      { width: 5000, height: 300 },
      { width: 300, height: 9000 },
    ]) {
      expect(inside({ x: 0, y: 0, ...content }, shown(fit(content, frame), frame))).toBe(true);
    }
  });

  test("a small graph on a small screen opens readable, a large one whole", () => {
    const content = { width: 1600, height: 300 };
    const phone = { width: 390, height: 500 };
    const focus = () => ({ x: 1500, y: 100, width: 80, height: 66 });
    const view = opening(content, phone, true, focus);
    expect(view.scale).toBeGreaterThanOrEqual(READABLE);
    expect(inside(focus(), shown(view, phone))).toBe(true);
    expect(opening(content, phone, false, focus)).toEqual(fit(content, phone));
  });

  test("zooming leaves the point under the mouse where it is", () => {
    const [view, at] = [
      { x: 13, y: -40, scale: 0.7 },
      { x: 200, y: 120 },
    ];
    const after = zoomed(view, 1.9, at);
    expect((at.x - after.x) / after.scale).toBeCloseTo((at.x - view.x) / view.scale, 9);
    expect((at.y - after.y) / after.scale).toBeCloseTo((at.y - view.y) / view.scale, 9);
    expect(zoomed(view, 1e9, at).scale).toBeLessThan(10);
  });

  test("a box is brought to the middle", () => {
    const view = centred({ x: 1000, y: 600, width: 100, height: 40 }, frame, { x: 0, y: 0, scale: 0.1 }, 0.6);
    expect(view).toEqual({ scale: 0.6, x: 400 - 1050 * 0.6, y: 250 - 620 * 0.6 });
  });
});

test("leaves stand in the order of the operands", () => {
  const w = new graphs.Writer();
  const [a, b, c] = [w.leaf(1, "a"), w.leaf(2, "b"), w.leaf(3, "c")];
  const [d, e, f] = [w.leaf(4, "d"), w.leaf(5, "e"), w.leaf(6, "f")];
  w.op("sub", [w.op("mul", [w.op("add", [a, b]), c]), w.op("add", [d, w.op("mul", [e, f])])]);
  const graph = w.graph();
  const { plan, boxOf } = arranged(graph, { mode: "none", open: [] });
  const y = (name: string) => plan.rects[boxOf[graph.nodes.findIndex((node) => node.name === name)]!]!.y;
  expect(y("a")).toBeLessThan(y("b"));
  expect(y("e")).toBeLessThan(y("f"));
});

describe("a picture from top to bottom", () => {
  test.each(Object.entries({ small: graphs.small(), mlp: graphs.mlp() }))("%s is the same one, turned", (_, graph) => {
    const { plan, links, boxes } = arranged(graph, { mode: "none", open: [] }, undefined, true);
    expect(plan.down).toBe(true);
    links.forEach((link, k) => {
      const [from, to, path] = [plan.rects[link.source]!, plan.rects[link.target]!, plan.paths[k]!];
      expect(path[0]!.y).toBeCloseTo(from.y + from.height, 6);
      expect(path.at(-1)!.y).toBeCloseTo(to.y, 6);
      expect(from.y).toBeLessThan(to.y);
    });
    for (const one of plan.rects) for (const other of plan.rects) expect(one !== other && overlaps(one, other)).toBe(false);
    const up = (k: number) => neighbour({ ...arranged(graph, { mode: "none", open: [] }, undefined, true) }, k, "up");
    boxes.forEach((_, k) => expect(up(k) === -1).toBe(!links.some(({ target }) => target === k)));
  });
});
