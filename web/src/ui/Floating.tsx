/** A button and a box that floats over the page while it is open. The browser's `popover` closes it on Escape and on a
 * press beside it, and gives the focus back. */

import type { ComponentChildren, RefObject } from "preact";
import { useId, useLayoutEffect, useState } from "preact/hooks";
import { Button } from "./Button";

interface Props {
  /** The text of the button. */
  words: string;
  /** The box, which `showPopover()` and `hidePopover()` open and close as the button does. */
  box: RefObject<HTMLDivElement | null>;
  look: string;
  /** Created again each time the box opens. The first field or button in it gets the focus. */
  children: ComponentChildren;
}

export function Floating({ words, box, look, children }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  useLayoutEffect(() => (open ? opened(box.current!) : undefined), [open]);
  return (
    <>
      <Button aria-expanded={open} popovertarget={id}>
        {words}
      </Button>
      <div
        ref={box}
        id={id}
        popover="auto"
        class={`floating ${look}`}
        tabIndex={-1}
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        {open && children}
      </div>
    </>
  );
}

const MARGIN = 8;

/** Moves the focus into a box, and keeps the box under its button and inside the window. */
function opened(box: HTMLElement): () => void {
  const button = box.previousElementSibling!;
  const place = () => {
    const { left, bottom } = button.getBoundingClientRect();
    const most = document.documentElement.clientWidth - box.offsetWidth - MARGIN;
    box.style.left = `${Math.max(MARGIN, Math.min(left, most))}px`;
    box.style.top = `${bottom + MARGIN / 2}px`;
    box.style.maxHeight = `max(200px, calc(100dvh - ${bottom + 2 * MARGIN}px))`;
  };
  place();
  box.querySelector<HTMLElement>("textarea, input, button")?.focus();
  addEventListener("scroll", place, { capture: true, passive: true });
  addEventListener("resize", place);
  return () => {
    removeEventListener("scroll", place, { capture: true });
    removeEventListener("resize", place);
  };
}
