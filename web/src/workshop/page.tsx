/** The page Workshop: write the engine yourself, and read what is wrong with it. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../ui/Button";
import { save } from "../ui/files";
import { messageOf } from "../ui/messages";
import { ofSite } from "../ui/studio";
import { Cell } from "./Cell";
import type { Jump } from "./Editor";
import { runnerHere } from "./here";
import { Judged } from "./Judged";
import { linkOf } from "./link";
import { Phases } from "./PhaseList";
import { PHASES } from "./phases";
import { progress, readProgress } from "./progress";
import type { Report } from "./report";
import { Store } from "./store";

export interface PageProps {
  /** "code=…" of a link; else "". */
  rest: string;
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
        <Cell store={store} jump={jump} />
        <Phases phases={store.phases.value} />
      </div>
      <div class="workshop-right">
        {!store.report.value && <Start />}
        <Judged
          store={store}
          onLine={(line) => setJump({ line })}
          fine={(report) => <Right report={report} />}
          everywhere
        />
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
      <p>
        <a href="#/lessons/build-1">Build it yourself</a> is a course with a chapter for each phase. It uses the same
        file.
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
