/** One transport for both runs, and the verdict where they part. */

import { Icon } from "../walk/parts";
import { showRuns } from "./show";
import type { Stepper } from "./stepper";
import type { Story } from "./stories";

export function Transport({ stepper, story }: { stepper: Stepper; story: Story }) {
  const { step, length } = stepper;
  return (
    <div class="lockstep">
      <Verdict stepper={stepper} story={story} />
      <div class="lockstep-row">
        <Steps stepper={stepper} />
        <input
          type="range"
          class="lockstep-slider"
          data-lockstep-keys
          aria-label="Step of both runs"
          min={0}
          max={length.value}
          step={1}
          value={step.value}
          onInput={(event) => stepper.go(Number(event.currentTarget.value))}
        />
        <p class="note lockstep-count">
          Step {step.value} of {length.value}
        </p>
      </div>
    </div>
  );
}

function Steps({ stepper }: { stepper: Stepper }) {
  const { step, stop, playing } = stepper;
  const [atStart, atEnd] = [step.value === 0, step.value >= stepper.length.value];
  return (
    <div
      class="lockstep-buttons"
      role="group"
      aria-label="Steps"
      onClick={(event) => showRuns(event.currentTarget)}
    >
      <Step name="To the beginning" icon="start" disabled={atStart} go={() => stepper.go(0)} />
      <Step name="Step back" icon="back" disabled={atStart} go={() => stepper.go(step.value - 1)} />
      <Step
        name={playing.value ? "Pause" : "Play"}
        icon={playing.value ? "pause" : "play"}
        primary
        go={() => stepper.toggle()}
      />
      <Step name="Step forward" icon="forward" disabled={atEnd} go={() => stepper.go(step.value + 1)} />
      <Step name="To the end" icon="end" disabled={atEnd} go={() => stepper.go(Infinity)} />
      <button
        type="button"
        class="button to-difference"
        aria-label="To the first difference"
        disabled={stop.value === Infinity || step.value === stop.value}
        onClick={() => stepper.toDifference()}
      >
        First difference
      </button>
    </div>
  );
}

interface StepProps {
  name: string;
  icon: Parameters<typeof Icon>[0]["name"];
  disabled?: boolean;
  primary?: boolean;
  go: () => void;
}

function Step({ name, icon, disabled = false, primary = false, go }: StepProps) {
  return (
    <button
      type="button"
      class={primary ? "button primary" : "button"}
      aria-label={name}
      disabled={disabled}
      onClick={go}
    >
      <Icon name={icon} />
    </button>
  );
}

/** What is to be said at this step: still alike, here they part, or no harm done. */
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
          <strong>{first ? "Here they part." : "They parted at step " + stop.value + "."}</strong>{" "}
          {found.words}
        </p>
      )}
      {!(found && parted.value) && <p>{over && !found ? story.harmless : story.before}</p>}
      {pair.value.cut && over && (
        <p class="note">The recursion was stopped: it would have gone on for many more visits.</p>
      )}
    </div>
  );
}
