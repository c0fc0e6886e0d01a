import type { Arrangement, Link } from "./arrange";
import { Far } from "./Far";
import { GroupBox } from "./GroupBox";
import { LinkLine, SlopeLabel, curve } from "./LinkLine";
import type { Point } from "./layout";
import { type Selection, type Showing, boxLook, linkLook } from "./look";
import { memo } from "./memo";
import { type BoxMarks, NodeBox } from "./NodeBox";
import { bentWith, shifted } from "./visits";

/** What is marked in the picture, apart from the run. */
export interface Marked {
  selected: Selection | null;
  /** Index of the box that the keyboard stands on; -1: nowhere. */
  cursor: number;
  highlighted?: readonly number[];
  breakpoints?: ReadonlySet<number>;
  found?: ReadonlySet<number>;
  /** The visit order, of nodes. */
  visits?: readonly number[];
  hovered: string;
}

export interface SceneProps {
  showing: Showing;
  arrangement: Arrangement;
  /** Indices of the boxes and links to draw one by one. */
  boxes: readonly number[];
  links: readonly number[];
  through?: readonly number[];
  /** Whether everything else is drawn as from afar. */
  far: boolean;
  marked: Marked;
  editable: boolean;
  shifts?: ReadonlyMap<number, Point>;
}

/** Everything inside the picture that does not depend on where it is looked at from. */
export const Scene = memo(function Scene(props: SceneProps) {
  const { showing, arrangement, boxes, links, far } = props;
  return (
    <g class="scene">
      {far && <Far arrangement={arrangement} showing={showing} />}
      {!!props.through?.length && <Through arrangement={arrangement} links={props.through} />}
      <g class="edges">{links.map((k) => drawnLink(props, k))}</g>
      <g class="boxes">{boxes.map((k) => drawnBox(props, k))}</g>
      <g class="labels">{links.map((k) => label(props, k))}</g>
    </g>
  );
});

/** Edges that lead past everything that is shown. */
const Through = memo(function Through({
  arrangement,
  links,
}: {
  arrangement: Arrangement;
  links: readonly number[];
}) {
  return <path class="through" d={links.map((k) => curve(arrangement.plan.paths[k]!)).join("")} />;
});

function drawnBox({ showing, arrangement, marked, editable, shifts }: SceneProps, k: number) {
  const box = arrangement.boxes[k]!;
  const { graph, timeline, time } = showing;
  const look = boxLook(showing, box, timeline.at(time));
  const rect = shifted(arrangement.plan.rects[k]!, shifts?.get(k));
  const marks = marksOf(arrangement, marked, k);
  const focusable = marked.cursor === k;
  if (box.members.length > 1) {
    return (
      <GroupBox
        key={box.id}
        graph={graph}
        box={box}
        rect={rect}
        look={look}
        marks={marks}
        focusable={focusable}
      />
    );
  }
  const index = box.members[0]!;
  const can = editable && graph.nodes[index]!.editable;
  return (
    <NodeBox
      key={box.id}
      graph={graph}
      index={index}
      rect={rect}
      look={look}
      marks={marks}
      editable={can}
      focusable={focusable}
    />
  );
}

function marksOf({ boxes, boxOf }: Arrangement, marked: Marked, k: number): BoxMarks {
  const { selected, highlighted, breakpoints, found, visits } = marked;
  const { members } = boxes[k]!;
  const alone = members.length === 1 ? members[0]! : -1;
  const step = highlighted ? highlighted.findIndex((i) => boxOf[i] === k) + 1 : 0;
  return {
    selected: selected?.kind === "node" && boxOf[selected.node] === k,
    cursor: marked.cursor === k,
    step,
    dimmed: !!highlighted?.length && !step,
    breakpoint:
      !!breakpoints?.size && (alone >= 0 ? breakpoints.has(alone) : members.some((i) => breakpoints.has(i))),
    found: !!found?.size && (alone >= 0 ? found.has(alone) : members.some((i) => found.has(i))),
    visit: alone >= 0 && visits ? visits.indexOf(alone) + 1 : 0,
  };
}

function drawnLink({ showing, arrangement, marked, shifts }: SceneProps, k: number) {
  const link = arrangement.links[k]!;
  const { timeline, time } = showing;
  const { selected, highlighted } = marked;
  const chosen = isSelected(link, selected);
  const onPath = !!highlighted && link.uses.some((use) => follows(highlighted, use.operand, use.node));
  const points = bentWith(arrangement.plan.paths[k]!, shifts?.get(link.source), shifts?.get(link.target));
  return (
    <LinkLine
      key={link.id}
      id={link.id}
      points={points}
      count={link.uses.length}
      alone={link.alone}
      look={linkLook(showing, link, timeline.at(time))}
      selected={chosen}
      highlighted={onPath}
      dimmed={!!highlighted?.length && !onPath}
    />
  );
}

/** The local derivative of an edge that is selected or looked at, the factor of one that is at work. */
function label({ showing, arrangement, marked, shifts }: SceneProps, k: number) {
  const link = arrangement.links[k]!;
  const wanted = marked.hovered === link.id || isSelected(link, marked.selected);
  const moment = showing.timeline.at(showing.time);
  if (!wanted && (moment.kind !== "backward" || !link.uses.some((use) => use.node === moment.node)))
    return null;
  const look = linkLook(showing, link, moment);
  const text = (wanted && look.slope) || look.factor;
  const points = bentWith(arrangement.plan.paths[k]!, shifts?.get(link.source), shifts?.get(link.target));
  return text ? <SlopeLabel key={link.id} points={points} text={text} /> : null;
}

function isSelected(link: Link, selected: Selection | null): boolean {
  return (
    selected?.kind === "edge" &&
    link.uses.some((use) => use.node === selected.node && use.position === selected.position)
  );
}

/** Whether two nodes are neighbours on the path, in either direction. */
function follows(path: readonly number[], a: number, b: number): boolean {
  return path.some((node, k) => (node === a && path[k + 1] === b) || (node === b && path[k + 1] === a));
}
