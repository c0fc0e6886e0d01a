/** The training page of a site without a server: runs that the library made when the site was built. It
 * answers the requests of the page as the server does, from files. */

import { signal } from "@preact/signals";
import type { Link } from "./run/connection";
import type { Configuration, Frame, Refusal, Reply, Request } from "./run/protocol";

type Hello = Extract<Reply, { type: "hello" }>;

/** A file `training-….json`; what grows from frame to frame is there once. */
export interface Recording {
  hello: Hello;
  points: Frame["points"];
  losses: number[];
  /** Of every update, the norm of each layer's gradient. */
  norms: number[][];
  frames: Omit<Frame, "frame" | "running" | "points" | "curve" | "kept">[];
}

/** What a recorded run needs from the browser. Tests pass their own. */
export interface Around {
  load: (data: string) => Promise<Recording>;
  later: (callback: () => void, milliseconds: number) => ReturnType<typeof setTimeout>;
}

/** Milliseconds between two frames at full speed. */
const PAUSE = 60;
/** Updates whose norms the page shows, as in `studio/training/run.py`. */
const WINDOW = 200;

const IN_PAGE: Around = {
  later: (callback, milliseconds) => setTimeout(callback, milliseconds),
  load: async (data) => {
    const answer = await fetch(`training-${data}.json`);
    if (!answer.ok) throw new Error(`the site has no run on ${data} (${answer.status})`);
    return (await answer.json()) as Recording;
  },
};

export class Recorded {
  readonly link = signal<Link>({ state: "connecting" });
  private recording: Recording | null = null;
  private at = 0;
  private count = 0;
  private running = false;
  private perFrame = 0;
  private gradients = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly receive: (reply: Reply) => void,
    private readonly around: Around = IN_PAGE,
  ) {}

  open(): void {
    if (this.recording) this.greet();
    else this.load("xor");
  }

  again(): void {
    this.open();
  }

  close(): void {
    this.stop();
  }

  /** Takes a request. Answers come later, as those of a server do. */
  send(request: Request): boolean {
    if (this.link.value.state !== "connected") return false;
    this.around.later(() => this.obey(request), 0);
    return true;
  }

  private load(data: string): void {
    this.stop();
    this.around.load(data).then(
      (recording) => {
        [this.recording, this.at] = [recording, 0];
        this.greet();
      },
      (error: Error) => {
        this.link.value = { state: "lost", words: `The run could not be loaded: ${error.message}.` };
      },
    );
  }

  private greet(): void {
    this.link.value = { state: "connected" };
    this.receive(this.recording!.hello);
    this.show();
  }

  private obey(request: Request): void {
    switch (request.type) {
      case "start":
        this.perFrame = request.perFrame ?? 0;
        this.running = true;
        return this.next();
      case "pause":
        this.stop();
        return this.show();
      case "step":
        this.stop();
        this.forward(request.count);
        return this.show();
      case "rewind":
        this.stop();
        this.at = 0;
        return this.show();
      case "watch":
        this.gradients = request.gradients;
        return this.show();
      case "configure":
        return this.configure(request.configuration);
      case "shown":
        return;
      default:
        this.refuse(request.type);
    }
  }

  private configure(wanted: Partial<Configuration>): void {
    const own = this.recording!.hello.configuration;
    const same = ({ data: _data, points: _points, ...rest }: Partial<Configuration>) => JSON.stringify(rest);
    const known = this.recording!.hello.choices.data.includes(wanted.data ?? "");
    if (known && same({ ...own, ...wanted }) === same(own)) return this.load(wanted.data!);
    this.refuse("settings");
    this.receive(this.recording!.hello); // the settings are those of the run that is shown
  }

  private refuse(where: string): void {
    const refusal: Refusal = {
      type: "refused",
      where,
      expected: "one of the runs that were recorded for this site",
      got: "a request that only the library can compute",
      fix: 'Install it, pip install "gradwalk[studio]", and run gradwalk studio.',
    };
    this.receive(refusal);
  }

  private stop(): void {
    this.running = false;
    clearTimeout(this.timer);
  }

  /** Shows the next frame, and plans the one after it. */
  private next(): void {
    clearTimeout(this.timer);
    if (!this.running) return;
    this.running = this.forward(this.perFrame || 1);
    this.show();
    if (this.running) this.timer = this.around.later(() => this.next(), PAUSE);
  }

  /** Goes to the first frame with that many updates more, and returns whether there are later ones. */
  private forward(updates: number): boolean {
    const { frames } = this.recording!;
    const wanted = frames[this.at]!.step + updates;
    while (this.at < frames.length - 1 && frames[this.at]!.step < wanted) this.at += 1;
    return this.at < frames.length - 1;
  }

  private show(): void {
    const { frames, points, losses, norms } = this.recording!;
    const frame = frames[this.at]!;
    const recent = norms.slice(Math.max(0, frame.step - WINDOW), frame.step);
    const layers = frame.layers.map((layer, index) => ({
      ...layer,
      norms: recent.map((all) => all[index]!),
      gradients: this.gradients ? layer.gradients : null,
    }));
    const curve = { from: 0, every: 1, losses: losses.slice(0, frame.step) };
    this.count += 1;
    const stopped = this.at === frames.length - 1 ? "The recorded run ends here. Rewind to see it again." : "";
    this.receive({
      ...frame,
      ...{ frame: this.count, running: this.running, points, layers, curve, kept: 0, stopped },
    });
  }
}
