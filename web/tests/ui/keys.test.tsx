// @vitest-environment jsdom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { shortcutIn, useShortcuts, type Shortcut } from "../../src/ui/keys";

const pressed = vi.fn();
const on = (key: string): Shortcut<[string]> => ({ keys: [key], shown: [key], words: key, act: pressed });
const TABLE = [on("ArrowRight"), on("Shift+ArrowRight"), on(" "), on("r")];

function found(key: string, html: string, more: KeyboardEventInit = {}): string | null {
  const place = document.body.appendChild(document.createElement("div"));
  place.innerHTML = html;
  let shortcut: Shortcut<[string]> | null = null;
  place.addEventListener("keydown", (event) => (shortcut = shortcutIn(TABLE, event)));
  place.firstElementChild!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
  place.remove();
  return (shortcut as Shortcut<[string]> | null)?.words ?? null;
}

describe("a key", () => {
  it.each([
    ["r", "<input>"],
    ["r", "<textarea></textarea>"],
    ["r", "<select></select>"],
    ["r", "<dialog></dialog>"],
    ["ArrowRight", '<input type="range">'],
    ["ArrowRight", '<button role="tab"></button>'],
    ["ArrowRight", '<input type="radio">'],
    [" ", "<button></button>"],
    [" ", '<input type="checkbox">'],
    [" ", '<div role="slider"></div>'],
  ])("%j on %s belongs to the element", (key, html) => expect(found(key, html)).toBeNull());

  it.each([
    ["r", "<button></button>"],
    ["r", '<input type="checkbox">'],
    ["ArrowRight", '<input type="checkbox">'],
    ["ArrowRight", '<input type="range" data-steps>'],
    [" ", "<p></p>"],
  ])("%j on %s belongs to the page", (key, html) => expect(found(key, html)).toBe(key));

  it("with Shift is another one if it is an arrow", () => {
    expect(found("ArrowRight", "<p></p>", { shiftKey: true })).toBe("Shift+ArrowRight");
    expect(found("r", "<p></p>", { shiftKey: true })).toBe("r");
  });

  it.each(["ctrlKey", "metaKey", "altKey"])("with %s belongs to the browser", (held) =>
    expect(found("r", "<p></p>", { [held]: true })).toBeNull(),
  );
});

describe("shortcuts of a page", () => {
  const host = document.body.appendChild(document.createElement("div"));
  const press = (key: string, more: KeyboardEventInit = {}) =>
    document.body.dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }),
    );
  const Page = () => {
    useShortcuts(TABLE, "the room");
    return null;
  };
  afterEach(() => act(() => render(null, host)));

  it("act on its room while it is shown, and repeat only for arrows", () => {
    act(() => render(<Page />, host));
    expect(press("r")).toBe(false);
    expect(pressed.mock.calls).toEqual([["the room"]]);
    press("r", { repeat: true });
    expect(pressed).toHaveBeenCalledTimes(1);
    press("ArrowRight", { repeat: true });
    expect(pressed).toHaveBeenCalledTimes(2);
    act(() => render(null, host));
    expect(press("r")).toBe(true);
    expect(pressed).toHaveBeenCalledTimes(2);
  });
});
