/** The result of a run: one finding at a time. */

import type { ComponentChildren } from "preact";
import { Button } from "../ui/Button";
import { FindingView } from "./Finding";
import type { Report } from "./report";
import type { Store } from "./store";

interface Props {
  store: Store;
  onLine: (line: number) => void;
  /** What is shown of a report without findings. */
  fine: (report: Report) => ComponentChildren;
  /** Whether keys step the walks from anywhere on the page. */
  everywhere: boolean;
}

export function Judged({ store, onLine, fine, everywhere }: Props) {
  const report = store.report.value;
  if (!report) return null;
  const finding = store.finding.value;
  const count = store.findings.value.length;
  const at = store.at.value;
  return (
    <section class={`judged ${store.stale.value ? "stale" : ""}`} aria-label="Result">
      {report.error && <Unusable error={report.error} onLine={onLine} />}
      {!report.error && count === 0 && fine(report)}
      {count > 1 && (
        <div class="finding-steps" role="group" aria-label="Findings">
          <Button disabled={at === 0} onClick={() => store.look(at - 1)}>
            Previous
          </Button>
          <span role="status">
            {at + 1} of {count}
          </span>
          <Button disabled={at === count - 1} onClick={() => store.look(at + 1)}>
            Next
          </Button>
        </div>
      )}
      {finding && (
        <FindingView
          key={`${at} ${finding.id} ${finding.program}`}
          finding={finding}
          opened={store.hintsOf(finding)}
          onHint={() => store.hint(finding)}
          onLine={onLine}
          onStep={(line) => (store.stepLine.value = line)}
          everywhere={everywhere}
        />
      )}
      {report.printed && (
        <details class="printed">
          <summary>What your program printed</summary>
          <pre>{report.printed}</pre>
        </details>
      )}
    </section>
  );
}

function Unusable({ error, onLine }: { error: NonNullable<Report["error"]>; onLine: (line: number) => void }) {
  return (
    <section class="finding wrong" role="alert">
      <h2>The file cannot be judged</h2>
      <pre>{error.message}</pre>
      {error.line !== null && <Button onClick={() => onLine(error.line!)}>Go to line {error.line}</Button>}
    </section>
  );
}
