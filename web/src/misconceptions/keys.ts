/** Keys of the two runs; they work wherever nothing else needs them. */

import { useLayoutEffect } from "preact/hooks";
import type { Stepper } from "./stepper";

const ACTS: Record<string, (stepper: Stepper) => void> = {
  ArrowRight: (stepper) => stepper.go(stepper.step.value + 1),
  ArrowLeft: (stepper) => stepper.go(stepper.step.value - 1),
  Home: (stepper) => stepper.go(0),
  End: (stepper) => stepper.go(Infinity),
  " ": (stepper) => stepper.toggle(),
  d: (stepper) => stepper.toDifference(),
};

export function useKeys(stepper: Stepper): void {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = ACTS[event.key];
      if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
        return;
      if (isFor(event.target, event.key)) return;
      event.preventDefault();
      act(stepper);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [stepper]);
}

/** Does the element itself need this key? Text fields need all, buttons the space bar. */
function isFor(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element) || target.closest("[data-lockstep-keys]")) return false;
  if (target.closest("input, textarea, select, [contenteditable], dialog")) return true;
  return key === " " && target.closest("button, a, summary, [role=button]") !== null;
}
