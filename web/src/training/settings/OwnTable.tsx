/** The user's points from a table: a file or pasted text. */

import { useSignal } from "@preact/signals";
import { Complaint } from "./fields";
import type { TrainingRoom } from "../run/room";
import { Button } from "../../ui/Button";

const EXAMPLE = "x,y,label\n0.5,1.2,0\n-0.3,0.4,1";

export function OwnTable({ room }: { room: TrainingRoom }) {
  const text = useSignal("");
  /** Clears the input, so that the same file can be opened again after a change. */
  const open = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (file) text.value = (await room.readFile(file)) ?? text.value;
    input.value = "";
  };
  return (
    <details class="own-table">
      <summary>Your own table (CSV)</summary>
      <p class="note">
        Three columns: x, y and a label with two values, in this order or named in the first line. Separate
        them with commas, semicolons or tabs. Decimal commas are accepted.
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
      <Button disabled={text.value.trim() === ""} onClick={() => room.read(text.value)}>
        Read the table
      </Button>
      {room.tableRefusal.value && (
        <div class="alert">
          <Complaint refusal={room.tableRefusal.value} />
        </div>
      )}
      {room.table.value && (
        <div class="found" role="status">
          <p>{room.table.value.words}</p>
          <Button look="primary" onClick={() => room.useTable()}>
            Use these points
          </Button>
        </div>
      )}
    </details>
  );
}
