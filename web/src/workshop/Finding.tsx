/** One mistake: its name, its program, both walks, and the hints. */

import { Button } from "../ui/Button";
import { alike, shown } from "./observed";
import { PHASES } from "./phases";
import type { Certainty, Finding } from "./report";
import { Walks } from "./Walks";

interface Props {
  finding: Finding;
  /** How many hints are open. */
  opened: number;
  onHint: () => void;
  /** Shows a line in the editor. */
  onLine: (line: number) => void;
  /** Gets the line of each step of the walk. */
  onStep: (line: number | null) => void;
  /** Whether keys step the walks from anywhere on the page. */
  everywhere: boolean;
}

export function FindingView({ finding, opened, onHint, onLine, onStep, everywhere }: Props) {
  const { level, op, phase, title, says, certainty, line, others, walk, compared, again } = finding;
  return (
    <article class={`finding ${level}`}>
      <header>
        <p class="finding-place">
          <span class="finding-level">{LEVELS[level]}</span> Phase {phase}: {PHASES[phase - 1]?.title ?? ""}
          {op && (
            <>
              {" "}
              · <code>{op}</code>
            </>
          )}
        </p>
        <h2 tabIndex={-1}>
          <Words text={title} />
        </h2>
        {says && (
          <p class="finding-says">
            <Words text={says} />
          </p>
        )}
        {certainty && <p class="note">{certaintyOf(certainty, finding.explains)}</p>}
        {others.length > 0 && (
          <div class="note">
            These mistakes give exactly the same numbers:
            <ul>
              {others.map((one) => (
                <li key={one}>
                  <Words text={one} />
                </li>
              ))}
            </ul>
          </div>
        )}
      </header>
      <Program finding={finding} />
      {walk && <Walks key={finding.id + finding.program} walk={walk} onLine={onStep} everywhere={everywhere} />}
      {compared.length > 0 && (
        <table class="compared">
          <caption>The numbers of this program</caption>
          <thead>
            <tr>
              <th scope="col">of</th>
              <th scope="col">yours</th>
              <th scope="col">right</th>
            </tr>
          </thead>
          <tbody>
            {compared.map(({ name, yours, right }) => (
              <tr key={name} class={alike(yours, right) ? "" : "differs"}>
                <th scope="row">{name}</th>
                <td>{shown(yours)}</td>
                <td>{shown(right)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Hints finding={finding} opened={opened} onHint={onHint} />
      <footer class="finding-more">
        {line !== null && <Button onClick={() => onLine(line)}>Go to line {line}</Button>}
        <Why finding={finding} />
      </footer>
      {again && <p class="finding-again">Fix this and run again: it may hide other mistakes.</p>}
    </article>
  );
}

const LEVELS = { wrong: "Mistake", limit: "Limit", remark: "Remark" };

function certaintyOf(certainty: Certainty, explains: number): string {
  const programs = `${explains} ${explains === 1 ? "program" : "programs"}`;
  if (certainty === "exact") return `With this mistake, all numbers of ${programs} come out as yours do.`;
  if (certainty === "likely") return `This mistake explains ${programs}, but not every number. There may be another one.`;
  return "The place is certain. What is wrong there is not known.";
}

function Program({ finding: { program, values } }: { finding: Finding }) {
  if (!program) return null;
  return (
    <section class="program" aria-label="The program">
      <pre>
        <code>
          {values.map(([name, value]) => (
            <span key={name} class="program-value">
              {`${name} = Value(${shown(value)})\n`}
            </span>
          ))}
          {program}
        </code>
      </pre>
    </section>
  );
}

const NAMES = ["Nudge", "Pointer", "Line"];

/** Hints open one after another, and stay open. */
function Hints({ finding: { hints }, opened, onHint }: { finding: Finding; opened: number; onHint: () => void }) {
  if (!hints.length) return null;
  return (
    <section class="hints" aria-label="Hints">
      <h3>Hints</h3>
      <div class="hint-buttons">
        {hints.map((_, at) => (
          <Button key={at} aria-expanded={at < opened} aria-disabled={at > opened} onClick={() => at === opened && onHint()}>
            {at + 1} {NAMES[at] ?? "More"}
          </Button>
        ))}
      </div>
      <ol aria-live="polite">
        {hints.slice(0, opened).map((hint, at) => (
          <li key={at}>{at === NAMES.length - 1 ? <code>{plain(hint)}</code> : <Words text={hint} />}</li>
        ))}
      </ol>
    </section>
  );
}

/** A line of code may come in backticks, which the page does not need. */
function plain(code: string): string {
  return /^`[^`]*`$/.test(code) ? code.slice(1, -1) : code;
}

/** Text with code in backticks. */
function Words({ text }: { text: string }) {
  return <>{text.split("`").map((piece, at) => (at % 2 ? <code key={at}>{piece}</code> : piece))}</>;
}

const LESSONS = ["numbers", "chain", "paths", "order", "neuron", "tensors"];

function Why({ finding: { lesson, misconception } }: { finding: Finding }) {
  const number = LESSONS.indexOf(lesson ?? "") + 1;
  if (!number && !misconception) return null;
  return (
    <p class="why">
      Why:{" "}
      {number > 0 && <a href={`#/lessons/${number}`}>lesson {number}</a>}
      {number > 0 && misconception && " · "}
      {misconception && <a href={`#/misconceptions/${misconception}`}>the misconception, step by step</a>}
    </p>
  );
}
