/** The settings of a run: data, network, learning. Each change starts a new run. */

import type { ComponentChildren } from "preact";
import { Choice, Complaint, NumberField, STOPPED } from "./fields";
import { HiddenLayers } from "./HiddenLayers";
import { OwnTable } from "./OwnTable";
import type { Configuration } from "../run/protocol";
import { refusalAt, type SettingProps } from "./settings";
import type { TrainingRoom } from "../run/room";
import { rateOf, sliderOf } from "../drawing/scale";
import { WORDS } from "../run/words";
import { Button } from "../../ui/Button";

export function Controls({ room }: { room: TrainingRoom }) {
  const configuration = room.configuration.value;
  const limits = room.limits.value;
  if (!configuration || !limits)
    return <div class="card controls waiting-card">Waiting for the studio …</div>;
  const props = { room, configuration, limits };
  return (
    <div class="controls">
      <Part title="Data" id="data">
        <Data {...props} />
        <OwnTable room={room} />
      </Part>
      <Part title="Network" id="network-settings">
        <HiddenLayers {...props} />
        <Named {...props} member="activation" label="Activation" names={room.choices.value!.activations} />
      </Part>
      <Part title="Learning" id="learning">
        <Named {...props} member="loss" label="Loss" names={room.choices.value!.losses} />
        <Named {...props} member="optimizer" label="Optimizer" names={room.choices.value!.optimizers} />
        <LearningRate {...props} />
        <div class="pair">
          <Numeric {...props} member="batch" label="Batch" low={1} high={limits.points} whole />
          <Numeric {...props} member="seed" label="Seed" low={0} high={Number.MAX_SAFE_INTEGER} whole />
        </div>
        <p class="note">
          Every change starts a new run. The same settings and seed give the same run, bit for bit.
        </p>
      </Part>
    </div>
  );
}

function Part({ title, id, children }: { title: string; id: string; children: ComponentChildren }) {
  return (
    <section class="card part" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  );
}

function Data(props: SettingProps) {
  const isOwn = props.configuration.data === "points";
  return (
    <>
      <Named {...props} member="data" label="Points" names={props.room.choices.value!.data} />
      {!isOwn && (
        <div class="pair">
          <Numeric {...props} member="count" label="Count" low={2} high={props.limits.points} whole />
          <Numeric {...props} member="noise" label="Noise" low={0} high={10} step={0.05} />
        </div>
      )}
    </>
  );
}

type Names = { data: string; activation: string; loss: string; optimizer: string };

function Named({
  room,
  configuration,
  member,
  label,
  names,
}: SettingProps & { member: keyof Names; label: string; names: string[] }) {
  return (
    <Choice
      label={label}
      value={configuration[member]}
      options={names.map((name) => [name, WORDS[name] ?? name])}
      refusal={refusalAt(room, member)}
      onChoose={(value) => room.configure({ [member]: value } as Partial<Configuration>)}
    />
  );
}

interface NumberProps extends SettingProps {
  member: "count" | "noise" | "batch" | "seed";
  label: string;
  low: number;
  high: number;
  step?: number;
  whole?: boolean;
}

function Numeric({ room, configuration, member, ...rest }: NumberProps) {
  return (
    <NumberField
      {...rest}
      value={configuration[member]}
      refusal={refusalAt(room, member)}
      onChange={(value) => room.configure({ [member]: value })}
      onWrong={(refusal) => room.refuse({ ...refusal, where: `configuration.${member}` })}
    />
  );
}

function LearningRate({ room, configuration }: SettingProps) {
  const refusal = refusalAt(room, "lr");
  const set = (lr: number) => room.configure({ lr });
  return (
    <div class="rate">
      <NumberField
        label="Learning rate"
        value={configuration.lr}
        low={0}
        high={1e6}
        refusal={refusal}
        onChange={set}
        onWrong={(wrong) => room.refuse({ ...wrong, where: "configuration.lr" })}
      />
      <input
        type="range"
        aria-label="Learning rate, logarithmic"
        aria-valuetext={String(configuration.lr)}
        min={0}
        max={100}
        step={1}
        value={sliderOf(configuration.lr)}
        onChange={(event) => set(rateOf(Number(event.currentTarget.value)))}
      />
    </div>
  );
}

/** Messages that belong to no field. */
export function Alerts({ room }: { room: TrainingRoom }) {
  const refusal = room.refusal.value;
  const atField = refusal?.where.startsWith("configuration.");
  const stopped = room.stopped.value;
  const link = room.link.value;
  return (
    <div class="alerts">
      {link.state === "lost" && (
        <p class="alert" role="alert">
          {link.words}
        </p>
      )}
      {link.state === "reconnecting" && (
        <p class="alert calm" role="status">
          Connection lost. The run is paused, and continues when the connection is back.
        </p>
      )}
      {room.notice.value && (
        <p class="alert calm" role="status">
          {room.notice.value}
        </p>
      )}
      {stopped && (
        <p class="alert" id={STOPPED} role="alert" data-testid="stopped">
          {stopped}
        </p>
      )}
      {refusal && !atField && (
        <div class="alert dismissable">
          <Complaint refusal={refusal} />
          <Button look="quiet" onClick={() => room.refuse(null)}>
            Dismiss
          </Button>
        </div>
      )}
    </div>
  );
}
