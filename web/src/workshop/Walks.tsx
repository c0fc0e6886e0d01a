/** Two walks on one timeline: what your engine computed, beside the right numbers. */

import { useEffect, useMemo, useRef } from "preact/hooks";
import { SHORTCUTS } from "../misconceptions/keys";
import { Picture } from "../picture";
import { Button } from "../ui/Button";
import { usePlaying } from "../ui/hooks";
import { useShortcuts } from "../ui/keys";
import { Steps, StepSlider, type Stepped } from "../ui/transport";
import { alike, pairOf, shown, type Pair, type Tick, type Which } from "./observed";
import type { ObservedWalk } from "./report";
import { PACE, WalkStepper } from "./stepper";

interface Props {
  walk: ObservedWalk;
  /** Gets the line of each step, if it is known. */
  onLine: (line: number | null) => void;
  /** Whether keys step the walks from anywhere on the page, or only from within them. */
  everywhere: boolean;
}

export function Walks({ walk, ...rest }: Props) {
  const pair = useMemo(() => pairOf(walk), [walk]);
  return pair ? <Both key={pair.graph.size} pair={pair} {...rest} /> : null;
}

/** Larger graphs have zoom and folding. */
const SMALL = 12;

function Both({ pair, onLine, everywhere }: { pair: Pair } & Omit<Props, "walk">) {
  const stepper = useMemo(() => new WalkStepper(pair), [pair]);
  const place = useRef<HTMLElement>(null);
  useShortcuts(SHORTCUTS, stepper, everywhere ? undefined : place);
  usePlaying({ playing: stepper.playing, tick: () => stepper.advance() }, () => PACE);
  const tick = stepper.tick.value;
  useEffect(() => onLine(tick?.line ?? null), [tick]);
  const step = stepper.step.value;
  const time: Stepped = {
    step, length: stepper.length, playing: stepper.playing.value,
    go: (to) => stepper.go(to), toggle: () => stepper.toggle(),
  };
  return (
    <section ref={place} class="walks" aria-label="Two walks">
      <div class="sides">
        <Side which="yours" stepper={stepper} />
        <Side which="right" stepper={stepper} />
      </div>
      <p class={`walks-verdict ${verdictOf(stepper, tick)}`} role="status">
        {wordsOf(stepper, tick)}
      </p>
      <div class="walks-row">
        <Steps of={time} look="walks-buttons">
          <Button
            look="to-difference"
            aria-label="Go to the first difference"
            disabled={stepper.stop === Infinity || step === stepper.stop}
            onClick={() => stepper.toDifference()}
          >
            First difference
          </Button>
        </Steps>
        <StepSlider of={time} class="walks-slider" aria-label="Step of both walks" />
        <p class="note walks-count">
          Step {step} of {stepper.length}
        </p>
      </div>
    </section>
  );
}

const CALLED: Record<Which, string> = { yours: "Yours", right: "Right" };

function Side({ which, stepper }: { which: Which; stepper: WalkStepper }) {
  const timeline = stepper.pair[which];
  const { graph } = stepper.pair;
  const marked = stepper.marked.value;
  const tick = stepper.tick.value;
  return (
    <section class={`side ${which}`} aria-label={which === "yours" ? "Your walk" : "The right walk"}>
      <h3>
        <span aria-hidden="true">{which === "yours" ? "✎" : "✓"}</span> {CALLED[which]}
        <span class="side-number">{tick && `${called(tick)} = ${shown(tick[which])}`}</span>
      </h3>
      <div class="side-stage" style={{ height: `${heightOf(stepper.pair)}px` }}>
        <Picture
          graph={graph}
          run={timeline.run}
          timeline={timeline}
          time={stepper.step.value}
          selected={marked === null ? null : { kind: "node", node: marked }}
          onSelect={(selection) => {
            stepper.chosen.value = selection?.kind === "node" ? selection.node : null;
          }}
          controls={graph.size > SMALL}
          search={false}
          minimap={false}
          label={which === "yours" ? "What your engine computed" : "The right numbers"}
        />
      </div>
    </section>
  );
}

/** Room for all levels of the graph, operands above their consumers; a deep graph scrolls. */
function heightOf({ graph }: Pair): number {
  const levels: number[] = [];
  for (const { inputs } of graph.nodes) levels.push(1 + Math.max(0, ...inputs.map((input) => levels[input]!)));
  return Math.min(460, 50 + 105 * Math.max(...levels));
}

function called({ node, kind }: Tick): string {
  return kind === "forward" ? node : `${node}.grad`;
}

function verdictOf({ stop, step }: WalkStepper, tick: Tick | null): string {
  if (step.value === stop) return "parted first";
  return tick && !alike(tick.yours, tick.right) ? "parted" : "";
}

function wordsOf({ step, stop, length }: WalkStepper, tick: Tick | null) {
  if (!tick) return stop === 0 ? "A value of the program is already wrong." : "Only the values of the program are there.";
  const what = called(tick);
  const place = tick.line ? ` (line ${tick.line})` : "";
  if (!alike(tick.yours, tick.right)) {
    const words = `${what} is ${shown(tick.yours)} and must be ${shown(tick.right)}${place}.`;
    if (step.value !== stop) return words;
    return (
      <>
        <strong>The walks differ here.</strong> {words}
      </>
    );
  }
  if (step.value < stop) return `So far both walks are equal: ${what} is ${shown(tick.right)}${place}.`;
  return `${what} is ${shown(tick.right)} in both${place}.${step.value === length ? " The walk has ended." : ""}`;
}
