// @vitest-environment jsdom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Course, Lesson } from "../../src/lessons/content";
import { replace } from "../../src/lessons/progress";

let host: HTMLElement;
let Page: typeof import("../../src/lessons/page").Page;
const server = vi.fn<(address: string, options?: RequestInit) => Promise<Response>>();

const LESSONS: Lesson[] = [
  {
    id: "1",
    number: 1,
    title: "First",
    summary: "To begin with.",
    blocks: [
      {
        kind: "text",
        spans: [
          { style: "plain", text: "Look at " },
          { style: "code", text: "<b>a</b>" },
        ],
      },
      { kind: "heading", text: "More" },
      { kind: "code", text: "a = Value(2.0)" },
      { kind: "walk", formula: "a * a", values: { a: 3 }, caption: "Two edges.", beside: [] },
      {
        kind: "question",
        name: "square",
        spans: [{ style: "plain", text: "How much?" }],
        formula: "a * a",
        values: { a: 3 },
        tolerance: 5e-3,
      },
      {
        kind: "table",
        label: "Table of names",
        head: [[{ style: "plain", text: "what" }]],
        rows: [[[{ style: "strong", text: "one" }]]],
      },
      { kind: "room", room: "training", words: "Train it." },
    ],
  },
  { id: "2", number: 2, title: "Second", summary: "And then.", blocks: [] },
];

const plain = (text: string) => [{ style: "plain" as const, text }];

const CHAPTER: Lesson = {
  id: "build-1",
  number: 1,
  title: "Write it",
  summary: "By hand.",
  blocks: [
    { kind: "walk", formula: "a * a", values: { a: 3 }, caption: "Beside.", beside: [plain("One."), plain("Two.")] },
    { kind: "cell", spans: plain("Write a class."), phase: 4 },
    { kind: "solution", text: "class Value: pass" },
    { kind: "choice", name: "plus", spans: plain("Why +=?"), options: [plain("Speed."), plain("Two uses.")] },
  ],
};

const COURSES: Course[] = [
  { name: "build", title: "Another course", called: "Chapter", lead: "Write it.", lessons: [CHAPTER] },
  { name: "one", title: "One course", called: "Lesson", lead: "Read it.", lessons: LESSONS },
];

const json = (record: unknown, status = 200) => new Response(JSON.stringify(record), { status });
const settled = () => act(() => new Promise((done) => setTimeout(done, 5)));

beforeEach(async () => {
  localStorage.clear();
  replace({});
  server.mockReset();
  server.mockResolvedValue(json(COURSES));
  vi.stubGlobal("fetch", server);
  vi.stubGlobal("CSS", { escape: (text: string) => text });
  vi.stubGlobal("scrollTo", () => {});
  vi.resetModules(); // the page keeps its lessons
  ({ Page } = await import("../../src/lessons/page"));
  host = document.body.appendChild(document.createElement("div"));
});
afterEach(() => {
  act(() => render(null, host));
  host.remove();
  vi.unstubAllGlobals();
});

async function show(rest = "") {
  act(() => render(<Page rest={rest} />, host));
  await settled();
}

async function answer(text: string, judgement: Response | Error) {
  if (judgement instanceof Error) server.mockRejectedValueOnce(judgement);
  else server.mockResolvedValueOnce(judgement);
  const field = host.querySelector<HTMLInputElement>(".question input")!;
  act(() => {
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });
  act(() => host.querySelector<HTMLFormElement>(".question form")!.requestSubmit());
  await settled();
}

const button = (name: string) =>
  [...host.querySelectorAll("button")].find((one) => one.textContent!.trim() === name);
const outcome = () => host.querySelector(".question [role=status]")!.textContent!;
const trouble = () => host.querySelector(".question [role=alert]")!.textContent!;

describe("the list", () => {
  test("leads to every lesson and shows how far one has come", async () => {
    await show();
    const links = [...host.querySelectorAll("[aria-labelledby=course-one] a")];
    expect(links.map((link) => link.getAttribute("href"))).toEqual(["#/lessons/1", "#/lessons/2"]);
    expect(links[0]!.textContent).toContain("0 of 1 question");
  });

  test("has a part for each course, and leads to the workshop where code is written", async () => {
    await show();
    expect([...host.querySelectorAll(".course h2")].map((one) => one.textContent)).toEqual(["Another course", "One course"]);
    const links = [...host.querySelectorAll("[aria-labelledby=course-build] a")];
    expect(links.map((link) => link.getAttribute("href"))).toEqual(["#/workshop", "#/lessons/build-1"]);
  });

  test("is shown for a lesson that does not exist", async () => {
    await show("17");
    expect(host.querySelector("h1")!.textContent).toBe("Lessons");
  });

  test("says so when the studio is silent, and asks again", async () => {
    server.mockRejectedValueOnce(new TypeError("Failed to fetch"));
    await show();
    expect(host.querySelector("[role=alert]")!.textContent).toContain("The studio does not answer.");
    act(() => button("Try again")!.click());
    await settled();
    expect(host.querySelector("[role=alert]")).toBeNull();
    expect(host.querySelectorAll(".lesson-list li")).toHaveLength(3);
  });

  test.each([
    [403, "The studio was restarted. Open the new address"],
    [500, "The studio refused: 500."],
  ])("says so when the studio refuses with %s", async (status, words) => {
    server.mockResolvedValueOnce(json("no token", status));
    await show();
    expect(host.querySelector("[role=alert]")!.textContent).toContain(words);
  });
});

describe("a lesson", () => {
  test("shows each kind of block, and text as text", async () => {
    await show("1");
    expect(host.querySelector("h1")!.textContent).toBe("First");
    expect(host.querySelector(".prose code")!.textContent).toBe("<b>a</b>");
    expect(host.querySelector(".lesson > h2")!.textContent).toBe("More");
    expect(host.querySelector(".code")!.textContent).toBe("a = Value(2.0)");
    expect(host.querySelector("[aria-label='Two edges.'] svg.picture")).not.toBeNull();
    expect(host.querySelector(".names th[scope=row]")!.textContent).toBe("one");
    expect(host.querySelector("a[href='#/training']")!.textContent).toBe("Train it.");
    expect(host.querySelector(".lesson-neighbours")!.textContent).toContain("Second");
  });

  test("states the tolerance, and asks the engine", async () => {
    await show("1");
    expect(host.querySelector(".question")!.textContent).toContain("Tolerance: 0.5 %");
    await answer("2 * 3", json({ right: true, expected: 6, words: "Both edges." }));
    const [address, options] = server.mock.lastCall!;
    expect([address, options!.method]).toEqual(["api/lessons/answer", "POST"]);
    expect(JSON.parse(options!.body as string)).toEqual({ lesson: "1", question: "square", answer: "2 * 3" });
    expect(outcome()).toBe("Correct. Both edges.");
    expect(button("Show the answer")).toBeUndefined();
  });

  test("explains a wrong answer, and shows the engine's number when asked", async () => {
    await show("1");
    await answer("3", json({ right: false, expected: 6, words: "That is one edge." }));
    expect(outcome()).toContain("Not yet. That is one edge.");
    expect(outcome()).not.toContain("6.0");
    act(() => button("Show the answer")!.click());
    expect(host.querySelector(".outcome .number")!.textContent).toBe("6.0");
    await answer("6", json({ right: true, expected: 6, words: "Both." }));
    expect(outcome()).toBe("Correct. Both.");
  });

  test("gives a hint to the first answer that it does not know, and explains the second", async () => {
    const wrong = () => json({ right: false, expected: 6, words: "3 on each edge.", hint: "Count the edges." });
    await show("1");
    await answer("7", wrong());
    expect(outcome()).toContain("Not yet. Count the edges.");
    expect(outcome()).not.toContain("3 on each edge.");
    await answer("7", wrong());
    expect(outcome(), "the same answer is no second try").toContain("Count the edges.");
    await answer("8", wrong());
    expect(outcome()).toContain("Not yet. 3 on each edge.");
    await answer("3", json({ right: false, expected: 6, words: "That is one edge.", hint: "" }));
    expect(outcome()).toContain("Not yet. That is one edge.");
    await answer("6", json({ right: true, expected: 6, words: "Both.", hint: "" }));
    expect(outcome()).toBe("Correct. Both.");
  });

  test("explains at once where there is no hint", async () => {
    await show("1");
    await answer("7", json({ right: false, expected: 6, words: "3 on each edge.", hint: "" }));
    expect(outcome()).toContain("Not yet. 3 on each edge.");
  });

  test("says what is wrong with an answer that cannot be read", async () => {
    await show("1");
    const fix = "Close the bracket.\n\n    (2\n    ^";
    await answer("(2", json({ where: "formula", expected: "a number", got: "an open bracket", fix }, 422));
    expect(trouble()).toContain("Expected a number, got an open bracket. Close the bracket.");
    expect(host.querySelector(".excerpt")!.textContent).toBe("    (2\n    ^");
    expect(host.querySelector("input[aria-invalid=true]")).not.toBeNull();
    expect(outcome()).toBe("");
  });

  test("does not ask the engine about nothing", async () => {
    await show("1");
    server.mockClear();
    act(() => host.querySelector<HTMLFormElement>(".question form")!.requestSubmit());
    await settled();
    expect(server).not.toHaveBeenCalled();
    expect(trouble()).toContain("Type a number first");
  });

  test("keeps the answer in its field when the studio is silent", async () => {
    await show("1");
    await answer("6", new TypeError("Failed to fetch"));
    expect(trouble()).toContain("The studio does not answer.");
    expect(host.querySelector<HTMLInputElement>(".question input")!.value).toBe("6");
  });

  test("begins anew, and takes that back", async () => {
    await show("1");
    await answer("6", json({ right: true, expected: 6, words: "Both." }));
    expect(host.querySelector(".lessons-head .score")!.textContent).toBe("1 of 1 question");
    act(() => button("Start over")!.click());
    await settled();
    expect(host.querySelector<HTMLInputElement>(".question input")!.value).toBe("");
    expect(outcome()).toBe("");
    act(() => button("Undo")!.click());
    await settled();
    expect(host.querySelector<HTMLInputElement>(".question input")!.value).toBe("6");
    expect(outcome()).toBe("Correct. Both.");
  });
});

describe("a choice", () => {
  const radios = () => [...host.querySelectorAll<HTMLInputElement>(".question input[type=radio]")];

  async function choose(at: number, judgement: object) {
    server.mockResolvedValueOnce(json(judgement));
    act(() => radios()[at]!.click());
    act(() => host.querySelector<HTMLFormElement>(".question form")!.requestSubmit());
    await settled();
  }

  test("is a group of radio buttons with the question as its name", async () => {
    await show("build-1");
    const group = host.querySelector("fieldset")!;
    expect(group.querySelector("legend")!.textContent).toBe("Why +=?");
    expect(radios().map((radio) => radio.closest("label")!.textContent)).toEqual(["Speed.", "Two uses."]);
    expect(new Set(radios().map(({ name }) => name)).size).toBe(1);
  });

  test("needs an answer, explains a wrong one, and counts the right one", async () => {
    await show("build-1");
    act(() => host.querySelector<HTMLFormElement>(".question form")!.requestSubmit());
    await settled();
    expect(trouble()).toContain("Choose an answer first.");
    await choose(0, { right: false, expected: 2, words: "It costs the same.", hint: "" });
    expect(JSON.parse(server.mock.lastCall![1]!.body as string)).toEqual({
      lesson: "build-1", question: "plus", answer: "1",
    });
    expect(outcome()).toContain("Not yet. It costs the same.");
    act(() => button("Show the answer")!.click());
    expect(outcome()).toContain("The answer is “Two uses.”.");
    await choose(1, { right: true, expected: 2, words: "Both contribute.", hint: "" });
    expect(outcome()).toBe("Correct. Both contribute.");
    expect(host.querySelector(".lessons-head .score")!.textContent).toBe("1 of 1 question");
    expect(host.querySelector(".lesson-foot")!.textContent).toContain("all questions of this chapter");
  });

  test("is chosen again after a reload, and cleared with the other answers", async () => {
    await show("build-1");
    await choose(1, { right: true, expected: 2, words: "Both contribute.", hint: "" });
    act(() => render(null, host));
    await show("build-1");
    expect(radios().map(({ checked }) => checked)).toEqual([false, true]);
    act(() => button("Start over")!.click());
    await settled();
    expect(radios().map(({ checked }) => checked)).toEqual([false, false]);
  });
});

describe("a chapter", () => {
  test("has text beside the walk, and a solution that is closed", async () => {
    await show("build-1");
    const beside = host.querySelector(".beside")!;
    expect([...beside.querySelectorAll(".prose")].map((one) => one.textContent)).toEqual(["One.", "Two."]);
    expect(beside.querySelector("svg.picture")).not.toBeNull();
    const solution = host.querySelector<HTMLDetailsElement>("details.solution")!;
    expect(solution.open).toBe(false);
    expect(solution.querySelector("code")!.textContent).toBe("class Value: pass");
  });

  test("loads the editor with the file of the workshop", async () => {
    localStorage.setItem("gradwalk-workshop", JSON.stringify({ source: "mine = 1", name: "mine.py" }));
    await show("build-1");
    await vi.waitFor(() => expect(host.querySelector(".cell textarea")).not.toBeNull());
    expect(host.querySelector(".cell-ask")!.textContent).toBe("Write a class.");
    expect(host.querySelector<HTMLTextAreaElement>(".cell textarea")!.value).toBe("mine = 1");
    expect(host.querySelector(".file-name")!.textContent).toBe("mine.py");
    expect(host.querySelector(".chapter-phase")!.textContent).toContain("Phase 4, contributions add up, is not checked yet.");
    expect(host.querySelector("[aria-current=step]")!.textContent).toContain("contributions add up");
  });

  const phase = (state: string) => ({ phase: 4, state, checks: 8, failed: 2 });
  const mistake = (of: number) => ({ id: `m${of}`, phase: of, title: `mistake of phase ${of}`, level: "wrong" });

  test.each([
    ["passed", [], "is passed.8 checks ran. Continue below."],
    ["passed", [2], "is passed, but phase 2 has a mistake.Fix the mistake below"],
    ["passed", [7], "is passed.8 checks ran. Continue below."],
    ["wrong", [4], "has a mistake.2 of 8 checks fail. The mistake is named below."],
    ["missing", [], "is not written yet.Let each use"],
    ["limit", [4], "is right up to a limit.It works"],
    ["waiting", [2], "waits for an earlier mistake.Fix the mistake below"],
  ])("says what is missing: %s, with mistakes of phases %j", async (state, found, words) => {
    await show("build-1");
    await vi.waitFor(() => expect(host.querySelector(".cell textarea")).not.toBeNull());
    const schema = "gradwalk-workshop/1";
    server.mockResolvedValueOnce(json({ schema, verdict: "wrong", phases: [phase(state)], mistakes: found.map(mistake) }));
    act(() => button("Run")!.click());
    await vi.waitFor(() => expect(host.querySelector(".chapter-phase")!.textContent).toContain(words));
    const own = found.filter((one) => one <= 4);
    expect(host.querySelector(".finding h2")?.textContent).toBe(own.length ? `mistake of phase ${own[0]}` : undefined);
    expect(host.querySelector(".judged")!.textContent!.includes("Later chapters")).toBe(found[0] === 7);
  });
});
