/** The controls for both runs, and the verdict where they differ. */

import { Button } from "../ui/Button";
import { Steps, StepSlider, type Stepped } from "../ui/transport";
import { showRuns } from "./show";
import type { Stepper } from "./stepper";
import type { Story } from "./stories";

export function Transport({ stepper, story }: { stepper: Stepper; story: Story }) {
  const step = stepper.step.value;
  const length = stepper.length.value;
  const stop = stepper.stop.value;
  const go = (to: number) => stepper.go(to);
  const time: Stepped = { step, length, playing: stepper.playing.value, go, toggle: () => stepper.toggle() };
  return (
    <div class="lockstep">
      <Verdict stepper={stepper} story={story} />
      <div class="lockstep-row">
        <Steps of={time} look="lockstep-buttons" onClick={(event) => showRuns(event.currentTarget)}>
          <Button
            look="to-difference"
            aria-label="Go to the first difference"
            disabled={stop === Infinity || step === stop}
            onClick={() => stepper.toDifference()}
          >
            First difference
          </Button>
        </Steps>
        <StepSlider of={time} class="lockstep-slider" aria-label="Step of both runs" />
        <p class="note lockstep-count">
          Step {step} of {length}
        </p>
      </div>
    </div>
  );
}

/** The verdict of a step: the runs are still equal, they differ, or the mistake makes no difference. */
function Verdict({ stepper, story }: { stepper: Stepper; story: Story }) {
  const { difference, parted, step, stop, length, pair } = stepper;
  const found = difference.value;
  const over = step.value >= length.value;
  const first = step.value === stop.value;
  return (
    <div
      class={`lockstep-verdict ${found && parted.value ? "parted" : over && !found ? "harmless" : ""}`}
      role="status"
    >
      {found && parted.value && (
        <p>
          <strong>{first ? "The runs differ here." : `The runs differ since step ${stop.value}.`}</strong>{" "}
          {found.words}
        </p>
      )}
      {!(found && parted.value) && <p>{over && !found ? story.harmless : story.before}</p>}
      {pair.value.cut && over && (
        <p class="note">The recursion was stopped early: many more visits would follow.</p>
      )}
    </div>
  );
}
