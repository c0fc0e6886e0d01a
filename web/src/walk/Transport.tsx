/** The controls of time: step, play, jump, the phase, the scrubber. */

import { isSet } from "./breakpoints";
import { Icon, type IconName } from "./parts";
import { SPEEDS, type Walk } from "./state";
import { spoken } from "./words";

export function Transport({ walk }: { walk: Walk }) {
  return (
    <div class="walk-transport">
      <Scrubber walk={walk} />
      <div class="walk-transport-row">
        <Steps walk={walk} />
        <Speed walk={walk} />
        <Phase walk={walk} />
        <Jump walk={walk} />
        {isSet(walk.breakpoints.value) && <Stops walk={walk} />}
      </div>
    </div>
  );
}

function Steps({ walk }: { walk: Walk }) {
  const time = walk.time.value;
  const atEnd = time >= walk.timeline.value.length;
  const playing = walk.playing.value;
  const step = (count: number) => () => walk.step(count);
  return (
    <div class="group" role="group" aria-label="Steps">
      <Control icon="start" name="To the beginning" disabled={time === 0} act={step(-Infinity)} />
      <Control icon="back" name="Step back" disabled={time === 0} act={step(-1)} />
      <Control
        primary
        icon={playing ? "pause" : "play"}
        name={playing ? "Pause" : "Play"}
        act={() => walk.togglePlaying()}
      />
      <Control icon="forward" name="Step forward" disabled={atEnd} act={step(1)} />
      <Control icon="end" name="To the end" disabled={atEnd} act={step(Infinity)} />
    </div>
  );
}

interface ControlProps {
  icon: IconName;
  name: string;
  act: () => void;
  disabled?: boolean;
  primary?: boolean;
}

function Control({ icon, name, act, disabled = false, primary = false }: ControlProps) {
  const look = primary ? "button primary" : "button";
  return (
    <button type="button" class={look} aria-label={name} title={name} disabled={disabled} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}

function Phase({ walk }: { walk: Walk }) {
  const { seed } = walk.timeline.value;
  const backward = walk.time.value >= seed;
  return (
    <div class="group phase" role="group" aria-label="Phase">
      <button
        type="button"
        class="button"
        aria-pressed={!backward}
        onClick={() => backward && walk.step(-Infinity)}
      >
        Forward
      </button>
      <button
        type="button"
        class="button backward"
        aria-pressed={backward}
        onClick={() => backward || walk.step(seed - walk.time.value)}
      >
        Backward
      </button>
    </div>
  );
}

function Speed({ walk }: { walk: Walk }) {
  return (
    <label class="walk-speed">
      <span class="wide-only">Speed</span>
      <select
        class="field"
        aria-label="Speed"
        value={String(walk.speed.value)}
        onChange={(event) => {
          walk.speed.value = Number(event.currentTarget.value);
        }}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed} / s
          </option>
        ))}
      </select>
    </label>
  );
}

function Jump({ walk }: { walk: Walk }) {
  const jump = (event: { currentTarget: HTMLInputElement }) => {
    const { value } = event.currentTarget;
    const asked = value.trim() === "" ? NaN : Math.round(Number(value));
    if (Number.isFinite(asked)) walk.step(asked - walk.time.value);
    event.currentTarget.value = String(walk.time.value);
  };
  return (
    <label class="jump">
      <span class="wide-only">Step</span>
      <input
        class="field"
        inputMode="numeric"
        aria-label={`Jump to step, 0 to ${walk.timeline.value.length}`}
        value={String(walk.time.value)}
        onChange={jump}
      />
      <span class="note">of {walk.timeline.value.length}</span>
    </label>
  );
}

function Stops({ walk }: { walk: Walk }) {
  return (
    <div class="group" role="group" aria-label="Breakpoints">
      <button type="button" class="button" onClick={() => walk.toNextStop(-1)}>
        ‹ Back to stop
      </button>
      <button type="button" class="button" onClick={() => walk.toNextStop(1)}>
        Run to stop ›
      </button>
    </div>
  );
}

function Scrubber({ walk }: { walk: Walk }) {
  const { length, seed } = walk.timeline.value;
  const split = length ? (100 * seed) / length : 0;
  const at = length ? (100 * walk.time.value) / length : 0;
  return (
    <input
      type="range"
      class="scrubber"
      data-walk-keys
      aria-label="Step of the walk"
      aria-valuetext={spoken(walk)}
      min={0}
      max={length}
      step={1}
      value={walk.time.value}
      style={{ "--split": `${split}%`, "--at": `${at}%` }}
      onInput={(event) => walk.step(Number(event.currentTarget.value) - walk.time.value)}
    />
  );
}
