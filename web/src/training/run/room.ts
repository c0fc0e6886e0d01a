/** The state of the training page: the last reply of the server, and the choices of the user. */

import { computed, signal } from "@preact/signals";
import type { WalkDocument } from "../../document";
import { Connection } from "./connection";
import { Curve } from "./curve";
import { same } from "./points";
import type { Choices, Configuration, Frame, Limits, Point, Refusal, Reply, Request } from "./protocol";
import { Recorded } from "../recorded";
import { ofSite } from "../../ui/studio";
import { OFFLINE, tooLong, tooMany } from "./refusals";

export type Tool = "select" | "zero" | "one" | "erase";

/** Cells of the boundary per side. */
const RESOLUTION = 40;
const MOST_UNDO = 50;
/** Milliseconds between two sets of points while one of them is dragged. */
const DRAG_PAUSE = 80;

/** What the state needs from the browser. Tests pass their own. */
export interface Stagehand {
  connect: (
    receive: (reply: Reply) => void,
  ) => Pick<Connection, "link" | "open" | "close" | "again" | "send">;
  /** Calls back when the screen is about to be drawn. */
  beforePaint: (callback: () => void) => void;
}

const BROWSER: Stagehand = {
  connect: (receive) => (ofSite() ? new Recorded(receive) : new Connection(receive)),
  beforePaint: (callback) => void requestAnimationFrame(callback),
};

export class TrainingRoom {
  readonly frame = signal<Frame | null>(null);
  readonly configuration = signal<Configuration | null>(null);
  readonly choices = signal<Choices | null>(null);
  readonly limits = signal<Limits | null>(null);
  readonly refusal = signal<Refusal | null>(null);
  readonly notice = signal("");
  readonly curve = new Curve();
  /** Updates per frame; 0 means full speed. */
  readonly speed = signal(0);
  readonly gradients = signal(false);
  readonly tool = signal<Tool>("select");
  readonly chosen = signal<number | null>(null);
  readonly walk = signal<{ example: number; step: number; document: WalkDocument } | null>(null);
  readonly table = signal<{ points: Point[]; words: string } | null>(null);
  readonly tableRefusal = signal<Refusal | null>(null);
  readonly undoable = signal(0);
  /** Points that the server has not shown yet. */
  private readonly edited = signal<Point[] | null>(null);
  readonly points = computed<readonly Point[]>(() => this.edited.value ?? this.frame.value?.points ?? []);
  readonly running = computed(() => this.frame.value?.running ?? false);
  /** Why the run cannot continue, or "". */
  readonly stopped = computed(() => this.frame.value?.stopped ?? "");
  private history: (readonly Point[])[] = [];
  private readonly connection: ReturnType<Stagehand["connect"]>;
  private reading = false;
  private waiting: Frame | null = null;
  private sending: ReturnType<typeof setTimeout> | undefined;
  private lastSent = 0;

  constructor(private readonly stagehand: Stagehand = BROWSER) {
    this.connection = stagehand.connect((reply) => this.receive(reply));
  }

  get link() {
    return this.connection.link;
  }

  enter(): void {
    this.connection.open();
  }

  leave(): void {
    this.connection.close();
  }

  reconnect(): void {
    this.connection.again();
  }

  // --- actions of the user ----------------------------------------------------------------------

  start(): void {
    if (this.stopped.value) return;
    const perFrame = this.speed.value;
    this.ask(perFrame ? { type: "start", perFrame } : { type: "start" });
  }

  pause(): void {
    this.ask({ type: "pause" });
  }

  toggle(): void {
    if (this.running.value) this.pause();
    else this.start();
  }

  step(count = 1): void {
    if (!this.stopped.value) this.ask({ type: "step", count });
  }

  rewind(): void {
    this.ask({ type: "rewind" });
  }

  /** Brings back the run that a rewind or new settings have replaced. */
  restore(): void {
    this.ask({ type: "restore" });
  }

  setSpeed(perFrame: number): void {
    this.speed.value = perFrame;
    if (this.running.value) this.start();
  }

  watchGradients(on: boolean): void {
    this.gradients.value = on;
    this.watch();
  }

  /** Starts a new run with changed settings. The user's points begin as the points that are shown. */
  configure(change: Partial<Configuration>): void {
    const before = this.configuration.value;
    if (!before) return;
    const next = { ...before, ...change };
    next.points = next.data === "points" ? [...(change.points ?? this.points.value)] : [];
    if (!this.ask({ type: "configure", configuration: next })) return;
    if (change.data) this.forgetPoints();
    this.configuration.value = next;
  }

  /** Changes the points of the current run. During a drag they are sent from time to time. */
  setPoints(points: Point[], done = true): void {
    const most = this.limits.value?.points ?? Infinity;
    if (points.length > most) return this.refuse(tooMany(points.length, most));
    this.edited.value = points;
    const chosen = this.chosen.value;
    if (chosen !== null && chosen >= points.length) this.chosen.value = null;
    clearTimeout(this.sending);
    const wait = done ? 0 : this.lastSent + DRAG_PAUSE - Date.now();
    if (wait > 0) this.sending = setTimeout(() => this.sendPoints(), wait);
    else this.sendPoints();
  }

  /** Stores the present points for undo, before a change. */
  keep(): void {
    this.history = [...this.history.slice(1 - MOST_UNDO), this.points.value];
    this.undoable.value = this.history.length;
  }

  undo(): void {
    const before = this.history.pop();
    this.undoable.value = this.history.length;
    if (before) this.setPoints([...before]);
  }

  /** Opens the graph of one example's loss, and pauses the training so that the numbers stay the same. */
  openWalk(example: number): void {
    if (this.running.value) this.pause();
    this.ask({ type: "walk", example });
  }

  closeWalk(): void {
    this.walk.value = null;
  }

  /** Reads a file as a table and returns its text; null if the file is too large. */
  async readFile(file: Blob): Promise<string | null> {
    const most = this.limits.value?.bytes ?? Infinity;
    this.table.value = this.tableRefusal.value = null;
    if (file.size > most) {
      this.tableRefusal.value = tooLong(file.size, most);
      return null;
    }
    const text = await file.text();
    this.read(text);
    return text;
  }

  /** Sends a table to be read. `useTable` then takes its points. */
  read(text: string): void {
    this.table.value = this.tableRefusal.value = null;
    const most = this.limits.value?.bytes ?? Infinity;
    const request: Request = { type: "csv", text };
    const bytes = new TextEncoder().encode(JSON.stringify(request)).length;
    if (bytes > most) this.tableRefusal.value = tooLong(bytes, most);
    else this.reading = this.ask(request);
  }

  useTable(): void {
    const table = this.table.value;
    if (!table) return;
    this.configure({ data: "points", points: table.points });
    this.table.value = null;
  }

  refuse(refusal: Refusal | null): void {
    this.refusal.value = refusal;
  }

  private ask(request: Request): boolean {
    this.refusal.value = null;
    const sent = this.connection.send(request);
    if (!sent) this.refuse(OFFLINE);
    return sent;
  }

  private watch(): void {
    this.connection.send({ type: "watch", gradients: this.gradients.value, resolution: RESOLUTION });
  }

  private sendPoints(): void {
    const points = this.edited.value;
    if (!points) return;
    this.lastSent = Date.now();
    if (!this.ask({ type: "points", points })) this.edited.value = null;
    else if (this.configuration.value)
      this.configuration.value = { ...this.configuration.value, data: "points" };
  }

  private forgetPoints(): void {
    clearTimeout(this.sending);
    this.edited.value = this.chosen.value = null;
    this.history = [];
    this.undoable.value = 0;
  }

  // --- replies of the server --------------------------------------------------------------------

  private receive(reply: Reply): void {
    if (reply.type === "frame") this.take(reply);
    else if (reply.type === "hello") this.greet(reply);
    else if (reply.type === "document") this.walk.value = reply;
    else if (reply.type === "csv") [this.reading, this.table.value] = [false, reply];
    else this.refused(reply);
  }

  private greet(hello: Extract<Reply, { type: "hello" }>): void {
    const mine = this.configuration.value;
    this.choices.value = hello.choices;
    this.limits.value = hello.limits;
    const forgotten = mine !== null && !hello.resumed;
    this.notice.value = forgotten
      ? "The server lost this run. It was restarted with the same settings and seed."
      : "";
    this.watch();
    if (forgotten) this.configure({});
    else this.configuration.value = hello.configuration;
  }

  private refused(refusal: Refusal): void {
    if (this.reading) {
      this.reading = false;
      this.tableRefusal.value = refusal;
      return;
    }
    this.edited.value = null; // the points of the server apply
    this.refuse(refusal);
  }

  /** The server sends the next frame after this one was shown, so at most one frame is waiting. */
  private take(frame: Frame): void {
    const isComplete = this.curve.take(frame.curve);
    if (!isComplete) return this.connection.open(); // a resumed session sends the whole curve
    const isFirst = this.waiting === null;
    this.waiting = frame;
    if (isFirst) this.stagehand.beforePaint(() => this.show());
  }

  private show(): void {
    const frame = this.waiting!;
    this.waiting = null;
    if (this.edited.value && same(this.edited.value, frame.points)) this.edited.value = null;
    this.curve.note(frame.step, frame.test?.loss ?? null);
    this.frame.value = frame;
    if (this.chosen.value !== null && this.chosen.value >= this.points.value.length) this.chosen.value = null;
    this.connection.send({ type: "shown", frame: frame.frame });
  }
}
