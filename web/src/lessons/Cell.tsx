/** The place to write the engine. The workshop is loaded when a chapter with such a place is opened. */

import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../ui/messages";
import type { CellBlock } from "./content";
import { Spans } from "./Spans";

type Workshop = typeof import("../workshop/chapter");

export function Cell({ block: { spans, phase } }: { block: CellBlock }) {
  const [loaded, setLoaded] = useState<{ workshop?: Workshop; error?: string }>({});
  useEffect(() => {
    import("../workshop/chapter").then(
      (workshop) => setLoaded({ workshop }),
      (error: unknown) => setLoaded({ error: messageOf(error) }),
    );
  }, []);
  const { workshop, error } = loaded;
  return (
    <section class="cell" aria-label="Your engine">
      <p class="cell-ask">
        <Spans spans={spans} />
      </p>
      {workshop && <workshop.ChapterCell phase={phase} />}
      {error && (
        <p class="alert" role="alert">
          The editor could not be loaded: {error}. Reload the page.
        </p>
      )}
      {!workshop && !error && <p class="waiting">Loading the editor …</p>}
    </section>
  );
}
