/** The controls of time: step, play, jump, the phase, the slider. */

import { Button } from "../../ui/Button";
import { NumberInput, Select } from "../../ui/fields";
import { Steps, StepSlider, type Stepped } from "../../ui/transport";
import { isSet } from "../state/breakpoints";
import { GroupSteps } from "./GroupSteps";
import { SPEEDS, type Walk } from "../state/state";
import { spoken } from "../state/words";

export function Transport({ walk }: { walk: Walk }) {
  const { length, seed } = walk.timeline.value;
  const step = walk.time.value;
  const go = (to: number) => walk.step(to - walk.time.value);
  const time: Stepped = { step, length, playing: walk.playing.value, go, toggle: () => walk.togglePlaying() };
  const percent = (part: number) => `${length ? (100 * part) / length : 0}%`;
  return (
    <div class="walk-transport">
      <StepSlider
        of={time}
        class="scrubber"
        aria-label="Step of the walk"
        aria-valuetext={spoken(walk)}
        style={{ "--split": percent(seed), "--at": percent(step) }}
      />
      <div class="walk-transport-row">
        <Steps of={time} look="group" />
        <GroupSteps walk={walk} />
        <Speed walk={walk} />
        <Phase go={go} seed={seed} backward={step >= seed} />
        <Jump time={time} />
        {isSet(walk.breakpoints.value) && <Stops walk={walk} />}
      </div>
    </div>
  );
}

function Phase({ go, seed, backward }: { go: (to: number) => void; seed: number; backward: boolean }) {
  return (
    <div class="group phase" role="group" aria-label="Phase">
      <Button aria-pressed={!backward} onClick={() => backward && go(0)}>
        Forward
      </Button>
      <Button look="backward" aria-pressed={backward} onClick={() => backward || go(seed)}>
        Backward
      </Button>
    </div>
  );
}

function Speed({ walk }: { walk: Walk }) {
  return (
    <label class="walk-speed">
      <span class="wide-only">Speed</span>
      <Select
        aria-label="Speed"
        value={String(walk.speed.value)}
        options={SPEEDS.map((speed) => [String(speed), `${speed} / s`])}
        onChoose={(speed) => (walk.speed.value = Number(speed))}
      />
    </label>
  );
}

function Jump({ time: { step, length, go } }: { time: Stepped }) {
  return (
    <label class="jump">
      <span class="wide-only">Step</span>
      <NumberInput
        inputMode="numeric"
        aria-label={`Jump to step, 0 to ${length}`}
        value={step}
        read={(text) => (text.trim() && Number.isFinite(Number(text)) ? Math.round(Number(text)) : undefined)}
        onNumber={(to) => go(to!)}
      />
      <span class="note">of {length}</span>
    </label>
  );
}

function Stops({ walk }: { walk: Walk }) {
  return (
    <div class="group" role="group" aria-label="Breakpoints">
      <Button onClick={() => walk.toNextStop(-1)}>‹ Back to stop</Button>
      <Button onClick={() => walk.toNextStop(1)}>Run to stop ›</Button>
    </div>
  );
}
