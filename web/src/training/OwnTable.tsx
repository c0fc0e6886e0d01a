/** Points of one's own from a table: a file or pasted text; and back into a file. */

import { useSignal } from "@preact/signals";
import { Complaint } from "./fields";
import type { TrainingRoom } from "./room";

const EXAMPLE = "x,y,label\n0.5,1.2,0\n-0.3,0.4,1";

export function OwnTable({ room }: { room: TrainingRoom }) {
  const text = useSignal("");
  /** The same file may be opened again after it was changed. */
  const open = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (file) text.value = (await room.readFile(file)) ?? text.value;
    input.value = "";
  };
  return (
    <details class="own-table">
      <summary>Your own table (CSV)</summary>
      <p class="note">
        Three columns: x, y and a label of two kinds, in this order or named in the first line. Commas,
        semicolons or tabs between them; decimal commas are read.
      </p>
      <label class="button file">
        Open a file …
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          onChange={(event) => void open(event.currentTarget)}
        />
      </label>
      <label class="setting">
        <span class="setting-name">or paste the lines</span>
        <textarea
          class="field"
          rows={5}
          spellcheck={false}
          placeholder={EXAMPLE}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </label>
      <button
        type="button"
        class="button"
        disabled={text.value.trim() === ""}
        onClick={() => room.read(text.value)}
      >
        Read the table
      </button>
      {room.tableRefusal.value && (
        <div class="alert">
          <Complaint refusal={room.tableRefusal.value} />
        </div>
      )}
      {room.table.value && (
        <div class="found" role="status">
          <p>{room.table.value.words}</p>
          <button type="button" class="button primary" onClick={() => room.useTable()}>
            Use these points
          </button>
        </div>
      )}
    </details>
  );
}
