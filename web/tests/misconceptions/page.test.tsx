// @vitest-environment jsdom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Page } from "../../src/misconceptions/page";

let host: HTMLElement;

beforeEach(() => {
  host = document.body.appendChild(document.createElement("div"));
  vi.stubGlobal("CSS", { escape: (text: string) => text });
  vi.stubGlobal("scrollTo", () => {});
});
afterEach(() => {
  act(() => render(null, host));
  host.remove();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const show = (rest: string) => act(() => render(<Page rest={rest} />, host));
const button = (name: string) =>
  [...host.querySelectorAll("button")].find(
    (one) => (one.getAttribute("aria-label") ?? one.textContent?.trim()) === name,
  )!;
const click = (name: string) => act(() => button(name).click());
const press = (key: string) =>
  act(
    () =>
      void document.body.dispatchEvent(
        new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }),
      ),
  );
const verdict = () => host.querySelector(".lockstep-verdict")!.textContent!;
const marked = () =>
  [...host.querySelectorAll(".side")].map(
    (side) => side.querySelector("svg [aria-pressed=true]")?.getAttribute("aria-label") ?? "",
  );
const row = (name: string) =>
  [...host.querySelectorAll(".gradients tbody tr")]
    .map((tr) => [...tr.children].map((cell) => cell.textContent))
    .find(([head]) => head === name);

describe("= instead of +=", () => {
  test("stops at the first node that differs, marked in both", () => {
    show("");
    expect(verdict()).toBe("So far, both runs are equal.");
    expect(marked()).toEqual(["", ""]);
    click("Go to the first difference");
    expect(verdict()).toContain("a.grad was 9.0. With =, 6.0 overwrites it. With +=, the sum is 15.0.");
    expect(marked()[0]).toMatch(/^a, leaf.*grad 6.0/);
    expect(marked()[1]).toMatch(/^a, leaf.*grad 15.0/);
    expect(row("a")).toEqual(["a", "6.0", "15.0"]);
  });

  test("is stepped, forth and back, by keys", () => {
    show("assign");
    const count = () => host.querySelector(".lockstep-count")!.textContent;
    press("ArrowRight");
    expect(count()).toBe("Step 1 of 3");
    press("End");
    expect(count()).toBe("Step 3 of 3");
    press("ArrowLeft");
    press("Home");
    expect(count()).toBe("Step 0 of 3");
    press("d");
    expect(verdict()).toContain("The runs differ here.");
  });

  test("plays up to where the runs part", () => {
    vi.useFakeTimers();
    show("assign");
    click("Play");
    act(() => void vi.advanceTimersByTime(60_000));
    expect(verdict()).toContain("The runs differ here.");
    expect(button("Play")).toBeDefined();
  });
});

describe("an order of one's own", () => {
  const order = () => [...host.querySelectorAll(".order-name")].map((one) => one.textContent!.split(" ")[0]);
  const later = async (name: string, where: "earlier" | "later") => {
    click(`Move ${name} ${where}`);
    await act(() => new Promise((done) => setTimeout(done, 30)));
  };

  test("is right as it stands", () => {
    show("order");
    expect([order()[0], order()[3]]).toEqual(["y", "t"]);
    click("Go to the end");
    expect(verdict()).toContain("This order is correct");
  });

  test("is changed in the list, and loses what comes late", async () => {
    show("order");
    const before = order();
    await later("t", "earlier");
    expect(order()).toEqual([before[0], before[1], "t", before[2]]);
    click("Go to the first difference");
    expect(verdict()).toContain("t is processed with");
    click("Go to the end");
    const lost = host.querySelector("[aria-label='Lost contributions']")!.textContent!;
    expect(lost).toMatch(/t has already been processed when [mn] adds (12|15)\.0/);
    await later("t", "later");
    expect(order()).toEqual(before);
    click("Go to the end");
    expect(verdict()).toContain("This order is correct");
  });
});

test("two steps without a reset, in numbers", () => {
  show("reset");
  const rows = [...host.querySelectorAll(".two-steps tbody tr")].map((tr) =>
    [...tr.children].map((one) => one.textContent),
  );
  expect(rows[0]).toEqual(["Step 1", "1.0", "-4.0"]);
  expect(rows[1]).toEqual(["Step 2, without a reset", "1.4", "-4.8"]);
  expect(rows[2]).toEqual(["Step 2, with a reset", "1.4", "-0.8"]);
  const differing = [...host.querySelectorAll(".two-steps td.differs")].map((one) => one.textContent);
  expect(differing).toEqual(["-4.8", "1.88"]); // the weight of step 2 is the same in both
});

test("a formula of one's own, which the mistake may not harm", () => {
  show("assign");
  click("Try a formula of your own");
  const text = host.querySelector("textarea")!;
  act(() => {
    text.value = "p * q";
    text.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });
  act(() => host.querySelector("form")!.requestSubmit());
  click("Go to the end");
  expect(verdict()).toContain("the mistake makes no difference");
  click("Back to the example");
  click("Go to the end");
  expect(verdict()).toContain("The runs differ here.");
});
