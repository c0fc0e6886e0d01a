/** The walk: a graph, stepped forward and backward in time. */

import { useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WalkDocument } from "../document";
import { usePlaying } from "../ui/hooks";
import { Help } from "./Help";
import { shortcutOf } from "./keys";
import type { WalkOptions } from "./state/options";
import { Prediction } from "./steps/Prediction";
import { SentenceOfStep } from "./steps/Sentence";
import { ShareMenu } from "./source/ShareMenu";
import { Side } from "./panels/Side";
import { Source } from "./source/Source";
import { Stage } from "./steps/Stage";
import { Walk as WalkState } from "./state/state";
import { Transport } from "./steps/Transport";
import { Trouble } from "./steps/Trouble";
import { Button } from "../ui/Button";

/** A graph, or an existing walk. With both, the graph is offered among the examples. */
export type WalkProps = { options?: WalkOptions } & (
  { document: WalkDocument; walk?: WalkState } | { document?: WalkDocument | undefined; walk: WalkState }
);

export function Walk({ document, options = {}, walk: given }: WalkProps) {
  const walk = useMemo(
    () => given ?? new WalkState(document!, options.state, options.stopAt ?? null),
    [given, document],
  );
  const root = useRef<HTMLElement>(null);
  const [help, setHelp] = useState(false);
  usePlaying(walk, () => 1000 / walk.speed.value);
  useKeys(walk, root, options.keys === "page", () => setHelp(true));
  useSignalEffect(() => options.onStep?.(walk.time.value, walk.timeline.value.length));
  const { presets = true, share = true, compact = false } = options;
  const panels = options.panels ?? ["inspect", "nodes", "values", "breakpoints"];
  const links = share !== "files" && location.protocol !== "about:"; // a frame without an address cannot be linked
  const whole = options.keys === "page";
  const classes = ["walk", compact && "compact", !panels.length && "alone", whole && "whole"];
  return (
    <section
      ref={root}
      class={classes.filter(Boolean).join(" ")}
      aria-label={options.label ?? "Walk"}
      tabIndex={-1}
    >
      <div class="walk-grid">
        {(presets || share) && (
          <header class="walk-head">
            {presets && <Source walk={walk} own={document ?? null} />}
            {share && <ShareMenu walk={walk} links={links} picture={() => svgOf(root.current)} />}
            <Button look="quiet" name="Keyboard help" onClick={() => setHelp(true)}>
              ?
            </Button>
          </header>
        )}
        <Stage walk={walk} compact={compact} edit={options.edit ?? true} />
        {!compact && <Trouble walk={walk} />}
        <div class="walk-foot">
          <SentenceOfStep walk={walk} />
          {options.predict && <Prediction walk={walk} />}
          <Transport walk={walk} />
        </div>
        {panels.length > 0 && <Side walk={walk} panels={panels} edit={options.edit ?? true} lessons={options.lessons ?? false} />}
      </div>
      <Help open={help} onClose={() => setHelp(false)} />
    </section>
  );
}

function svgOf(root: HTMLElement | null): SVGSVGElement | null {
  return root?.querySelector<SVGSVGElement>(".walk-stage svg.picture, .walk-stage svg") ?? null;
}

/** Listens for keys inside the walk. In the studio, also for keys that no other element uses. */
function useKeys(
  walk: WalkState,
  root: { current: HTMLElement | null },
  everywhere: boolean,
  help: () => void,
): void {
  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return;
    const search = () => element.querySelector<HTMLInputElement>(".walk-stage input[type=search]")?.focus();
    const onKey = (event: KeyboardEvent) => {
      const inside = event.target instanceof Node && element.contains(event.target);
      if (!inside && !(everywhere && isUnused(event.target))) return;
      if (event.key === "Escape" && element.querySelector(":popover-open")) return; // the browser closes it
      const shortcut = shortcutOf(event);
      if (inside) event.stopPropagation(); // notebooks treat letters as commands
      if (!shortcut) return;
      event.preventDefault();
      shortcut.act(walk, { search, help });
    };
    const target: HTMLElement | Document = everywhere ? element.ownerDocument : element;
    target.addEventListener("keydown", onKey as EventListener);
    return () => target.removeEventListener("keydown", onKey as EventListener);
  }, [walk, everywhere]);
}

/** Whether the target is outside every walk, dialog and menu. `shortcutOf` handles fields and buttons. */
function isUnused(target: EventTarget | null): boolean {
  return (
    !(target instanceof Element) ||
    !target.closest(".walk, dialog, [role=dialog], [role=menu], [role=listbox]")
  );
}
