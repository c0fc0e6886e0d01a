/** The twelve phases, each with its state as a word and as a shape. */

import { PHASES, type Phase } from "./phases";
import type { PhaseReport, PhaseState } from "./report";

const WORDS: Record<PhaseState, string> = {
  passed: "passed",
  wrong: "a mistake",
  missing: "not written yet",
  limit: "right, up to a limit",
  waiting: "waits for an earlier phase",
};

/** Shapes that differ without their colours. */
const SHAPES: Record<PhaseState, string> = {
  passed: "M4.5 10.5l3.6 3.8 7.4-8.6",
  wrong: "M5.5 5.5l9 9M14.5 5.5l-9 9",
  missing: "",
  limit: "M4 14h12M10 14V6M6.5 9.5L10 6l3.5 3.5",
  waiting: "M6 10h.01M10 10h.01M14 10h.01",
};

export function StateMark({ state }: { state: PhaseState }) {
  return (
    <svg class={`state-mark state-${state}`} viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      {state === "wrong" ? (
        <rect class="ground" x="1.5" y="1.5" width="17" height="17" rx="3" />
      ) : (
        <circle class="ground" cx="10" cy="10" r="8.5" />
      )}
      {SHAPES[state] && <path class="sign" d={SHAPES[state]} />}
    </svg>
  );
}

interface Props {
  phases: readonly PhaseReport[];
  /** The phase of the chapter that shows the list. */
  current?: number;
}

export function Phases({ phases, current }: Props) {
  const passed = phases.filter(({ state }) => state === "passed" || state === "limit").length;
  return (
    <section class="phases" aria-label="Phases">
      <h2>
        Twelve phases <span class="note">{passed} of 12 passed</span>
      </h2>
      <ol>
        {PHASES.map((phase, at) => (
          <PhaseRow key={phase.phase} phase={phase} report={phases[at]!} current={phase.phase === current} />
        ))}
      </ol>
    </section>
  );
}

function PhaseRow({ phase, report, current }: { phase: Phase; report: PhaseReport; current: boolean }) {
  const { state, checks, failed } = report;
  const count = checks ? ` ${failed ? `${failed} of ${checks} checks fail.` : `${checks} checks ran.`}` : "";
  return (
    <li class={`phase state-${state} ${current ? "current" : ""}`} aria-current={current ? "step" : undefined}>
      <details>
        <summary>
          <StateMark state={state} />
          <span class="phase-number">{phase.phase}</span>
          <span class="phase-title">{phase.title}</span>
          <span class="phase-state">{WORDS[state]}</span>
        </summary>
        <p>{phase.asks}</p>
        <p class="note">
          {phase.why}
          {count}
        </p>
        {!current && (
          <p>
            <a href={`#/lessons/build-${phase.phase}`}>Chapter {phase.phase} of Build it yourself</a>
          </p>
        )}
      </details>
    </li>
  );
}
