/** What taps, drags and keys do in a picture. */

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import type { Arrangement } from "./arrange";
import { neighbour } from "./cursor";
import { dragged, stepOf, throttled } from "../ui/dragging";
import { holds, hull } from "./drags";
import type { Folding } from "./fold";
import { framed } from "./frames";
import type { Drag } from "./gestures";
import type { KeyActions } from "./keyboard";
import type { Point, Rect } from "./layout";
import type { PictureProps } from "./props";
import { closed } from "./Toolbar";
import type { Viewing } from "./use-view";
import { moveInOrder, shifted, visitOrder } from "./visits";

interface Given {
  props: PictureProps;
  arrangement: Arrangement;
  viewing: Viewing;
  folding: Folding;
  setFolding(folding: Folding): void;
  svg: RefObject<SVGSVGElement | null>;
  found: readonly number[];
  /** The id of the link at a place, where links are no elements. */
  linkAt(at: Point): string | undefined;
}

export type Shifts = ReadonlyMap<number, Point>;
const NONE: Shifts = new Map();
/** A scale at which numbers can be read. */
const NEAR = 0.6;

export interface Actions {
  cursor: number;
  editing: number;
  shifts: Shifts;
  foundAt: number;
  keys: Omit<KeyActions, "zoom" | "fitAll">;
  grab(target: Element, at: Point): Drag | null;
  tap(target: Element, at: Point): void;
  edit(target: Element): void;
  focused(target: Element): void;
  written(value: number | null): void;
  visits(): number[];
  jump(step: number): void;
  resetSearch(): void;
}

export function useActions(given: Given): Actions {
  const { props, arrangement, viewing, folding, setFolding, svg, found, linkAt } = given;
  const { graph } = props;
  const [cursorNode, setCursorNode] = useState(graph.root);
  const [editing, setEditing] = useState(-1);
  const [shifts, setShifts] = useState(NONE);
  const [foundAt, setFoundAt] = useState(-1);
  const wanted = useRef(false); // the focus is to go to the cursor
  const revealing = useRef<{ members: readonly number[]; one: boolean } | null>(null);
  const cursor = arrangement.boxOf[cursorNode] ?? arrangement.boxOf[graph.root]!;
  const { boxes, plan } = arrangement;

  useEffect(() => setShifts(NONE), [arrangement]);
  useEffect(() => {
    setCursorNode(graph.root);
    setEditing(-1);
  }, [graph]);
  useLayoutEffect(() => {
    // the arrangement has changed: show what was asked for
    const wish = revealing.current;
    revealing.current = null;
    if (wish?.one) unfoldTo(wish.members[0]!);
    else if (wish) viewing.show(framed(hull(arrangement, wish.members)));
  }, [arrangement]);
  useEffect(() => {
    if (!wanted.current) return;
    wanted.current = false;
    svg.current
      ?.querySelector<SVGElement>(`[data-box="${CSS.escape(boxes[cursor]!.id)}"] .target`)
      ?.focus({ preventScroll: true });
  });

  const moveTo = (box: number) => {
    if (box < 0) return;
    wanted.current = true;
    setCursorNode(boxes[box]!.members[0]!);
    viewing.reveal(plan.rects[box]!, Math.min(NEAR, viewing.view.scale));
  };
  /** Opens the groups around a node, one inside the other, and brings it into the frame. */
  const unfoldTo = (node: number) => {
    const at = arrangement.boxOf[node]!;
    const { id, members } = boxes[at]!;
    if (members.length === 1) return viewing.reveal(plan.rects[at]!, NEAR);
    revealing.current = { members: [node], one: true };
    setFolding({ ...folding, open: [...folding.open, id] });
  };
  const openGroup = (box: number) => {
    const { id, members } = boxes[box]!;
    revealing.current = { members, one: false };
    setCursorNode(members[0]!);
    setFolding({ ...folding, open: [...folding.open, id] });
  };
  const startEdit = (node: number): boolean => {
    const can = !!props.onEdit && !!graph.nodes[node]?.editable;
    if (can) setEditing(node);
    return can;
  };
  const activate = (box: number, edit: boolean) => {
    const { members } = boxes[box]!;
    if (members.length > 1) return openGroup(box);
    setCursorNode(members[0]!);
    props.onSelect({ kind: "node", node: members[0]! });
    if (edit) startEdit(members[0]!);
  };
  const boxAt = (target: Element, at: Point): number => {
    const id = target.closest("[data-box]")?.getAttribute("data-box");
    if (id) return boxes.findIndex((box) => box.id === id);
    const { x, y, scale } = viewing.view;
    return at.x < 0
      ? -1
      : plan.rects.findIndex((rect, k) =>
          holds(shifted(rect, shifts.get(k)), (at.x - x) / scale, (at.y - y) / scale),
        );
  };
  const tap = (target: Element, at: Point) => {
    const frame = target.closest("[data-fold]")?.getAttribute("data-fold");
    if (frame) return setFolding(closed(folding, frame));
    const own = target.closest("[data-link]")?.getAttribute("data-link");
    const box = own ? -1 : boxAt(target, at);
    if (box >= 0) return activate(box, false);
    const link = own ?? linkAt(at);
    const use = link ? arrangement.links.find((one) => one.id === link && one.alone)?.uses[0] : undefined;
    if (use) props.onSelect({ kind: "edge", node: use.node, position: use.position });
    else if (!link) props.onSelect(null);
  };

  // --- drags

  const grab = (target: Element, at: Point): Drag | null => {
    const node = Number(target.closest("[data-node]")?.getAttribute("data-node") ?? -1);
    if (node >= 0 && props.onEdit && target.closest("[data-grip], .cell.editable")) return valueDrag(node);
    return node >= 0 && props.draggable ? nodeDrag(boxAt(target, at)) : null;
  };
  const valueDrag = (node: number): Drag => {
    const start = props.run.data[node]!;
    const step = stepOf(start);
    const send = throttled((value: number) => latest.current.props.onEdit?.(node, value));
    return {
      // up and to the right is more, as people try both
      move: (by, event) => send(dragged(start, (by.x - by.y) * step * (event.shiftKey ? 0.1 : 1), step)),
      end: () => send.now(),
    };
  };
  const nodeDrag = (box: number): Drag => {
    const start = shifts.get(box) ?? { x: 0, y: 0 };
    const { scale } = viewing.view;
    return {
      move: (by) =>
        setShifts((old) => new Map(old).set(box, { x: start.x + by.x / scale, y: start.y + by.y / scale })),
      end: (moved) => {
        if (moved) latest.current.tellOrder();
      },
    };
  };
  const rectOf = (node: number, with_: Shifts): Rect => {
    const box = arrangement.boxOf[node]!;
    return shifted(plan.rects[box]!, with_.get(box));
  };
  const visits = () => visitOrder(graph, (node) => rectOf(node, shifts));
  const latest = useRef({ props, tellOrder: () => {} });
  latest.current = { props, tellOrder: () => props.onOrder?.(visits()) };

  // --- keys and search

  const order = (step: number): boolean => {
    if (!props.draggable) return false;
    const next = moveInOrder(visits(), boxes[cursor]!.members[0]!, step, (node) => rectOf(node, shifts));
    if (!next) return true;
    const moved = new Map(shifts);
    for (const [node, by] of next) {
      const box = arrangement.boxOf[node]!;
      const old = moved.get(box) ?? { x: 0, y: 0 };
      moved.set(box, { x: old.x + by, y: old.y });
    }
    setShifts(moved);
    props.onOrder?.(visitOrder(graph, (node) => rectOf(node, moved)));
    return true;
  };
  const operand = (position: number) => {
    const { members } = boxes[cursor]!;
    const node = graph.nodes[members[0]!]!;
    if (members.length === 1 && position < node.inputs.length)
      props.onSelect({ kind: "edge", node: node.index, position });
  };
  const close = () => {
    const group = boxes[cursor]!.around.at(-1);
    if (!group) return;
    wanted.current = true;
    setFolding(closed(folding, group.id));
  };
  const clear = (): boolean => {
    if (props.selected) props.onSelect(null);
    return !!props.selected;
  };
  const jump = (step: number) => {
    if (!found.length) return;
    const next = ((foundAt < 0 && step < 0 ? 0 : foundAt) + step + found.length) % found.length;
    const node = found[next]!;
    setFoundAt(next);
    setCursorNode(node);
    props.onSelect({ kind: "node", node });
    unfoldTo(node);
  };

  return {
    cursor,
    editing,
    shifts,
    foundAt,
    grab,
    tap,
    visits,
    jump,
    keys: {
      go: (direction) => moveTo(neighbour(arrangement, cursor, direction)),
      open: () => activate(cursor, true),
      close,
      operand,
      clear,
      order,
    },
    edit: (target) => {
      startEdit(Number(target.closest("[data-node]")?.getAttribute("data-node") ?? -1));
    },
    focused: (target) => {
      const id = target.closest("[data-box]")?.getAttribute("data-box");
      const box = id ? boxes.find((one) => one.id === id) : undefined;
      if (box) setCursorNode(box.members[0]!);
    },
    written: (value) => {
      setEditing(-1);
      wanted.current = true;
      if (value !== null && !Object.is(value, props.run.data[editing])) props.onEdit?.(editing, value);
    },
    resetSearch: useCallback(() => setFoundAt(-1), []),
  };
}
