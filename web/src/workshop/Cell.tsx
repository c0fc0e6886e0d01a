/** The editor with Run and Stop. */

import { Button } from "../ui/Button";
import { ofSite } from "../ui/studio";
import { Editor, type Jump } from "./Editor";
import { sizeOfPython } from "./here";
import type { Store } from "./store";

interface Props {
  store: Store;
  jump: Jump | null;
}

export function Cell({ store, jump }: Props) {
  return (
    <>
      <Editor
        text={store.source.value}
        onText={(text) => store.write(text)}
        onRun={() => void store.run()}
        line={store.line.value}
        stepLine={store.stale.value ? null : store.stepLine.value}
        jump={jump}
      />
      <RunRow store={store} />
    </>
  );
}

function RunRow({ store }: { store: Store }) {
  const running = store.running.value;
  const size = sizeOfPython();
  return (
    <div class="run-row">
      <div class="run-buttons">
        <Button
          look="primary"
          disabled={!store.runner || !!running || store.origin.value === "link"}
          title="Ctrl and Enter"
          onClick={() => void store.run()}
        >
          Run
        </Button>
        <Button disabled={!running} onClick={() => store.stop()}>
          Stop
        </Button>
        <p class="run-status" role="status">
          {running || store.said.value || (store.stale.value ? "The file has changed since the last run." : "")}
        </p>
      </div>
      {store.trouble.value && (
        <p class="alert" role="alert">
          {store.trouble.value}
        </p>
      )}
      <p class="note">
        {!ofSite()
          ? `This runs ${store.name.value} on your computer, with your rights. Run only what you wrote or have read.`
          : size
            ? `Python runs in this page, inside your browser. The first run loads it from this site: ${size} MB.`
            : "This site has no Python. Save the file, and run: gradwalk workshop my_engine.py"}
      </p>
    </div>
  );
}
