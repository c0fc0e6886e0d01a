// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { shortcutOf, SHORTCUTS } from "../../src/walk/keys";

function pressed(key: string, html = "", more: KeyboardEventInit = {}) {
  document.body.innerHTML = html;
  const target = document.body.firstElementChild ?? document.body;
  let found: ReturnType<typeof shortcutOf> = null;
  const listen = (event: Event) => (found = shortcutOf(event as KeyboardEvent));
  document.addEventListener("keydown", listen, { once: true });
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
  return (found as ReturnType<typeof shortcutOf>)?.words ?? null;
}

describe("a key", () => {
  it("has one meaning", () => {
    const keys = SHORTCUTS.flatMap((shortcut) => shortcut.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("means what the help says", () => {
    expect(pressed("ArrowRight")).toBe("Step forward");
    expect(pressed("ArrowRight", "", { shiftKey: true })).toBe("Ten steps forward");
    expect(pressed("?", "", { shiftKey: true })).toBe("Show this help");
    expect(pressed(" ")).toBe("Play or pause");
  });

  it("with Ctrl or Meta is the browser's", () => {
    expect(pressed("ArrowRight", "", { ctrlKey: true })).toBeNull();
    expect(pressed("b", "", { metaKey: true })).toBeNull();
  });

  it("in a text field writes", () => {
    expect(pressed("b", "<input>")).toBeNull();
    expect(pressed(" ", "<textarea></textarea>")).toBeNull();
    expect(pressed("End", "<select></select>")).toBeNull();
  });

  it("on a button presses it, if it is the space bar", () => {
    expect(pressed(" ", "<button></button>")).toBeNull();
    expect(pressed("ArrowRight", "<button></button>")).toBe("Step forward");
    expect(pressed("ArrowRight", '<button role="tab"></button>')).toBeNull();
  });

  it("on the scrubber steps the walk", () => {
    expect(pressed("ArrowRight", '<input type="range" data-steps>')).toBe("Step forward");
    expect(pressed("ArrowRight", '<input type="range">')).toBeNull();
  });
});
