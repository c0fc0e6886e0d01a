/** Start, step and rewind; the progress of the training; the state of the connection. */

import { exact, formatted } from "../engine";
import { Button, Icon, type IconName } from "../ui/Button";
import { Select } from "../ui/fields";
import type { Link } from "./run/connection";
import { STOPPED } from "./settings/fields";
import type { TrainingRoom } from "./run/room";

const SPEEDS = [
  ["0", "full speed"],
  ["1", "1 per frame"],
  ["5", "5 per frame"],
  ["25", "25 per frame"],
] as const;

export function Transport({ room, help }: { room: TrainingRoom; help: () => void }) {
  const running = room.running.value;
  const stuck = room.stopped.value !== "" && !running;
  const empty = stuck && room.points.value.length === 0;
  return (
    <header class="transport">
      <div class="transport-buttons" role="group" aria-label="Training">
        <Action
          room={room}
          icon={running ? "pause" : "play"}
          words={running ? "Pause" : "Start"}
          stuck={stuck}
          primary
          act={() => room.toggle()}
        />
        <Action
          room={room}
          icon="step"
          words="Step"
          name="Step one update"
          stuck={stuck}
          act={() => room.step()}
        />
        <Action
          room={room}
          icon="rewind"
          words="Rewind"
          title="Rewind to the initial weights. The same seed gives the same run."
          stuck={empty}
          act={() => room.rewind()}
        />
      </div>
      {!!room.frame.value?.kept && (
        <Button
          look="small restore"
          title="The run that a rewind or new settings have replaced"
          onClick={() => room.restore()}
        >
          Bring back the run of {count(room.frame.value.kept)} updates
        </Button>
      )}
      <label class="speed">
        <span class="roomy">Speed</span>
        <Select
          aria-label="Speed"
          value={String(room.speed.value)}
          options={SPEEDS}
          onChoose={(speed) => room.setSpeed(Number(speed))}
        />
      </label>
      <Figures room={room} />
      <LinkState link={room.link.value} again={() => room.reconnect()} />
      <Button look="quiet" aria-label="Keyboard help" onClick={help}>
        ?
      </Button>
    </header>
  );
}

interface ActionProps {
  room: TrainingRoom;
  icon: IconName;
  words: string;
  name?: string;
  title?: string;
  /** The run cannot continue. The alert says why. */
  stuck: boolean;
  primary?: boolean;
  act: () => void;
}

/** A button that keeps the focus while a stopped run disables it. */
function Action({ room, icon, words, name = words, title, stuck, primary = false, act }: ActionProps) {
  return (
    <Button
      look={primary ? "primary start" : ""}
      aria-label={name}
      title={stuck ? room.stopped.value : title}
      disabled={room.link.value.state !== "connected" || !room.frame.value}
      aria-disabled={stuck}
      aria-describedby={stuck ? STOPPED : undefined}
      onClick={() => stuck || act()}
    >
      <Icon name={icon} />
      {primary ? words : <span class="roomy">{words}</span>}
    </Button>
  );
}

function Figures({ room }: { room: TrainingRoom }) {
  const frame = room.frame.value;
  return (
    <div class="figures">
      <Figure name="Update" x={frame?.step} write={count} />
      <Figure name="Epoch" x={frame?.epoch} write={count} />
      <Figure name="Training loss" x={frame?.loss} write={formatted} />
      <Figure name="Test loss" x={frame?.test?.loss} write={formatted} />
      <Figure name="Training accuracy" x={frame?.accuracy} write={percent} />
      <Figure name="Test accuracy" x={frame?.test?.accuracy} write={percent} />
    </div>
  );
}

const count = (x: number) => x.toLocaleString("en");
const percent = (x: number) => `${Number((100 * x).toFixed(1))} %`;

interface FigureProps {
  name: string;
  x: number | null | undefined;
  write: (x: number) => string;
}

/** Not a live region, because the figures change thirty times a second. */
function Figure({ name, x = null, write }: FigureProps) {
  return (
    <div class="figure">
      <span class="figure-name">{name}</span>
      <output class="number" aria-label={name} aria-live="off" title={x === null ? undefined : exact(x)}>
        {x === null ? "–" : write(x)}
      </output>
    </div>
  );
}

const LINK_WORDS: Record<Link["state"], string> = {
  connecting: "connecting …",
  connected: "connected",
  reconnecting: "reconnecting …",
  lost: "not connected",
};

function LinkState({ link, again }: { link: Link; again: () => void }) {
  const words = link.state === "reconnecting" ? `reconnecting (${link.attempt}) …` : LINK_WORDS[link.state];
  return (
    <div class={`link-state ${link.state}`}>
      <span role="status" aria-label="Connection">
        {words}
      </span>
      {link.state === "lost" && <Button onClick={again}>Reconnect</Button>}
    </div>
  );
}
