/** The controls of time that pages share. */

import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { Button, Icon, type IconName } from "./Button";

/** Something that is stepped and played, from step 0 to `length`. */
export interface Stepped {
  step: number;
  length: number;
  playing: boolean;
  /** Goes to a step; a step outside the range means its nearest end. */
  go: (step: number) => void;
  toggle: () => void;
}

interface StepsProps {
  of: Stepped;
  look: string;
  /** Called after each press. */
  onClick?: (event: MouseEvent & { currentTarget: HTMLElement }) => void;
  /** Further buttons. */
  children?: ComponentChildren;
}

/** To the beginning, a step back, a step forward, play or pause, to the end. */
export function Steps({ of: { step, length, playing, go, toggle }, look, onClick, children }: StepsProps) {
  const control = (icon: IconName, name: string, to: number, disabled: boolean) => (
    <Button name={name} disabled={disabled} onClick={() => go(to)}>
      <Icon name={icon} />
    </Button>
  );
  const [atStart, atEnd] = [step === 0, step >= length];
  return (
    <div class={look} role="group" aria-label="Steps" {...(onClick && { onClick })}>
      {control("start", "Go to the beginning", 0, atStart)}
      {control("back", "Step back", step - 1, atStart)}
      <Button look="primary step-forward" name="Step forward" disabled={atEnd} onClick={() => go(step + 1)}>
        Step <Icon name="forward" />
      </Button>
      <Button name={playing ? "Pause" : "Play"} onClick={toggle}>
        <Icon name={playing ? "pause" : "play"} />
      </Button>
      {control("end", "Go to the end", Infinity, atEnd)}
      {children}
    </div>
  );
}

type SliderProps = Omit<InputHTMLAttributes<HTMLInputElement>, "step" | "role" | "type"> & { of: Stepped };

/** The steps as a slider. Its keys are those of the page. */
export function StepSlider({ of: { step, length, go }, ...rest }: SliderProps) {
  return (
    <input
      type="range"
      data-steps
      {...rest}
      min={0}
      max={length}
      step={1}
      value={step}
      onInput={(event) => go(Number(event.currentTarget.value))}
    />
  );
}
