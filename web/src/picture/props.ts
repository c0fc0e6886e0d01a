import type { Graph } from "../engine/graph";
import type { Run } from "../engine/node";
import type { Timeline } from "../engine/timeline";
import type { Folding } from "./fold/fold";
import type { Selection } from "./look/look";

export interface PictureProps {
  graph: Graph;
  run: Run;
  timeline: Timeline;
  time: number;
  selected: Selection | null;
  onSelect(selection: Selection | null): void;
  /** The run before an edit: values that differ are marked. */
  compare?: Run | null;
  breakpoints?: ReadonlySet<number>;
  /** Nodes of a path, in order; all others are dimmed. */
  highlighted?: readonly number[];
  /** Enter, a double click or a drag on the value of a leaf changes it. */
  onEdit?(node: number, data: number): void;
  /** What is folded; by default, the picture stores it. */
  folding?: Folding;
  onFolding?(folding: Folding): void;
  /** A node to unfold to and to bring into the frame; each new object does so once. */
  reveal?: { node: number } | null;
  /** Whether nodes can be dragged; `onOrder` gets their order from right to left. */
  draggable?: boolean;
  onOrder?(order: number[]): void;
  /** Zoom and folding below the picture; also whether the wheel zooms. Default: true. */
  controls?: boolean;
  /** Default: true. */
  search?: boolean;
  /** Default: true. It is shown if the frame shows only a part of the picture. */
  minimap?: boolean;
  /** The accessible name of the picture. */
  label: string;
}
