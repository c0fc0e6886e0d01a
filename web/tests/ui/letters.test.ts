// @vitest-environment jsdom
import { afterEach, expect, it, vi } from "vitest";
import { allowLetters, letters, shortcutIn, type Shortcut } from "../../src/ui/keys";
import { tellTitles } from "../../src/ui/titles";

const TABLE: Shortcut<[]>[] = ["r", "ArrowRight", " ", "?", ".", "Escape"].map((key) => ({
  keys: [key], shown: [key], words: key, act: () => undefined,
}));
const works = (key: string) => shortcutIn(TABLE, new KeyboardEvent("keydown", { key })) !== null;

afterEach(() => {
  allowLetters(true);
  document.body.replaceChildren();
});

it("keys of one character can be switched off, and the choice is kept", () => {
  expect(["r", ".", "?", "ArrowRight"].map(works)).toEqual([true, true, true, true]);
  allowLetters(false);
  expect(["r", ".", "?", "ArrowRight", " ", "Escape"].map(works)).toEqual([false, false, true, true, true, true]);
  expect(localStorage.getItem("gradwalk-letters")).toBe("off");
  expect(letters.value).toBe(false);
});

it("a long press of a finger shows a title, and does not press the button", () => {
  vi.useFakeTimers();
  const button = document.createElement("button");
  button.title = "Rewind to the initial weights";
  const pressed = vi.fn();
  button.addEventListener("click", pressed);
  document.body.append(button);
  const end = tellTitles(document.body);
  const note = document.querySelector<HTMLElement>(".title-note")!;
  const press = (type: string, pointerType: string) =>
    button.dispatchEvent(Object.assign(new MouseEvent(type, { bubbles: true, composed: true }), { pointerType }));

  press("pointerdown", "touch");
  vi.advanceTimersByTime(600);
  expect([note.hidden, note.textContent]).toEqual([false, "Rewind to the initial weights"]);
  press("pointerup", "touch");
  button.click();
  expect(pressed).not.toHaveBeenCalled();
  button.click();
  expect(pressed).toHaveBeenCalledOnce();

  press("pointerdown", "touch");
  expect(note.hidden).toBe(true);
  press("pointerup", "touch");
  vi.advanceTimersByTime(600);
  expect(note.hidden).toBe(true); // a short press

  press("pointerdown", "mouse");
  vi.advanceTimersByTime(600);
  expect(note.hidden).toBe(true); // the browser shows it
  end();
  expect(document.querySelector(".title-note")).toBeNull();
  vi.useRealTimers();
});
