/** Start, step, rewind; where the training is; how it stands with the server. */

import type { ComponentChildren } from "preact";
import { STOPPED } from "./fields";
import type { TrainingRoom } from "./room";
import type { Link } from "./connection";
import { exact, long } from "../engine";

export function Transport({ room, help }: { room: TrainingRoom; help: () => void }) {
  const running = room.running.value;
  const stuck = room.stopped.value !== "" && !running;
  const empty = stuck && room.points.value.length === 0;
  return (
    <header class="transport">
      <div class="transport-buttons" role="group" aria-label="Training">
        <Deed
          room={room}
          words={running ? "Pause" : "Start"}
          stuck={stuck}
          primary
          act={() => room.toggle()}
        >
          <Icon d={running ? "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z" : "M7 4.5v15l12-7.5z"} />
        </Deed>
        <Deed room={room} words="Step" name="Step one update" stuck={stuck} act={() => room.step()}>
          <Icon d="M6 5v14l8-7zM16 5h2.6v14H16z" />
        </Deed>
        <Deed
          room={room}
          words="Rewind"
          title="Same seed: the same run"
          stuck={empty}
          act={() => room.rewind()}
        >
          <Icon d="M12 5a7 7 0 1 1-6.3 4M5 4v5h5" line />
        </Deed>
      </div>
      <label class="speed">
        <span class="roomy">Speed</span>
        <select
          aria-label="Speed"
          class="field"
          value={room.speed.value}
          onChange={(event) => room.setSpeed(Number(event.currentTarget.value))}
        >
          <option value={0}>full speed</option>
          <option value={1}>1 per frame</option>
          <option value={5}>5 per frame</option>
          <option value={25}>25 per frame</option>
        </select>
      </label>
      <Figures room={room} />
      <LinkState link={room.link.value} again={() => room.reconnect()} />
      <button type="button" class="button quiet" aria-label="Keyboard help" onClick={help}>
        ?
      </button>
    </header>
  );
}

interface DeedProps {
  room: TrainingRoom;
  words: string;
  name?: string;
  title?: string;
  /** The run cannot do it now; the alert says why. */
  stuck: boolean;
  primary?: boolean;
  act: () => void;
  children: ComponentChildren;
}

/** A button that keeps the focus while it is of no use, so that nobody is lost when a run has stopped. */
function Deed({ room, words, name, title, stuck, primary = false, act, children }: DeedProps) {
  return (
    <button
      type="button"
      class={primary ? "button primary start" : "button"}
      aria-label={name ?? words}
      title={stuck ? room.stopped.value : title}
      disabled={room.link.value.state !== "connected" || !room.frame.value}
      aria-disabled={stuck}
      aria-describedby={stuck ? STOPPED : undefined}
      onClick={() => stuck || act()}
    >
      {children}
      {primary ? words : <span class="roomy">{words}</span>}
    </button>
  );
}

function Icon({ d, line = false }: { d: string; line?: boolean }) {
  return (
    <svg class={line ? "icon line" : "icon"} viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={d} />
    </svg>
  );
}

function Figures({ room }: { room: TrainingRoom }) {
  const frame = room.frame.value;
  const count = (n: number | undefined) => (n === undefined ? "–" : n.toLocaleString("en"));
  const loss = frame?.loss;
  const accuracy = frame?.accuracy;
  const percent = (share: number) => `${Number((100 * share).toFixed(1))} %`;
  return (
    <div class="figures">
      <Figure name="Update" value={count(frame?.step)} />
      <Figure name="Epoch" value={count(frame?.epoch)} />
      <Figure
        name="Loss"
        value={loss === null || loss === undefined ? "–" : long(loss)}
        title={loss === null || loss === undefined ? undefined : exact(loss)}
      />
      <Figure
        name="Accuracy"
        value={accuracy === null || accuracy === undefined ? "–" : percent(accuracy)}
        title={accuracy === null || accuracy === undefined ? undefined : String(accuracy)}
      />
    </div>
  );
}

/** Not a live region: at thirty frames a second nobody could listen. */
function Figure({ name, value, title }: { name: string; value: string; title?: string }) {
  return (
    <div class="figure">
      <span class="figure-name">{name}</span>
      <output class="number" aria-label={name} aria-live="off" title={title}>
        {value}
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
      {link.state === "lost" && (
        <button type="button" class="button" onClick={again}>
          Connect again
        </button>
      )}
    </div>
  );
}
