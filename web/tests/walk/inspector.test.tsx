// @vitest-environment jsdom
import { render, type ComponentChildren } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ArrayRecord, WalkDocument } from "../../src/document";
import { ArrayFacts } from "../../src/walk/panels/ArrayFacts";
import { FormulaEditor } from "../../src/walk/source/FormulaEditor";
import { graphOf } from "../../src/walk/source/formula";
import { LeafEditor } from "../../src/walk/panels/LeafEditor";
import { NodeInspector } from "../../src/walk/panels/NodeInspector";
import { Walk } from "../../src/walk/state/state";

let host: HTMLElement;
beforeEach(() => {
  host = document.body.appendChild(document.createElement("div"));
});
afterEach(() => {
  act(() => render(null, host));
  host.remove();
});

const show = (children: ComponentChildren) => act(() => render(children, host));
const node = (walk: Walk, name: string) => walk.graph.value.nodes.find((one) => one.name === name)!;
const inspect = (walk: Walk, name: string) =>
  show(<NodeInspector walk={walk} node={node(walk, name)} edit={true} />);
const button = (name: string) =>
  [...host.querySelectorAll("button")].find((one) => one.textContent!.trim() === name)!;
const type = (field: HTMLInputElement | HTMLTextAreaElement, text: string, event = "input") =>
  act(() => {
    field.value = text;
    field.dispatchEvent(new InputEvent(event, { bubbles: true }));
  });

describe("the neighbours of a node", () => {
  const sum = Array.from({ length: 25 }, (_, k) => `a * ${k + 1}`).join(" + ");

  it("are no more than ten at first", () => {
    inspect(new Walk(graphOf(sum, { a: 1 })), "a");
    const used = () => [...host.querySelectorAll(".neighbours li")].filter((one) => one.textContent!.includes("mul"));
    expect(used()).toHaveLength(10);
    act(() => button("and 15 more").click());
    expect(used()).toHaveLength(25);
    expect(host.textContent).not.toContain("more");
  });

  it("are told apart where one of them uses it twice", () => {
    inspect(new Walk(graphOf("a * a", { a: 3 })), "a");
    const used = [...host.querySelectorAll(".neighbours li")].map((one) => one.textContent);
    expect(used).toEqual(["v1 mul, operand 1", "v1 mul, operand 2"]);
  });
});

function ended(document: WalkDocument): Walk {
  const walk = new Walk(document);
  walk.step(Infinity);
  return walk;
}

it("nothing is shown before it is computed", () => {
  const walk = new Walk(graphOf("d = a + b\nd * c", { a: 2, b: -3, c: 7 }));
  inspect(walk, "d");
  expect(host.querySelector(".facts")!.textContent).toContain("not computed yet");
  expect(host.textContent).not.toContain("-1.0");
  expect(host.textContent).not.toContain("7.0");
  inspect(walk, "a");
  for (const later of ["7.0", "paths", "local derivative"]) expect(host.textContent).not.toContain(later);
});

describe("where a gradient comes from", () => {
  const products = () => [...host.querySelectorAll(".path-product")].map((one) => one.textContent);

  it("is a product only where there are two factors", () => {
    inspect(ended(graphOf("a * a", { a: 3 })), "a");
    expect(products()).toEqual(["3.0", "3.0"]);
    inspect(ended(graphOf("(a + b) * c", { a: 2, b: -3, c: 10 })), "a");
    expect(products()).toEqual(["10.0 × 1.0 = 10.0"]);
  });

  it("says how many paths read the same", () => {
    const chain = Array.from({ length: 40 }, (_, k) => `x${k + 1} = x${k} + x${k}`).join("\n");
    inspect(ended(graphOf(`${chain}\nx40`, { x0: 1 })), "x0");
    expect(host.querySelectorAll(".path").length).toBeLessThan(20);
    expect(host.querySelector(".path-product")!.textContent).toMatch(/^\d+ such paths, each 1\.0$/);
  });
});

it("what is not a number at the end is not told twice", () => {
  const walk = new Walk(graphOf("a * b", { a: NaN, b: 1 }));
  walk.step(Infinity);
  inspect(walk, "b");
  expect(host.querySelector(".facts")!.textContent).toContain("NaN");
  expect(host.textContent).not.toContain("At the end");
});

it("the numbers of an array are pieces of their own, which do not break", () => {
  const values = Array.from({ length: 70 }, (_, k) => -k * 1e-29);
  const summary = { min: 0, max: 0, mean: 0, norm: 0 };
  const record = { shape: [99], dtype: "float64", summary, values, complete: false } as unknown as ArrayRecord;
  show(<ArrayFacts record={record} />);
  const shown = host.querySelector(".array-values")!;
  expect(shown.querySelectorAll(".number")).toHaveLength(64);
  expect(shown.querySelectorAll(".number")[2]!.textContent).toBe("-2e-29");
  expect(shown.textContent!.trim()).toMatch(/ …$/);
});

describe("the value of a leaf", () => {
  const walk = () => new Walk(graphOf("a * b", { a: 2, b: 1 }));

  it("is typed as a formula too", () => {
    const one = walk();
    show(<LeafEditor walk={one} node={node(one, "a")} />);
    type(host.querySelector<HTMLInputElement>(".field")!, "−1/3", "change");
    expect(one.run.value.data[node(one, "a").index]).toBe(-1 / 3);
    expect(host.querySelector("[role=alert]")).toBeNull();
  });

  it("is asked for where there is nothing, and pointed at where it is wrong", () => {
    const one = walk();
    show(<LeafEditor walk={one} node={node(one, "a")} />);
    const field = host.querySelector<HTMLInputElement>(".field")!;
    type(field, "", "change");
    expect(host.querySelector("[role=alert]")!.textContent).toBe("Type a number.");
    type(field, "2 * x", "change");
    expect(host.querySelector("[role=alert] pre")!.textContent).toContain("2 * x\n");
  });
});

describe("a formula of one's own", () => {
  const walked = vi.fn();
  const editor = () => {
    walked.mockReset();
    show(<FormulaEditor origin={{ source: "a * b", values: { a: 1, b: 2 } }} onGraph={walked} />);
  };
  const [value, text] = [
    (at: number) => host.querySelectorAll<HTMLInputElement>(".formula-values input")[at]!,
    () => host.querySelector("textarea")!,
  ];

  it("takes values as people write them", () => {
    editor();
    type(value(0), "1/3");
    type(value(1), "pi/2");
    act(() => button("Build the graph").click());
    expect(walked.mock.calls[0]![1]).toEqual({ source: "a * b", values: { a: 1 / 3, b: Math.PI / 2 } });
  });

  it("says at once what is wrong with a value, and where", () => {
    editor();
    type(value(1), "1/x");
    const alert = host.querySelector("[role=alert]")!;
    expect(alert.textContent).toContain("The value of b: “1/x” is not a number");
    expect(alert.querySelector("pre")!.textContent).toContain("1/x\n");
    expect(value(1).getAttribute("aria-invalid")).toBe("true");
    expect(button("Build the graph").disabled).toBe(true);
  });

  it.each(["value", "formula"])("does not lock its button without a word, where there is no %s", (what) => {
    editor();
    type(what === "value" ? value(0) : text(), "");
    const { disabled } = button("Build the graph");
    if (!disabled) act(() => button("Build the graph").click());
    expect(host.querySelector("[role=alert]")).not.toBeNull();
    expect(walked).not.toHaveBeenCalled();
  });
});
