/** The workshop within a chapter: the same file, and the phase that the chapter is about. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { Button } from "../ui/Button";
import { save } from "../ui/files";
import { Cell } from "./Cell";
import type { Jump } from "./Editor";
import { runnerHere } from "./here";
import { Judged } from "./Judged";
import { Phases, StateMark } from "./PhaseList";
import { PHASES } from "./phases";
import { progress, readProgress } from "./progress";
import type { PhaseReport, Report } from "./report";
import { Store } from "./store";

export function ChapterCell({ phase }: { phase: number }) {
  const store = useMemo(() => new Store(runnerHere(), phase), [phase]);
  const [jump, setJump] = useState<Jump | null>(null);
  useEffect(readProgress, []);
  useEffect(() => () => store.stop(), [store]);
  return (
    <div class="workshop">
      <div class="workshop-left">
        <div class="workshop-tools" role="group" aria-label="File">
          <span class="file-name">{store.name.value}</span>
          <Button onClick={() => save(store.name.value, store.source.value, "text/x-python")}>Save</Button>
          <a class="button" href="#/workshop">
            Open in the workshop
          </a>
        </div>
        <Cell store={store} jump={jump} />
      </div>
      <div class="workshop-right">
        <Status store={store} phase={phase} />
        <Judged
          store={store}
          onLine={(line) => setJump({ line })}
          fine={(report) => <Later report={report} phase={phase} />}
          everywhere={false}
        />
        <Phases phases={store.phases.value} current={phase} />
      </div>
    </div>
  );
}

interface Said {
  state: PhaseReport["state"];
  title: string;
  advice: string;
}

/** Whether the phase of the chapter is passed, and what is missing. */
function Status({ store, phase }: { store: Store; phase: number }) {
  const { state, title, advice } = saidOf(store, phase);
  return (
    <div class={`chapter-phase state-${state}`} role="status">
      <StateMark state={state} />
      <div>
        <p>
          <strong>
            Phase {phase}, {PHASES[phase - 1]!.title}, {title}
          </strong>
        </p>
        <p class="note">{advice}</p>
      </div>
    </div>
  );
}

function saidOf(store: Store, phase: number): Said {
  const report = store.report.value;
  if (!report || report.error) return unchecked(progress.value.phases[phase]);
  const judged = store.phases.value[phase - 1]!;
  const earlier = store.findings.value.find((finding) => finding.level === "wrong" && finding.phase < phase);
  if (judged.state === "passed" && earlier) {
    return { state: "wrong", title: `is passed, but phase ${earlier.phase} has a mistake.`, advice: AGAIN };
  }
  return { state: judged.state, title: TITLES[judged.state], advice: adviceOn(judged, report) };
}

/** What is said before the first run. `day` is the day on which the phase was passed before. */
function unchecked(day: string | undefined): Said {
  const advice = day ? `It was passed on ${day}. Press Run to check the file again.` : "Write the code, and press Run.";
  return { state: "missing", title: "is not checked yet.", advice };
}

const AGAIN = "Fix the mistake below, and run again.";

const TITLES: Record<PhaseReport["state"], string> = {
  passed: "is passed.",
  wrong: "has a mistake.",
  missing: "is not written yet.",
  limit: "is right up to a limit.",
  waiting: "waits for an earlier mistake.",
};

function adviceOn({ state, checks, failed, phase }: PhaseReport, { missing }: Report): string {
  const ran = `${checks} ${checks === 1 ? "check" : "checks"} ran.`;
  const optional = phase === 6 && missing.length > 0;
  switch (state) {
    case "passed":
      return optional ? `${ran} Not written yet: ${missing.join(", ")}.` : `${ran} Continue below.`;
    case "wrong":
      return `${failed} of ${checks} checks fail. The mistake is named below.`;
    case "missing":
      return PHASES[phase - 1]!.asks;
    case "limit":
      return "It works, but not for every size. The limit is named below.";
    case "waiting":
      return AGAIN;
  }
}

/** Findings of later phases are not of this chapter. */
function Later({ report: { findings }, phase }: { report: Report; phase: number }) {
  const later = [...new Set(findings.map((finding) => finding.phase))].filter((one) => one > phase).sort((a, b) => a - b);
  if (!later.length) return null;
  return (
    <p class="note">
      There is something to do in {later.length === 1 ? "phase" : "phases"} {later.join(", ")}. Later chapters are
      about that.
    </p>
  );
}
