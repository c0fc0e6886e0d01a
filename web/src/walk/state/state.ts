/** The state of a walk: signals, and the actions that change them together. */

import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { fromJson, toJson, type JsonNumber, type WalkDocument } from "../../document";
import { beside } from "../../debug/match";
import { firstWrong } from "../../debug/wrong";
import { Graph, Timeline, type Run } from "../../engine";
import { asFolding, type Folding, type Selection } from "../../picture";
import { NO_BREAKPOINTS, nextStop, stopAt, type Breakpoints, type Stop } from "./breakpoints";
import { changes, type Change } from "./compare";
import type { Ask, WalkState } from "./options";
import { asSelection, fromSelection } from "./selection";
import type { Shared } from "./share";

/** The formula that a graph was made from on this page. */
export interface Origin {
  source: string;
  values: Record<string, number>;
}

/** Steps per second to choose from. */
export const SPEEDS = [0.5, 1, 2, 4, 10, 30];


const NO_EDITS: ReadonlyMap<number, number> = new Map();

/** The state of one walk. `time` runs from 0 to `timeline.length`, whatever the values are. */
export class Walk {
  readonly document: Signal<WalkDocument>;
  readonly origin: Signal<Origin | null> = signal(null);
  readonly edits: Signal<ReadonlyMap<number, number>> = signal(NO_EDITS);
  readonly time = signal(0);
  readonly playing = signal(false);
  readonly speed = signal(1);
  readonly selection: Signal<Selection | null> = signal(null);
  /** A node that the picture is to unfold to and to show. */
  readonly reveal: Signal<{ node: number } | null> = signal(null);
  readonly path: Signal<readonly number[] | null> = signal(null);
  readonly breakpoints: Signal<Breakpoints> = signal(NO_BREAKPOINTS);
  readonly stopped: Signal<Stop | null> = signal(null);
  readonly folding: Signal<Folding | undefined> = signal(undefined);
  readonly comparing = signal(false);
  /** The run that the present one is compared with; null: the original one. */
  readonly kept: Signal<Run | null> = signal(null);

  readonly graph: ReadonlySignal<Graph> = computed(() => new Graph(this.document.value));
  readonly original: ReadonlySignal<Run> = computed(() => this.graph.value.evaluate());
  readonly run: ReadonlySignal<Run> = computed(() =>
    this.edits.value.size ? this.graph.value.evaluate(this.edits.value) : this.original.value,
  );
  readonly timeline: ReadonlySignal<Timeline> = computed(() => new Timeline(this.run.value));
  /** The run of an earlier or a changed program, which the document may contain. */
  readonly earlier: ReadonlySignal<Run | null> = computed(() => {
    const { before } = this.document.value;
    return before ? beside(new Graph(before).evaluate(), this.graph.value) : null;
  });
  readonly before: ReadonlySignal<Run> = computed(
    () => this.kept.value ?? this.earlier.value ?? this.original.value,
  );
  readonly changes: ReadonlySignal<Change[]> = computed(() => changes(this.before.value, this.run.value));
  /** The first step in which a number became NaN or infinite. */
  readonly wrong = computed(() => firstWrong(this.run.value));
  /** Asks the running program about a node, if there is one. */
  ask: Ask | null = null;

  #pauseAt: number | null = null;

  constructor(document: WalkDocument, state: WalkState = {}, pauseAt: number | null = null) {
    this.document = signal(document);
    this.#pauseAt = pauseAt;
    this.apply(state);
    this.compare();
  }

  /** Compares with the earlier run of the document, if it contains one. */
  private compare(): void {
    if (this.document.value.before) this.comparing.value = true;
  }

  /** Opens another graph at its beginning. */
  open(document: WalkDocument, state: WalkState = {}, origin: Origin | null = null): void {
    new Graph(document); // throws for an invalid graph before anything changes
    batch(() => {
      this.document.value = document;
      this.origin.value = origin;
      this.kept.value = null;
      this.path.value = this.reveal.value = null;
      this.breakpoints.value = NO_BREAKPOINTS;
      this.ask = null; // the program has recorded another graph
      this.apply(state);
      this.compare();
    });
  }

  /** Applies edits, step, selection and folding from a link. What does not fit the graph is ignored. */
  apply({ edits = [], time = 0, selection = null, folding }: WalkState): void {
    const { nodes } = this.graph.value;
    batch(() => {
      const pairs = Array.isArray(edits) ? edits.filter(Array.isArray) : []; // a link may contain anything
      const sound = pairs.filter(([node]) => nodes[node]?.editable);
      this.edits.value = new Map(sound.map(([node, x]) => [node, fromJson(x)]));
      this.playing.value = false;
      this.go(Number.isInteger(time) ? time : 0);
      this.selection.value = asSelection(this.graph.value, selection);
      this.folding.value = asFolding(folding);
    });
  }

  /** Goes to a step, clamped to the walk. */
  go(time: number): void {
    const clamped = Math.min(Math.max(time, 0), this.timeline.value.length);
    batch(() => {
      this.time.value = clamped;
      this.stopped.value = null;
    });
  }

  /** Steps forward, or back if negative, and stops playing. */
  step(count: number): void {
    batch(() => {
      this.playing.value = false;
      this.go(this.time.value + count);
    });
  }

  /** Goes to the next breakpoint, or to the end. Returns whether a breakpoint was found. */
  toNextStop(direction: 1 | -1): boolean {
    const timeline = this.timeline.value;
    const stop = nextStop(timeline, this.time.value, direction, this.breakpoints.value);
    batch(() => {
      this.playing.value = false;
      this.go(stop ? stop.time : direction > 0 ? timeline.length : 0);
      this.stopped.value = stop;
    });
    return stop !== null;
  }

  /** Plays or pauses. At the end, plays from the beginning. */
  togglePlaying(): void {
    batch(() => {
      if (!this.playing.value && this.time.value >= this.timeline.value.length) this.go(0);
      this.playing.value = !this.playing.value;
      this.stopped.value = null;
    });
  }

  /** Steps forward while playing, and pauses at a breakpoint or the end. */
  tick(): void {
    const timeline = this.timeline.value;
    this.go(this.time.value + 1);
    const time = this.time.value;
    const stop = stopAt(timeline, time, this.breakpoints.value);
    const pause = time === this.#pauseAt;
    if (pause) this.#pauseAt = null;
    this.stopped.value = stop;
    if (stop || pause || time >= timeline.length) this.playing.value = false;
  }

  /** Plays faster (+1) or slower (-1). */
  changeSpeed(by: number): void {
    const at = SPEEDS.indexOf(this.speed.value) + by;
    this.speed.value = SPEEDS[Math.min(Math.max(at, 0), SPEEDS.length - 1)] ?? 1;
  }

  /** Sets the value of a leaf. */
  edit(node: number, value: number): void {
    if (!this.graph.value.nodes[node]?.editable) return;
    const edits = new Map(this.edits.value);
    if (Object.is(value, this.original.value.data[node])) edits.delete(node);
    else edits.set(node, value);
    this.edits.value = edits;
  }

  /** Compares later runs with the present one, or with null again with the original one. */
  keep(run: Run | null): void {
    this.kept.value = run;
  }

  /** Resets all leaves to their original values. */
  reset(): void {
    this.edits.value = NO_EDITS;
  }

  /** Sets or clears a breakpoint at a node. */
  toggleBreakpoint(node: number): void {
    const nodes = new Set(this.breakpoints.value.nodes);
    if (!nodes.delete(node)) nodes.add(node);
    this.breakpoints.value = { ...this.breakpoints.value, nodes };
  }

  /** Returns what a link contains. */
  shared(): Shared {
    const origin = this.origin.value;
    const state = this.state();
    if (!origin) return { document: this.document.value, state };
    const values = Object.entries(origin.values).map(([name, x]): [string, JsonNumber] => [name, toJson(x)]);
    return { source: origin.source, values: Object.fromEntries(values), state };
  }

  state(): WalkState {
    const edits = [...this.edits.value].map(([node, x]): [number, JsonNumber] => [node, toJson(x)]);
    const selection = fromSelection(this.selection.value);
    return { edits, time: this.time.value, selection, folding: this.folding.value };
  }
}
