// @vitest-environment jsdom
import { render } from "preact";
import { act } from "preact/test-utils";
import { useState } from "preact/hooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { NumberInput } from "../../src/ui/fields";
import { numberIn } from "../../src/ui/numbers";

const host = document.body.appendChild(document.createElement("div"));
const field = () => host.querySelector("input")!;
const type = (text: string) =>
  act(() => {
    field().value = text;
    field().dispatchEvent(new Event("input", { bubbles: true }));
  });
const send = (event: string) => act(() => void field().dispatchEvent(new Event(event, { bubbles: true })));
const enter = (text: string) => {
  type(text);
  send("change");
};

afterEach(() => act(() => render(null, host)));

const inUnit = (text: string) => numberIn(text, { low: 0, high: 1 });

function Kept({ onNumber }: { onNumber: (x: number | null) => void }) {
  const [refused, setRefused] = useState<string | null>(null);
  return (
    <NumberInput value={0.5} read={inUnit} onNumber={onNumber} refused={refused} onRefused={setRefused} />
  );
}

describe("a field for a number", () => {
  const onNumber = vi.fn();
  const show = (value: number | null) =>
    act(() => render(<NumberInput value={value} read={inUnit} onNumber={onNumber} />, host));

  it("calls back on change, not while typing", () => {
    onNumber.mockClear();
    show(0.5);
    type("0.25");
    expect(onNumber).not.toHaveBeenCalled();
    send("change");
    expect(onNumber.mock.calls).toEqual([[0.25]]);
  });

  it("keeps what is being typed when its value changes", () => {
    show(0.5);
    type("0.1");
    show(0.75);
    expect(field().value).toBe("0.1");
    send("blur");
    expect(field().value).toBe("0.75");
  });

  it("returns to its value when a text is refused", () => {
    onNumber.mockClear();
    show(0.5);
    enter("2");
    expect(field().value).toBe("0.5");
    expect(onNumber).not.toHaveBeenCalled();
  });

  it("shows a refused text if the caller keeps it", () => {
    onNumber.mockClear();
    act(() => render(<Kept onNumber={onNumber} />, host));
    enter("two");
    expect([field().value, field().getAttribute("aria-invalid")]).toEqual(["two", "true"]);
    enter("1");
    expect([field().value, field().getAttribute("aria-invalid")]).toEqual(["0.5", "false"]);
    expect(onNumber.mock.calls).toEqual([[1]]);
  });

  it("is empty without a value", () => {
    show(null);
    expect(field().value).toBe("");
  });
});

describe("a number within bounds", () => {
  it.each([
    ["1", 1],
    [" 0.5 ", 0.5],
    ["", undefined],
    ["x", undefined],
    ["1.01", undefined],
    ["nan", undefined],
  ])("of %j is %s", (text, x) => expect(inUnit(text)).toBe(x));

  it("may have to be an integer", () => {
    const whole = (text: string) => numberIn(text, { low: 0, high: 9, whole: true });
    expect([whole("3"), whole("3.5")]).toEqual([3, undefined]);
  });
});
