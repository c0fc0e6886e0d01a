import type { Graph } from "../engine/graph";
import type { Run } from "../engine/node";
import type { Timeline } from "../engine/timeline";
import type { Folding } from "./fold";
import type { Selection } from "./look";

export interface PictureProps {
  graph: Graph;
  run: Run;
  timeline: Timeline;
  time: number;
  selected: Selection | null;
  onSelect(selection: Selection | null): void;
  /** The run before an edit: numbers that differ are marked. */
  compare?: Run | null;
  breakpoints?: ReadonlySet<number>;
  /** Nodes of a path, in order; everything else steps back. */
  highlighted?: readonly number[];
  /** Enter, a double click or a drag on the number of a leaf writes another number. */
  onEdit?(node: number, data: number): void;
  /** What is folded; the picture keeps it itself where this is left out. */
  folding?: Folding;
  onFolding?(folding: Folding): void;
  /** Nodes can be dragged about; from right to left they stand in the order `onOrder` tells. */
  draggable?: boolean;
  onOrder?(order: number[]): void;
  /** Zoom and folding below the picture; also whether the wheel zooms. Default: true. */
  controls?: boolean;
  /** Default: true. */
  search?: boolean;
  /** Default: true, shown where not all of the picture is in the frame. */
  minimap?: boolean;
  /** What a screen reader calls the picture. */
  label: string;
}
