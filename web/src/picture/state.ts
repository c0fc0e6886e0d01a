/** The state of one picture, and what taps, drags, keys and a search do to it. */

import { createRef } from "preact";
import { arrange } from "./layout/arrange";
import { type Direction, neighbour } from "./interaction/cursor";
import { valueDrag } from "../ui/dragging";
import { type Folding, closed } from "./fold/fold";
import { followed } from "./interaction/follow";
import { framed, hull } from "./layout/frames";
import { type Drag, type Hands, idAt, nodeAt } from "./interaction/gestures";
import type { KeyActions } from "./interaction/keyboard";
import type { Colouring } from "./look/heat";
import { linkNear } from "./interaction/near";
import type { Point, Rect } from "./shared/plan";
import type { PictureProps } from "./props";
import { holds } from "./shared/rects";
import { Finder } from "./interaction/search";
import { type Shifts, further, moveInOrder, shifted, visitOrder } from "./interaction/visits";
import { READABLE } from "./shared/view";
import { Viewport } from "./interaction/viewport";

const AUTO: Folding = { mode: "auto", open: [] };
const NEAR = 8; // so many pixels beside an edge still mean the edge

export class PictureState extends Viewport implements Hands, KeyActions {
  readonly svg = createRef<SVGSVGElement>();
  folding = AUTO;
  /** The node whose value is being edited; -1: no node. */
  editing = -1;
  /** The link that the mouse is at. */
  hovered = "";
  /** How far boxes were dragged. */
  shifts: Shifts = new Map();
  readonly finder = new Finder();
  /** What the colour of a group stands for. */
  colouring: Colouring = "norm";
  /** Links that are drawn as one path, without elements of their own. */
  bundle: readonly number[] = [];
  private chosenFolding = AUTO;
  private cursorNode = -1;
  /** Whether the focus moves to the cursor after the next drawing. */
  private moveFocus = false;
  /** What is to be shown once another arrangement is drawn. */
  private wanted: (() => void) | null = null;

  constructor(
    public props: PictureProps,
    redraw: () => void,
  ) {
    super(redraw);
  }

  /** Before each drawing. What was chosen for one graph does not apply to the next. */
  update(props: PictureProps): void {
    const { graph, timeline, time } = props;
    if (graph !== this.props.graph) {
      [this.chosenFolding, this.cursorNode, this.editing] = [AUTO, -1, -1];
      this.finder.look(graph, props.run);
    }
    this.props = props;
    this.folding = props.folding ?? this.chosenFolding;
    const arrangement = arrange(graph, this.folding, this.narrow && !props.draggable);
    if (arrangement !== this.arrangement) this.shifts = new Map();
    const chosen = props.selected?.node ?? -1; // perhaps selected outside the picture
    this.follow(arrangement, [
      followed(arrangement, timeline, time),
      { mark: chosen, node: chosen },
    ]);
  }

  /** After a drawing of another arrangement. */
  rearranged(): void {
    const wanted = this.wanted;
    this.wanted = null;
    wanted?.();
  }

  /** After each drawing. */
  drawn(): void {
    if (!this.moveFocus) return;
    this.moveFocus = false;
    const { id } = this.arrangement.boxes[this.cursor]!;
    const target = `[data-box="${CSS.escape(id)}"] .target`;
    this.svg.current?.querySelector<SVGElement>(target)?.focus({ preventScroll: true });
  }

  /** The box that the keyboard is at: first the result. */
  get cursor(): number {
    const { boxOf, graph } = this.arrangement;
    return boxOf[this.cursorNode] ?? boxOf[graph.root]!;
  }

  /** The node of the present step; -1 at the start. */
  get current(): number {
    const moment = this.props.timeline.at(this.props.time);
    return moment.kind === "start" ? -1 : moment.node;
  }

  get wheel(): boolean {
    return this.props.controls !== false;
  }

  set(change: Partial<Pick<PictureState, "editing" | "hovered" | "shifts" | "colouring">>): void {
    Object.assign(this, change);
    this.redraw();
  }

  private moveCursor(node: number): void {
    this.cursorNode = node;
    this.redraw();
  }

  // --- folding

  setFolding(folding: Folding): void {
    this.chosenFolding = folding;
    this.redraw();
    this.props.onFolding?.(folding);
  }

  fold(id: string): void {
    this.setFolding(closed(this.folding, id));
  }

  private openGroup(box: number, then: () => void): void {
    const { mode, open } = this.folding;
    this.wanted = then;
    this.setFolding({ mode, open: [...open, this.arrangement.boxes[box]!.id] });
  }

  /** Opens the groups around a node, one inside the other, and brings it into the frame. */
  unfoldTo(node: number): void {
    const box = this.arrangement.boxOf[node]!;
    if (this.arrangement.boxes[box]!.members.length > 1) this.openGroup(box, () => this.unfoldTo(node));
    else this.reveal(this.arrangement.plan.rects[box]!, READABLE);
  }

  // --- taps

  tap(target: Element, at: Point): void {
    const frame = idAt(target, "fold");
    if (frame) return this.fold(frame);
    const own = idAt(target, "link");
    const box = own ? -1 : this.boxAt(target, at);
    if (box >= 0) return this.activate(box, false);
    const link = own ?? this.linkAt(at);
    const use = this.arrangement.links.find(({ id, alone }) => id === link && alone)?.uses[0];
    if (use) this.props.onSelect({ kind: "edge", node: use.node, position: use.position });
    else if (!link) this.props.onSelect(null);
  }

  /** The id of the link at a place, where links do not have elements. */
  linkAt(at: Point): string | undefined {
    const near = linkNear(this.arrangement, this.bundle, this.inPicture(at), NEAR / this.view.scale);
    return this.arrangement.links[near]?.id;
  }

  hover(target: Element, at: Point): void {
    const link = idAt(target, "link") ?? ((target === this.svg.current && this.linkAt(at)) || "");
    if (link !== this.hovered) this.set({ hovered: link });
  }

  written = (value: number | null): void => {
    const node = this.editing;
    this.moveFocus = true;
    this.set({ editing: -1 });
    if (value !== null && !Object.is(value, this.props.run.data[node])) this.props.onEdit?.(node, value);
  };

  focused(target: Element): void {
    const box = this.boxAt(target, OUTSIDE);
    if (box >= 0) this.moveCursor(this.arrangement.boxes[box]!.members[0]!);
  }

  edit(node: number): void {
    if (this.props.onEdit && this.props.graph.nodes[node]?.editable) this.set({ editing: node });
  }

  private activate(box: number, edit: boolean): void {
    const { members } = this.arrangement.boxes[box]!;
    this.moveCursor(members[0]!);
    const opened = () => this.show(framed(hull(this.arrangement, members)));
    if (members.length > 1) return this.openGroup(box, opened);
    this.props.onSelect({ kind: "node", node: members[0]! });
    if (edit) this.edit(members[0]!);
  }

  private inPicture(at: Point): Point {
    const { x, y, scale } = this.view;
    return { x: (at.x - x) / scale, y: (at.y - y) / scale };
  }

  private boxAt(target: Element, at: Point): number {
    const own = idAt(target, "box");
    if (own) return this.arrangement.boxes.findIndex(({ id }) => id === own);
    const place = this.inPicture(at);
    return at === OUTSIDE ? -1 : this.arrangement.boxes.findIndex((_, k) => holds(this.rectOf(k), place));
  }

  // --- drags

  grab(target: Element, at: Point): Drag | null {
    const node = nodeAt(target);
    if (node >= 0 && this.props.onEdit && target.closest("[data-grip], .cell.editable"))
      return valueDrag(this.props.run.data[node]!, (value) => this.props.onEdit?.(node, value));
    return node >= 0 && this.props.draggable ? this.dragBox(this.boxAt(target, at)) : null;
  }

  private dragBox(box: number): Drag {
    const { shifts, view } = this;
    return {
      move: (by) => this.set({ shifts: further(shifts, box, by.x / view.scale, by.y / view.scale) }),
      end: (moved) => moved && this.props.onOrder?.(this.visits()),
    };
  }

  private rectOf(box: number): Rect {
    return shifted(this.arrangement.plan.rects[box]!, this.shifts.get(box));
  }

  private rectOfNode = (node: number): Rect => this.rectOf(this.arrangement.boxOf[node]!);

  /** The nodes in the order in which they are visited, as they were dragged. */
  visits(): number[] {
    return visitOrder(this.props.graph, this.rectOfNode);
  }

  // --- keys

  go(direction: Direction): void {
    const box = neighbour(this.arrangement, this.cursor, direction);
    if (box < 0) return;
    this.moveFocus = true;
    this.moveCursor(this.arrangement.boxes[box]!.members[0]!);
    this.reveal(this.arrangement.plan.rects[box]!, Math.min(READABLE, this.view.scale));
  }

  open(): void {
    this.activate(this.cursor, true);
  }

  close(): void {
    const group = this.arrangement.boxes[this.cursor]!.around.at(-1);
    if (!group) return;
    this.moveFocus = true;
    this.fold(group.id);
  }

  operand(position: number): void {
    const { members } = this.arrangement.boxes[this.cursor]!;
    const { index, inputs } = this.props.graph.nodes[members[0]!]!;
    if (members.length === 1 && position < inputs.length)
      this.props.onSelect({ kind: "edge", node: index, position });
  }

  clear(): boolean {
    const { selected, onSelect } = this.props;
    if (selected) onSelect(null);
    return !!selected;
  }

  order(step: number): boolean {
    if (!this.props.draggable) return false;
    const node = this.arrangement.boxes[this.cursor]!.members[0]!;
    const next = moveInOrder(this.visits(), node, step, this.rectOfNode);
    if (!next) return true;
    const { boxOf } = this.arrangement;
    this.set({ shifts: next.reduce((all, [other, by]) => further(all, boxOf[other]!, by, 0), this.shifts) });
    this.props.onOrder?.(this.visits());
    return true;
  }

  // --- search

  search(words: string): void {
    this.finder.look(this.props.graph, this.props.run, words);
    this.redraw();
  }

  /** To the next node found, or with -1 to the one before. */
  jump(step: number): void {
    const node = this.finder.next(step);
    if (node < 0) return;
    this.moveCursor(node);
    this.props.onSelect({ kind: "node", node });
    this.unfoldTo(node);
  }
}

/** A place that is at no box. */
export const OUTSIDE: Point = { x: -1, y: -1 };
