/** The page Workshop: write the engine yourself, and read what is wrong with it. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../ui/Button";
import { save } from "../ui/files";
import { messageOf } from "../ui/messages";
import { ofSite } from "../ui/studio";
import { Editor, type Jump } from "./Editor";
import { FindingView } from "./Finding";
import { linkOf } from "./link";
import { Phases } from "./PhaseList";
import { PHASES } from "./phases";
import { progress, readProgress } from "./progress";
import type { Report } from "./report";
import { BrowserRunner } from "./run/browser";
import type { Runner } from "./run/runner";
import { ServerRunner } from "./run/server";
import { Store } from "./store";

export interface PageProps {
  /** "code=…" of a link; else "". */
  rest: string;
}

/** The size of Python on a site that has it, in megabytes; else "". */
function sizeOfPython(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="gradwalk-python"]')?.content ?? "";
}

function runnerHere(): Runner | null {
  if (!ofSite()) return new ServerRunner();
  const size = sizeOfPython();
  return size ? new BrowserRunner(size) : null;
}

export function Page({ rest }: PageProps) {
  const store = useMemo(() => new Store(runnerHere()), []);
  const [jump, setJump] = useState<Jump | null>(null);
  useEffect(readProgress, []);
  useEffect(() => void store.follow(rest), [store, rest]);
  useEffect(() => () => store.stop(), [store]);
  return (
    <div class="workshop">
      <h1 class="visually-hidden">Workshop</h1>
      <div class="workshop-left">
        <Tools store={store} />
        {store.origin.value === "link" && <FromLink store={store} />}
        <Editor
          text={store.source.value}
          onText={(text) => store.write(text)}
          onRun={() => void store.run()}
          line={store.line.value}
          stepLine={store.stale.value ? null : store.stepLine.value}
          jump={jump}
        />
        <RunRow store={store} />
        <Phases phases={store.phases.value} />
      </div>
      <div class="workshop-right">
        <Judged store={store} onLine={(line) => setJump({ line })} />
      </div>
    </div>
  );
}

function Tools({ store }: { store: Store }) {
  const chosen = useRef<HTMLInputElement>(null);
  const share = async () => {
    try {
      const { href } = new URL(`#/workshop/${await linkOf(store.source.value)}`, location.href);
      await navigator.clipboard.writeText(href);
      store.said.value = "The link is copied. It contains the whole file.";
    } catch (error) {
      store.trouble.value = messageOf(error);
    }
  };
  return (
    <div class="workshop-tools" role="group" aria-label="File">
      <span class="file-name">{store.name.value}</span>
      <Button onClick={() => confirm("Start with an empty engine? Save your file first.") && store.startAgain()}>New</Button>
      <Button onClick={() => chosen.current?.click()}>Open</Button>
      <input
        ref={chosen}
        type="file"
        accept=".py,text/x-python"
        hidden
        aria-label="Open a file"
        onChange={async ({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file) store.open(await file.text(), file.name);
          currentTarget.value = "";
        }}
      />
      <Button onClick={() => save(store.name.value, store.source.value, "text/x-python")}>Save</Button>
      <Button onClick={() => void share()}>Copy link</Button>
      <Button onClick={() => save("progress.json", JSON.stringify(progress.value, null, 2), "application/json")}>
        Save progress
      </Button>
    </div>
  );
}

function FromLink({ store }: { store: Store }) {
  const place = ofSite() ? "in this page, inside your browser" : "on your computer, with your rights";
  return (
    <div class="from-link" role="status">
      <p>
        <strong>This code came with a link. It has not been run.</strong> If you run it, it runs {place}. Read it first.
      </p>
      <div class="from-link-buttons">
        <Button onClick={() => store.accept()}>I have read it: use this code</Button>
        <Button onClick={() => store.decline()}>Back to my file</Button>
      </div>
    </div>
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

function Judged({ store, onLine }: { store: Store; onLine: (line: number) => void }) {
  const report = store.report.value;
  if (!report) return <Start />;
  const finding = store.finding.value;
  const count = report.findings.length;
  const at = store.at.value;
  return (
    <section class={`judged ${store.stale.value ? "stale" : ""}`} aria-label="Result">
      {report.error && <Unusable error={report.error} onLine={onLine} />}
      {!report.error && count === 0 && <Right report={report} />}
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

function Start() {
  return (
    <section class="start card">
      <h2>Write the engine yourself</h2>
      <p>
        A class of numbers that record what is computed with them, and <code>backward()</code>, which finds all
        gradients. Twelve phases lead from an empty file to a network that learns XOR.
      </p>
      <p>
        Run checks the phases that are written, and ignores the others. For a mistake you get its name, a small program,
        and two walks: yours, and the right one at the first step where they differ.
      </p>
      <h3>Phase 1: {PHASES[0]!.title}</h3>
      <p>{PHASES[0]!.asks}</p>
      <p class="note">
        <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs. <kbd>Tab</kbd> indents; <kbd>Esc</kbd> and then <kbd>Tab</kbd> leaves the
        editor. Your file is kept in this browser.
      </p>
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

function Right({ report }: { report: Report }) {
  const next = PHASES.find((_, at) => report.phases[at]?.state === "missing");
  return (
    <section class="finding fine" role="status">
      <h2>{next ? "Everything that is written is right" : "The engine is complete, and right"}</h2>
      {next ? (
        <>
          <h3>
            Next, phase {next.phase}: {next.title}
          </h3>
          <p>{next.asks}</p>
          <p class="note">{next.why}</p>
        </>
      ) : (
        <p>All twelve phases are passed. The same numbers, the same gradients, from your own code.</p>
      )}
    </section>
  );
}
