import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { broken, dedented, indented, placeOf, unindented, type Edit } from "../../src/workshop/editing";
import { codeOf, linkOf } from "../../src/workshop/link";
import { pairOf } from "../../src/workshop/observed";
import { colouredLines } from "../../src/workshop/python";
import { asReport } from "../../src/workshop/report";
import { BrowserRunner, PATIENCE } from "../../src/workshop/run/browser";
import { Stopped } from "../../src/workshop/run/runner";
import type { Job, Word } from "../../src/workshop/run/words";
import { WalkStepper } from "../../src/workshop/stepper";
import { Store } from "../../src/workshop/store";

/** The storage of a browser. */
const kept = new Map<string, string>();
vi.stubGlobal("localStorage", {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, text: string) => void kept.set(key, text),
});

/** Applies an edit to a text whose selection is marked by one or two bars, and marks the new selection. */
function edited(marked: string, edit: (of: { text: string; from: number; to: number }) => Edit | null): string | null {
  const from = marked.indexOf("|");
  const to = marked.lastIndexOf("|") - Number(marked.lastIndexOf("|") !== from);
  const text = marked.replaceAll("|", "");
  const found = edit({ text, from, to });
  if (!found) return null;
  const next = text.slice(0, found.start) + found.text + text.slice(found.end);
  const bar = found.from === found.to ? "" : "|";
  return `${next.slice(0, found.from)}|${next.slice(found.from, found.to)}${bar}${next.slice(found.to)}`;
}

describe("the editor", () => {
  it.each([
    ["x|", "x   |"], ["|", "    |"], ["  |", "    |"], ["|a\n\nb|", "    |a\n\n    b|"], ["|a\n|b", "    |a\n|b"],
  ])("indents %j", (before, after) => expect(edited(before, indented)).toBe(after));

  it.each([["    x|", "x|"], ["  x|", "x|"], ["    |a\n    b|", "|a\nb|"], ["x|", "x|"]])("dedents %j", (before, after) =>
    expect(edited(before, dedented)).toBe(after),
  );

  it.each([
    ["def f():|", "def f():\n    |"], ["    x = 1|", "    x = 1\n    |"], ["    return 1|", "    return 1\n|"],
    ["if a:  # b|", "if a:  # b\n    |"], ["    return [|", "    return [\n    |"],
  ])("breaks %j", (before, after) => expect(edited(before, broken)).toBe(after));

  it.each([["        |", "    |"], ["      |", "    |"], ["x|", null], ["|", null]])("backspace in %j", (before, after) =>
    expect(edited(before, unindented)).toBe(after),
  );

  it("finds lines", () => expect(placeOf("a\nbc\nd", 2)).toEqual({ from: 2, to: 4 }));
});

describe("colours", () => {
  const source = 'class A:  # "x"\n    """two\nlines"""\n    x = 1.5e3 + f"a{b}"\n    s = "open\n';
  it("keep every letter", () =>
    expect(colouredLines(source).map((row) => row.map(({ text }) => text).join("")).join("\n")).toBe(source));
  it("know strings of many lines, comments and names", () => {
    const kinds = colouredLines(source).map((row) => row.filter(({ kind }) => kind !== "plain").map(({ kind }) => kind));
    expect(kinds).toEqual([["keyword", "defined", "comment"], ["string"], ["string"], ["number", "string"], ["string"], []]);
  });
});

const step = (node: string, kind: string, yours: unknown, right: unknown, line: number | null = null) => ({ node, kind, yours, right, line });
const WALK = {
  step: 3,
  nodes: [{ name: "a", op: "", inputs: [], yours: 3, right: 3 }, { name: "y", op: "own thing", inputs: [0, 0], yours: 9, right: 9 }],
  steps: [step("a", "forward", 3, 3), step("y", "forward", 9, 9), step("y", "backward", 1, 1), step("a", "backward", "nan", 6, 7)],
};
const RAW = {
  schema: "gradwalk-workshop/1", verdict: "wrong", engine: "Value",
  phases: [{ phase: 1, state: "passed", checks: 4 }, { phase: 2, state: "wrong" }, { phase: 3, state: "new state" }],
  mistakes: [{ id: "m", phase: 2, title: "a mistake", line: 7, hints: ["a", "b"], walk: WALK, values: { a: "inf" }, newer: 1 }],
  unexplained: [{ phase: 3, program: "y = a", yours: { y: null }, right: { y: 1 }, error: "ValueError: no" }],
  ran: { printed: "text" },
};

describe("a report", () => {
  it("is read with defaults, and what is unknown is ignored", () => {
    const { findings, phases, printed, error } = asReport(RAW);
    expect(phases.map(({ state }) => state)).toEqual(["passed", "wrong", "missing"]);
    expect(findings.map(({ title, level }) => [title, level])).toEqual([["a mistake", "wrong"], ["This program stops with an error", "wrong"]]);
    expect(findings[1]!.compared).toEqual([{ name: "y", yours: null, right: 1 }]);
    expect([printed, error]).toEqual(["text", null]);
  });
  it.each([null, [], {}, { schema: "other" }])("%j is none", (raw) => expect(() => asReport(raw)).toThrow(TypeError));
});

describe("two walks", () => {
  const pair = pairOf(asReport(RAW).findings[0]!.walk!)!;
  it("have ticks of what is observed; leaves are there from the beginning", () => {
    expect(pair.ticks.map(({ node, kind }) => `${node} ${kind}`)).toEqual(["y forward", "y backward", "a backward"]);
    expect(pair.first).toBe(3);
    expect([pair.yours.known(0, 0), pair.yours.known(1, 0), pair.yours.known(1, 1)]).toEqual([true, false, true]);
    expect([2, 3].map((time) => pair.right.gradient(0, time))).toEqual([undefined, 6]);
    expect(pair.yours.gradient(0, 3)).toBeNaN();
    expect([0, 1, 2, 3].map((time) => pair.yours.at(time).kind)).toEqual(["start", "forward", "backward", "backward"]);
  });
  it("open at the first difference", () => {
    const stepper = new WalkStepper(pair);
    expect([stepper.step.value, stepper.parted.value, stepper.marked.value]).toEqual([3, true, 0]);
    stepper.go(-5);
    expect([stepper.step.value, stepper.parted.value]).toEqual([0, false]);
  });
  it("are not drawn of operands that come late", () => {
    const nodes = [{ ...WALK.nodes[1]!, inputs: [1] }, WALK.nodes[0]!];
    const raw = { ...RAW, mistakes: [{ ...RAW.mistakes[0], walk: { ...WALK, nodes } }] };
    expect(pairOf(asReport(raw).findings[0]!.walk!)).toBeNull();
  });
});

describe("the state", () => {
  beforeEach(() => kept.clear());
  const runner = (...raws: unknown[]) => ({ run: vi.fn(() => Promise.resolve(asReport(raws.shift()))), stop: vi.fn() });

  it("runs, keeps the place of a mistake and its hints, and is stale after an edit", async () => {
    const store = new Store(runner(RAW, RAW));
    await store.run();
    store.look(1);
    store.look(9);
    expect(store.at.value).toBe(1);
    store.look(0);
    store.hint(store.finding.value!);
    expect([store.line.value, store.hintsOf(store.finding.value!)]).toEqual([7, 1]);
    store.write("x = 1\n");
    expect([store.stale.value, store.line.value]).toEqual([true, null]);
    await store.run();
    expect([store.stale.value, store.hintsOf(store.finding.value!)]).toEqual([false, 1]);
    expect(new Store(null).source.value).toBe("x = 1\n");
  });

  it("leaves findings of later phases out of a chapter, unless its phase waits for them", async () => {
    const found = (phase: number) => ({ id: `m${phase}`, phase, title: "t", level: "wrong" });
    const phases = (state: string) => [{ phase: 3, state, checks: 1, failed: 0 }];
    const raw = (state: string, ...numbers: number[]) => ({ ...RAW, unexplained: [], phases: phases(state), mistakes: numbers.map(found) });
    const store = new Store(runner(raw("passed", 2, 3, 4), raw("passed", 4, 11), raw("waiting", 5), raw("waiting", 1, 5)), 3);
    const shown: number[][] = [];
    for (let run = 0; run < 4; run++) {
      await store.run();
      store.look(9);
      shown.push(store.findings.value.map(({ phase }) => phase));
      expect(store.finding.value).toBe(store.findings.value.at(-1) ?? null);
    }
    expect(shown).toEqual([[2, 3], [], [5], [1]]);
  });

  it("never runs the code of a link, nor stores it", async () => {
    const ran = runner(RAW);
    const store = new Store(ran);
    store.write("mine = 1");
    await store.follow(await linkOf("theirs = 2"));
    await store.run();
    expect([store.source.value, ran.run.mock.calls.length]).toEqual(["theirs = 2", 0]);
    expect(new Store(null).source.value).toBe("mine = 1");
    store.decline();
    expect(store.source.value).toBe("mine = 1");
  });
});

test("a link carries a file, but no long one", async () => {
  expect(await codeOf(await linkOf("def f(): return '→'\n"))).toBe("def f(): return '→'\n");
  expect(await codeOf("")).toBeNull();
  const random = crypto.getRandomValues(new Uint8Array(20_000)).join(",");
  await expect(linkOf(random)).rejects.toThrow("too long");
  await expect(codeOf("code=1deadbeefAAAA")).rejects.toThrow("damaged");
});

describe("Python in the page", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A worker that answers a job by a function. */
  class Fake {
    onmessage: ((event: { data: Word }) => void) | null = null;
    onerror = null;
    terminate = vi.fn();
    constructor(private readonly answer: (job: Job) => Word[]) {
      setTimeout(() => this.onmessage?.({ data: { kind: "ready" } }));
    }
    postMessage(job: Job) {
      for (const data of this.answer(job)) setTimeout(() => this.onmessage?.({ data }));
    }
  }
  const FILE = { text: "", name: "f.py" };
  const loops = (job: Job): Word[] =>
    job.skip.includes("bad") ? [{ kind: "report", report: RAW }] : [{ kind: "program", id: "bad" }];

  it("ends a program that hangs, and goes on without it in a new worker", async () => {
    const made: Fake[] = [];
    const start = () => (made.push(new Fake(loops)), made.at(-1) as unknown as Worker);
    const said: string[] = [];
    const run = new BrowserRunner("13", start).run(FILE, (words) => said.push(words));
    await vi.advanceTimersByTimeAsync(PATIENCE + 100);
    expect((await run).verdict).toBe("wrong");
    expect([made.length, made[0]!.terminate.mock.calls.length]).toEqual([2, 1]);
    expect(said[0]).toBe("Loading Python (13 MB) …");
    expect(said).toContain("bad does not end. Going on without it …");
  });

  it("gives up after three, and waits while the judge compares", async () => {
    let count = 0;
    const always = new BrowserRunner("13", () => new Fake(() => [{ kind: "program", id: `p${count++}` }]) as unknown as Worker);
    const run = always.run(FILE, () => {});
    await vi.advanceTimersByTimeAsync(4 * PATIENCE);
    expect((await run).error!.message).toContain("“p0”, “p1”, “p2”");
    const judging = new BrowserRunner("13", () => new Fake(() => [{ kind: "program", id: null }]) as unknown as Worker);
    const waits = judging.run(FILE, () => {});
    const ended = expect(waits).rejects.toBeInstanceOf(Stopped);
    await vi.advanceTimersByTimeAsync(10 * PATIENCE);
    judging.stop();
    await ended;
  });
});
