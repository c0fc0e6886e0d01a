/** The part of a picture that its frame shows, and what moves it: zoom, pan, steps and searches. */

import type { Arrangement } from "../layout/arrange";
import { AUTOMATIC } from "../fold/fold";
import type { Point, Rect, Size } from "../shared/plan";
import { inside, intersection } from "../shared/rects";
import { type View, centred, clampScale, fit, opening, shown, within, zoomed } from "../shared/view";

/** A box that has to be in the frame once its mark changes: of a step, or of a node that was chosen. */
export interface Followed {
  mark: number;
  node: number;
  /** What has to be seen with it, in a frame of this size; default: nothing. */
  step?(frame: Size): Rect;
  /** What else should be seen once the picture moves; `by` is how much the mark has changed. */
  around?(by: number, frame: Size): Rect;
}

/** The part of the picture that is shown first, if there is no step. */
const CORNER: Rect = { x: 0, y: 0, width: 0, height: 0 };
/** A frame that is narrower shows graphs from top to bottom. */
const NARROW = 480;
const START: Size = { width: 800, height: 480 };

/** How much around the frame is drawn, in frames. Panning reaches what is beside the frame; a step
 * jumps anywhere, and must be quick. */
const [WIDE, TIGHT] = [0.4, 0.02];
/** After zooming in, numbers are drawn again: not for much more than the frame. */
const WIDEST = 2.2;

export class Viewport {
  view: View = { x: 0, y: 0, scale: 1 };
  frame = START;
  arrangement!: Arrangement;
  /** The frame that the whole picture was fitted into. */
  private fitted: Size | null = null;
  /** Whether the view was moved by hand: until then, the picture fits its frame. */
  private touched = false;
  /** Whether the last move was not by hand: it is shown as a movement. */
  gliding = false;
  private marks: number[] = [];
  private drawnRegion: Rect | null = null;
  private around = WIDE;

  constructor(readonly redraw: () => void) {}

  /** Before each drawing: follows what changed, so that a step is drawn once. */
  protected follow(arrangement: Arrangement, followed: readonly Followed[]): void {
    const { plan, graph, mode, boxes, boxOf } = arrangement;
    const before: Arrangement | undefined = this.arrangement;
    this.arrangement = arrangement;
    if (before?.graph !== graph || before.mode !== mode) this.touched = false;
    if (!this.touched && (before?.plan !== plan || this.fitted !== this.frame)) {
      this.fitted = this.frame;
      const [{ node, around }] = followed as [Followed];
      const start = (room: Size) => (around && node >= 0 ? around(1, room) : CORNER);
      this.move(opening(plan, this.frame, boxes.length <= AUTOMATIC, start));
    }
    followed.forEach(({ mark, node, step, around }, k) => {
      const by = before?.graph === graph ? mark - this.marks[k]! : 0;
      if (!by || node < 0) return;
      const { scale } = this.view;
      const room = { width: this.frame.width / scale, height: this.frame.height / scale };
      const wanted = step?.(room) ?? plan.rects[boxOf[node]!]!;
      if (inside(wanted, shown(this.view, this.frame))) return;
      const seen = around?.(by, room) ?? wanted;
      this.move(within(plan, this.frame, centred(seen, this.frame, this.view)), TIGHT);
      this.gliding = true;
    });
    this.marks = followed.map(({ mark }) => mark);
  }

  /** The part of the picture to draw; null: all of it. It stays the same until the frame leaves it, so
   * that panning draws nothing again. */
  region(): Rect | null {
    const seen = shown(this.view, this.frame);
    const { width, height } = this.arrangement.plan;
    const whole = { x: 0, y: 0, width, height };
    const last = this.drawnRegion;
    const fits = last && inside(intersection(seen, whole), last) && last.width < WIDEST * seen.width;
    if (!fits) this.drawnRegion = shown(this.view, this.frame, this.around);
    return inside(whole, this.drawnRegion!) ? null : this.drawnRegion;
  }

  /** Whether the frame is too narrow for a picture from left to right. */
  protected get narrow(): boolean {
    return this.frame.width < NARROW;
  }

  setView(change: (view: View) => View): void {
    this.touched = true;
    this.gliding = false;
    this.move(change(this.view));
    this.redraw();
  }

  resize(frame: Size): void {
    if (!frame.width || !frame.height) return;
    this.frame = frame;
    this.redraw();
  }

  zoom(factor: number): void {
    const { width, height } = this.frame;
    this.setView((view) => zoomed(view, factor, { x: width / 2, y: height / 2 }));
  }

  fitAll(): void {
    this.setView(() => fit(this.arrangement.plan, this.frame));
  }

  centre(at: Point): void {
    this.setView((view) => centred({ ...at, width: 0, height: 0 }, this.frame, view));
  }

  /** Shows a part of the picture, as large as is comfortable. */
  show(rect: Rect): void {
    const whole = fit(rect, this.frame);
    const scale = clampScale(Math.max(whole.scale, 0.5));
    this.setView(() => centred(rect, this.frame, { ...whole, scale }));
  }

  /** Moves a box into the frame if it is not there; `least` is a scale at which it can be read. */
  reveal(rect: Rect, least: number): void {
    if (this.bring(rect, least)) this.redraw();
  }

  private bring(rect: Rect, least: number): boolean {
    this.touched = true; // from now on, another frame does not move the picture
    if (inside(rect, shown(this.view, this.frame)) && this.view.scale >= least) return false;
    this.gliding = true;
    this.move(centred(rect, this.frame, this.view, least));
    return true;
  }

  private move(view: View, around = WIDE): void {
    [this.view, this.around] = [view, around];
  }
}
