/** What the judge says of a file, as it arrives from Python. Missing parts have defaults, and unknown parts are ignored. */

import type { JsonNumber } from "../document";

export type PhaseState = "passed" | "wrong" | "missing" | "limit" | "waiting";
export type Level = "wrong" | "limit" | "remark";
export type Certainty = "exact" | "likely" | "place";

export interface PhaseReport {
  phase: number;
  state: PhaseState;
  checks: number;
  failed: number;
}

/** A number that was observed; null: there was none, such as a gradient that is `None`. */
export type Observed = JsonNumber | null;

export interface WalkNode {
  name: string;
  /** The name of its operation; "" for a leaf. */
  op: string;
  /** The places of its operands, which precede it. */
  inputs: number[];
  yours: Observed;
  right: Observed;
}

export interface WalkStep {
  node: string;
  kind: "forward" | "backward";
  yours: Observed;
  right: Observed;
  /** The line of the file that ran, if it is known. */
  line: number | null;
}

export interface ObservedWalk {
  /** The index in `steps` of the first step that differs; -1 if none does. */
  step: number;
  nodes: WalkNode[];
  steps: WalkStep[];
}

/** A number of a program, beside the right one. */
export interface Compared {
  name: string;
  yours: Observed;
  right: Observed;
}

/** One mistake, or one error that the judge cannot explain. */
export interface Finding {
  /** The kind of mistake; "" if it is not known. */
  id: string;
  /** The operation that it is in; "" if it is in none. */
  op: string;
  phase: number;
  level: Level;
  title: string;
  says: string;
  certainty: Certainty | null;
  /** How many programs it explains. */
  explains: number;
  line: number | null;
  /** Other mistakes that give the same numbers. */
  others: string[];
  program: string;
  values: [name: string, value: Observed][];
  walk: ObservedWalk | null;
  /** Numbers of the program that differ, if there is no walk. */
  compared: Compared[];
  /** From a nudge to the line. */
  hints: string[];
  lesson: string | null;
  misconception: string | null;
  /** Whether it may hide other mistakes. */
  again: boolean;
}

export interface Report {
  verdict: "right" | "wrong" | "unusable";
  engine: string;
  phases: PhaseReport[];
  findings: Finding[];
  /** Names that are not written yet. */
  missing: string[];
  error: { line: number | null; message: string } | null;
  printed: string;
  seconds: number;
  /** Why the run was ended early; "" if it was not. */
  stopped: string;
}

type Json = Record<string, unknown>;

/** Reads a report. Throws a `TypeError` for anything else. */
export function asReport(raw: unknown): Report {
  const json = record(raw);
  if (!String(json.schema ?? "").startsWith("gradwalk-workshop/")) throw new TypeError("This is not a report of the workshop.");
  const ran = record(json.ran);
  const error = json.error ? record(json.error) : null;
  return {
    verdict: one(json.verdict, ["right", "wrong", "unusable"], error ? "unusable" : "wrong"),
    engine: text(json.engine),
    phases: list(json.phases).map(asPhase),
    findings: [...list(json.mistakes).map(asFinding), ...list(json.unexplained).map(asUnexplained)],
    missing: list(json.missing).map(text),
    error: error && { line: integer(error.line), message: text(error.message) },
    printed: text(ran.printed),
    seconds: Number(ran.seconds ?? 0),
    stopped: text(ran.stopped),
  };
}

function asPhase(raw: unknown): PhaseReport {
  const json = record(raw);
  const states: PhaseState[] = ["passed", "wrong", "missing", "limit", "waiting"];
  return {
    phase: integer(json.phase) ?? 0,
    state: one(json.state, states, "missing"),
    checks: integer(json.checks) ?? 0,
    failed: integer(json.failed) ?? 0,
  };
}

function asFinding(raw: unknown): Finding {
  const json = record(raw);
  return {
    id: text(json.id),
    op: text(json.op),
    phase: integer(json.phase) ?? 0,
    level: one(json.level, ["wrong", "limit", "remark"], "wrong"),
    title: text(json.title),
    says: text(json.says),
    certainty: one(json.certainty, ["exact", "likely", "place"], null),
    explains: integer(json.explains) ?? 0,
    line: integer(json.line),
    others: list(json.others).map(text),
    program: text(json.program),
    values: valuesOf(json.values),
    walk: json.walk ? asWalk(record(json.walk)) : null,
    compared: [],
    hints: list(json.hints).map(text).filter(Boolean),
    lesson: text(json.lesson) || null,
    misconception: text(json.misconception) || null,
    again: json.again === true,
  };
}

function asUnexplained(raw: unknown): Finding {
  const json = record(raw);
  const error = text(json.error);
  const [yours, right] = [valuesOf(json.yours), new Map(valuesOf(json.right))];
  const found = asFinding({ ...json, id: "", certainty: null });
  return {
    ...found,
    title: found.title || (error ? "This program stops with an error" : "Wrong, and no known mistake explains it"),
    says: error || found.says || "These numbers are wrong. Follow this small program by hand, line by line.",
    compared: yours.map(([name, value]) => ({ name, yours: value, right: right.get(name) ?? null })),
  };
}

function asWalk(json: Json): ObservedWalk | null {
  const nodes = list(json.nodes).map((raw) => {
    const node = record(raw);
    return { ...pair(node), name: text(node.name), op: text(node.op), inputs: list(node.inputs).map(Number) };
  });
  const steps = list(json.steps).map((raw) => {
    const step = record(raw);
    const kind = one<WalkStep["kind"]>(step.kind, ["forward", "backward"], "backward");
    return { ...pair(step), node: text(step.node), kind, line: integer(step.line) };
  });
  if (!nodes.length || !steps.length) return null;
  return { step: integer(json.step) ?? -1, nodes, steps };
}

function pair(json: Json): { yours: Observed; right: Observed } {
  return { yours: observed(json.yours), right: observed(json.right) };
}

function observed(raw: unknown): Observed {
  return typeof raw === "number" || raw === "nan" || raw === "inf" || raw === "-inf" ? raw : null;
}

function valuesOf(raw: unknown): [string, Observed][] {
  return Object.entries(record(raw)).map(([name, value]) => [name, observed(value)]);
}

function record(raw: unknown): Json {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw) ? (raw as Json) : {};
}

function list(raw: unknown): unknown[] {
  return Array.isArray(raw) ? raw : [];
}

function text(raw: unknown): string {
  return typeof raw === "string" ? raw : "";
}

function integer(raw: unknown): number | null {
  return Number.isInteger(raw) ? (raw as number) : null;
}

function one<T>(raw: unknown, allowed: readonly T[], otherwise: T): T {
  return allowed.includes(raw as T) ? (raw as T) : otherwise;
}
