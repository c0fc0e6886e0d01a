/** A cell of the manual: an example in an editor, with what it prints below. */

import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui/Button";
import { messageOf } from "../ui/messages";
import { Editor, type Jump } from "./Editor";
import type { CellRunner } from "./run/cells";
import { Stopped } from "./run/runner";
import type { CellError } from "./run/words";

interface Props {
  /** The example of the page. */
  example: string;
  /** The earlier examples that it needs. */
  before: string[];
  runner: CellRunner;
  onClose: () => void;
}

export function Example({ example, before, runner, onClose }: Props) {
  const [text, setText] = useState(example);
  const [running, setRunning] = useState(false);
  const [status, setStatus] = useState("");
  const [printed, setPrinted] = useState<string | null>(null);
  const [error, setError] = useState<CellError | null>(null);
  const [jump, setJump] = useState<Jump | null>(null);
  const root = useRef<HTMLElement>(null);
  useEffect(() => root.current?.querySelector("textarea")?.focus({ preventScroll: true }), []);
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);
  const run = async () => {
    if (runner.busy.value) return;
    stop.current = () => runner.stop();
    setRunning(true);
    setError(null);
    setPrinted("");
    try {
      const found = await runner.run({ code: text, before }, setStatus, (more) => setPrinted((old) => (old ?? "") + more));
      setError(found);
      setStatus(found ? "" : "Done.");
    } catch (reason) {
      setStatus(reason instanceof Stopped ? "Stopped." : messageOf(reason));
    } finally {
      stop.current = () => {};
      setRunning(false);
    }
  };
  return (
    <section ref={root} class="cell" aria-label="Example">
      <Editor
        text={text}
        label="Example, in Python"
        onText={(now) => {
          setText(now);
          setError(null);
        }}
        onRun={() => void run()}
        line={error?.line ?? null}
        stepLine={null}
        jump={jump}
      />
      <div class="cell-buttons">
        <Button look="primary" disabled={runner.busy.value} title="Ctrl and Enter" onClick={() => void run()}>
          Run
        </Button>
        <Button disabled={!running} onClick={() => runner.stop()}>
          Stop
        </Button>
        <Button disabled={text === example} onClick={() => setText(example)}>
          Start over
        </Button>
        <Button onClick={onClose}>Close</Button>
        <p class="cell-status" role="status">
          {status}
        </p>
      </div>
      {printed && <pre aria-label="Output">{printed}</pre>}
      {error && (
        <div class="alert" role="alert">
          <p>{error.message}</p>
          {error.line !== null && (
            <Button onClick={() => setJump({ line: error.line! })}>Go to line {error.line}</Button>
          )}
        </div>
      )}
      <p class="cell-note">
        {!runner.loaded.value &&
          `Python runs inside this page. The first run loads it from this site: ${runner.megabytes} MB. `}
        {before.length > 0 && "The examples above run first."}
      </p>
    </section>
  );
}
