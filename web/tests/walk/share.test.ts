import { describe, expect, it } from "vitest";
import { signal } from "@preact/signals";
import { graphOf } from "../../src/walk/source/formula";
import { opened } from "../../src/walk/source/opened";
import { fromFragment, LinkError, toFragment } from "../../src/walk/state/share";
import { Walk } from "../../src/walk/state/state";

async function passedOn(walk: Walk): Promise<Walk> {
  const shared = await fromFragment(await toFragment(walk.shared()));
  const place = signal<Walk | null>(null);
  opened(place, shared!);
  return place.value!;
}

describe("a link", () => {
  it("reproduces a graph, its step and its edits", async () => {
    const walk = new Walk(graphOf("(a + b) * c", { a: 2, b: -3, c: 10 }));
    walk.edit(0, 0.1);
    walk.edit(1, NaN);
    walk.go(4);
    walk.selection.value = { kind: "node", node: 2 };
    const other = await passedOn(walk);
    expect(other.document.value).toEqual(walk.document.value);
    expect(other.run.value.data).toEqual(walk.run.value.data);
    expect(other.state()).toEqual(walk.state());
  });

  it("to a typed formula carries the formula, and is short", async () => {
    const origin = { source: "d = a * b\ntanh(d + c)", values: { a: Infinity, b: -3, c: 5 } };
    const walk = new Walk(graphOf("a * a", { a: 1 }));
    walk.open(graphOf(origin.source, origin.values), {}, origin);
    const fragment = await toFragment(walk.shared());
    expect(fragment.length).toBeLessThan(300);
    const other = await passedOn(walk);
    expect(other.origin.value).toEqual(origin);
    expect(other.document.value).toEqual(walk.document.value);
  });

  it("has only letters that a link may hold", async () => {
    const fragment = await toFragment({ document: graphOf("sin(x) ** 2 + cos(x) ** 2", { x: 0.3 }) });
    expect(fragment).toMatch(/^#walk=[A-Za-z0-9_-]+$/);
  });

  it("that was damaged anywhere says so", async () => {
    const fragment = await toFragment({ document: graphOf("a * a", { a: 3 }), state: { time: 2 } });
    const start = "#walk=1".length;
    for (let i = start; i < fragment.length; i += 7) {
      const other = fragment[i] === "A" ? "B" : "A";
      const damaged = fragment.slice(0, i) + other + fragment.slice(i + 1);
      await fromFragment(damaged).then(
        // the last letter may hold unused bits: then nothing was damaged
        (shared) => expect(shared).toEqual({ document: graphOf("a * a", { a: 3 }), state: { time: 2 } }),
        (error) => expect(error).toBeInstanceOf(LinkError),
      );
    }
    for (const cut of ["#walk=", "#walk=1", "#walk=1abc", fragment.slice(0, -9), `${fragment}!!`]) {
      await expect(fromFragment(cut)).rejects.toBeInstanceOf(LinkError);
    }
  });

  it("of another version says so", async () => {
    await expect(fromFragment("#walk=9abcdefgh")).rejects.toThrow("another version");
  });

  it("that unpacks to more than a walk needs is refused", async () => {
    const huge = { source: "a".repeat(9_000_000) };
    await expect(toFragment(huge).then(fromFragment)).rejects.toThrow("8 MB");
  });

  it("to a room is no walk", async () => {
    expect(await fromFragment("#/lessons/3")).toBeNull();
  });

  it("without a graph is refused", () => {
    const odd = JSON.parse('{"format":"gradwalk-walk","version":1,"title":"","nodes":[null]}');
    expect(() => opened(signal(null), { document: odd })).toThrow("was not written by gradwalk");
    const place = signal<Walk | null>(null);
    opened(place, JSON.parse('{"source":"2 * 3","values":null,"state":null}'));
    expect(place.value!.run.value.data.at(-1)).toBe(6);
    expect(() => opened(signal(null), {})).toThrow("no graph");
  });
});
