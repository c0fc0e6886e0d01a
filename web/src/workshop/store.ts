/** The state of the workshop: the file, its last report, and what of the report is shown. */

import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { messageOf } from "../ui/messages";
import { codeOf } from "./link";
import { PHASES, SKELETON } from "./phases";
import { countHint, countRun, dayOf, hashOf } from "./progress";
import type { Finding, PhaseReport, Report } from "./report";
import { Stopped, type Runner } from "./run/runner";

const KEY = "gradwalk-workshop";
const NAME = "my_engine.py";

/** Where the file comes from: the user, or a link, whose code is shown and not run. */
export type Origin = "own" | "link";

export class Store {
  readonly source = signal(SKELETON);
  readonly name = signal(NAME);
  readonly origin: Signal<Origin> = signal<Origin>("own");
  /** What is happening, in words; "" between two runs. */
  readonly running = signal("");
  readonly report: Signal<Report | null> = signal<Report | null>(null);
  /** The text that the report is about. */
  readonly judged = signal("");
  /** Why there is no report, or what has happened to a file. */
  readonly trouble = signal("");
  readonly said = signal("");
  /** Which of the findings is shown. */
  readonly at = signal(0);
  /** How many hints of each finding are open. */
  readonly opened = signal<Readonly<Record<string, number>>>({});
  /** The line that the walk is at, if it is known. */
  readonly stepLine: Signal<number | null> = signal<number | null>(null);

  /** Whether the file has changed since the report. */
  readonly stale: ReadonlySignal<boolean> = computed(() => this.report.value !== null && this.judged.value !== this.source.value);
  /** The findings to show. In a chapter, those of later phases are left out, unless one of them holds its phase up. */
  readonly findings: ReadonlySignal<Finding[]> = computed(() => {
    const all = this.report.value?.findings ?? [];
    const own = all.filter(({ phase }) => phase <= this.last);
    return own.length || this.phases.value[this.last - 1]?.state !== "waiting" ? own : all;
  });
  readonly finding: ReadonlySignal<Finding | null> = computed(() => this.findings.value[this.at.value] ?? null);
  /** The line to look at; null if the file has changed since. */
  readonly line: ReadonlySignal<number | null> = computed(() => {
    if (this.stale.value) return null;
    return this.finding.value?.line ?? this.report.value?.error?.line ?? null;
  });
  readonly phases: ReadonlySignal<PhaseReport[]> = computed(() => {
    const found = new Map(this.report.value?.phases.map((one) => [one.phase, one]));
    return PHASES.map(({ phase }) => found.get(phase) ?? { phase, state: "missing", checks: 0, failed: 0 });
  });

  /** `last` is the last phase whose findings are shown. */
  constructor(
    readonly runner: Runner | null,
    readonly last = PHASES.length,
  ) {
    const kept = stored();
    if (kept) [this.source.value, this.name.value] = [kept.source, kept.name];
  }

  // --- the file -----------------------------------------------------------------------------------

  /** Takes what the user has typed. */
  write(text: string): void {
    this.source.value = text;
    this.said.value = "";
    this.keep();
  }

  /** Opens another file of the user. */
  open(text: string, name: string): void {
    batch(() => {
      this.forget();
      this.origin.value = "own";
      this.name.value = name;
      this.write(text.replace(/\r\n?/g, "\n"));
    });
  }

  startAgain(): void {
    this.open(SKELETON, NAME);
  }

  /** Shows the code of an address, if it carries any. The user's own file stays stored. */
  async follow(rest: string): Promise<void> {
    try {
      const code = await codeOf(rest);
      if (code === null || code === this.source.value) return;
      batch(() => {
        this.forget();
        this.origin.value = "link";
        this.source.value = code;
      });
    } catch (error) {
      this.trouble.value = messageOf(error);
    }
  }

  /** Makes the code of a link the user's own, which may be run. */
  accept(): void {
    this.origin.value = "own";
    this.keep();
  }

  /** Returns from the code of a link to the user's own file. */
  decline(): void {
    const kept = stored();
    this.open(kept?.source ?? SKELETON, kept?.name ?? NAME);
  }

  private forget(): void {
    this.stop();
    this.report.value = null;
    this.trouble.value = this.said.value = "";
    this.at.value = 0;
    this.opened.value = {};
    this.stepLine.value = null;
  }

  private keep(): void {
    if (this.origin.value !== "own") return;
    try {
      localStorage.setItem(KEY, JSON.stringify({ source: this.source.value, name: this.name.value }));
    } catch {
      // the file lasts for this visit only
    }
  }

  // --- runs ---------------------------------------------------------------------------------------

  /** Runs the file, unless it came from a link and was not accepted. */
  async run(): Promise<void> {
    if (!this.runner || this.running.value || this.origin.value !== "own") return;
    const text = this.source.value;
    batch(() => {
      this.trouble.value = this.said.value = "";
      this.running.value = "Running …";
    });
    try {
      const report = await this.runner.run({ text, name: this.name.value }, (words) => (this.running.value = words));
      const hash = await hashOf(text);
      if (report.phases.length) countRun(report, dayOf(new Date()), hash);
      this.show(report, text);
    } catch (error) {
      if (error instanceof Stopped) this.said.value = "Stopped. Nothing was judged.";
      else this.trouble.value = messageOf(error);
    } finally {
      this.running.value = "";
    }
  }

  stop(): void {
    this.runner?.stop();
  }

  private show(report: Report, text: string): void {
    const before = this.finding.peek();
    batch(() => {
      this.report.value = report;
      this.judged.value = text;
      this.stepLine.value = null;
      // a mistake that is still there keeps its place and its hints
      const same = before ? this.findings.value.findIndex((one) => keyOf(one) === keyOf(before)) : -1;
      this.at.value = Math.max(0, same);
    });
  }

  // --- the report ---------------------------------------------------------------------------------

  look(at: number): void {
    const last = Math.max(this.findings.value.length, 1) - 1;
    batch(() => {
      this.at.value = Math.min(Math.max(at, 0), last);
      this.stepLine.value = null;
    });
  }

  hintsOf(finding: Finding): number {
    return this.opened.value[keyOf(finding)] ?? 0;
  }

  /** Opens the next hint of a finding. */
  hint(finding: Finding): void {
    const layer = Math.min(this.hintsOf(finding) + 1, finding.hints.length);
    this.opened.value = { ...this.opened.value, [keyOf(finding)]: layer };
    countHint(finding.id, layer);
  }
}

/** Tells findings apart, in one report and in the next. */
export function keyOf({ id, op, phase, program }: Finding): string {
  return id ? `${id} ${op}` : `${phase} ${program}`;
}

function stored(): { source: string; name: string } | null {
  try {
    const read = JSON.parse(localStorage.getItem(KEY) ?? "null") as { source?: unknown; name?: unknown } | null;
    return typeof read?.source === "string" ? { source: read.source, name: String(read.name ?? NAME) } : null;
  } catch {
    return null;
  }
}
