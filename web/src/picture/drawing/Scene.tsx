import type { Arrangement, Link } from "../layout/arrange";
import { Bundle, Through } from "./Bundle";
import { Far } from "./Far";
import { FrameNames, Frames } from "./Frames";
import { GroupBox } from "./GroupBox";
import { type Colouring, heatOf } from "../look/heat";
import { placesOf } from "../layout/labels";
import { LinkLine, SlopeLabel, Traveller, curve } from "./LinkLine";
import { sampled } from "../layout/curves";
import type { Point } from "../shared/plan";
import { type Selection, type Showing, boxLook, linkGlow, linkLook } from "../look/look";
import { memo } from "../shared/memo";
import { type BoxMarks, NodeBox } from "./NodeBox";
import type { Places } from "../interaction/slots";
import { bentWith, shifted } from "../interaction/visits";

/** The marks in the picture that do not depend on the run. */
export interface Marked {
  selected: Selection | null;
  /** Index of the box that the keyboard is at; -1: none. */
  cursor: number;
  highlighted?: readonly number[];
  breakpoints?: ReadonlySet<number>;
  found?: ReadonlySet<number>;
  /** The nodes in the order in which they are visited. */
  visits?: readonly number[];
  hovered: string;
  /** What the colour of a group stands for. */
  colouring?: Colouring;
}

export interface SceneProps {
  showing: Showing;
  arrangement: Arrangement;
  /** Indices of the boxes and links to draw one by one. */
  boxes: readonly number[];
  links: readonly number[];
  /** Whether inactive links are drawn together. */
  together?: boolean;
  through?: readonly number[];
  /** Whether everything else is drawn as from afar. */
  far: boolean;
  marked: Marked;
  editable: boolean;
  shifts?: ReadonlyMap<number, Point>;
  /** Which element draws which box and link, from one drawing to the next. */
  places?: Places;
}

/** Everything in the picture that does not depend on the view. */
export const Scene = memo(function Scene(props: SceneProps) {
  const { showing, arrangement, boxes, far, marked } = props;
  const { graph, run } = showing;
  const links = props.together ? props.links.filter((k) => standsOut(props, k)) : props.links;
  const keyOf = (k: number, at: number) => (props.together ? at : (props.places?.links.get(k) ?? k));
  return (
    <g class="scene">
      <Frames arrangement={arrangement} />
      {far && <Far arrangement={arrangement} showing={showing} />}
      {!!props.through?.length && <Through arrangement={arrangement} links={props.through} />}
      {props.together && (
        <Bundle
          arrangement={arrangement}
          graph={graph}
          run={run}
          links={props.links}
          dimmed={!!marked.highlighted?.length}
        />
      )}
      <g class="edges">{links.map((k, at) => drawnLink(props, k, keyOf(k, at)))}</g>
      <g class="boxes">{boxes.map((k) => drawnBox(props, k))}</g>
      <FrameNames arrangement={arrangement} />
      <g class="labels">{drawnLabels(props, links, keyOf)}</g>
      {travellers(props, links)}
    </g>
  );
});

function drawnBox({ showing, arrangement, marked, editable, shifts, places }: SceneProps, k: number) {
  const box = arrangement.boxes[k]!;
  const { graph, timeline, time } = showing;
  const look = boxLook(showing, box, timeline.at(time));
  const rect = shifted(arrangement.plan.rects[k]!, shifts?.get(k));
  const marks = marksOf(arrangement, marked, k);
  const focusable = marked.cursor === k;
  const key = places?.boxes.get(k) ?? box.id;
  if (box.members.length > 1) {
    const heat = heatOf(timeline, arrangement, marked.colouring ?? "none")?.[k];
    return (
      <GroupBox
        key={key}
        graph={graph}
        box={box}
        rect={rect}
        look={look}
        marks={marks}
        focusable={focusable}
        heat={heat && heat.from <= time ? heat : null}
      />
    );
  }
  const index = box.members[0]!;
  const can = editable && graph.nodes[index]!.editable;
  return (
    <NodeBox
      key={key}
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

/** Whether a link is active in this step, selected, hovered, or at the cursor. */
function standsOut({ showing, arrangement, marked }: SceneProps, k: number): boolean {
  const link = arrangement.links[k]!;
  const { hovered, selected, cursor } = marked;
  if (link.source === cursor || link.target === cursor || link.id === hovered) return true;
  if (isSelected(link, selected) || isOnPath(link, marked.highlighted)) return true;
  return linkGlow(link, showing.timeline.at(showing.time), showing.graph) !== "";
}

function isOnPath(link: Link, highlighted: readonly number[] | undefined): boolean {
  return !!highlighted && link.uses.some((use) => follows(highlighted, use.operand, use.node));
}

function drawnLink({ showing, arrangement, marked, shifts }: SceneProps, k: number, key: number) {
  const link = arrangement.links[k]!;
  const { timeline, time } = showing;
  const { selected, highlighted } = marked;
  const chosen = isSelected(link, selected);
  const onPath = isOnPath(link, highlighted);
  const points = bentWith(arrangement.plan.paths[k]!, shifts?.get(link.source), shifts?.get(link.target));
  return (
    <LinkLine
      key={key}
      id={link.id}
      points={points}
      down={arrangement.plan.down}
      count={link.uses.length}
      alone={link.alone}
      look={linkLook(showing, link, timeline.at(time))}
      selected={chosen}
      highlighted={onPath}
      dimmed={!!highlighted?.length && !onPath}
      hovered={marked.hovered === link.id}
    />
  );
}

interface Label {
  key: number;
  link: number;
  text: string;
}

function lineOf({ arrangement, shifts }: SceneProps, k: number): Point[] {
  const { source, target } = arrangement.links[k]!;
  const { paths, down } = arrangement.plan;
  return sampled(bentWith(paths[k]!, shifts?.get(source), shifts?.get(target)), down);
}

function drawnLabels(props: SceneProps, links: readonly number[], keyOf: (k: number, at: number) => number) {
  const labels = links.flatMap((k, at) => label(props, k, keyOf(k, at)) ?? []);
  if (!labels.length) return [];
  const lines = new Map(links.map((k) => [k, lineOf(props, k)]));
  const wanted = labels.map(({ text, link }) => ({ text, line: lines.get(link)! }));
  const { plan } = props.arrangement;
  const boxes = props.boxes.map((k) => shifted(plan.rects[k]!, props.shifts?.get(k)));
  const places = placesOf(wanted, [...lines.values()], boxes);
  return labels.map(({ key, text }, at) => <SlopeLabel key={key} {...places[at]!} text={text} />);
}

/** The contributions of this step on their way, above the boxes. */
function travellers(props: SceneProps, links: readonly number[]) {
  const { showing, arrangement, shifts } = props;
  const moment = showing.timeline.at(showing.time);
  if (moment.kind !== "backward") return [];
  return links.flatMap((k) => {
    const link = arrangement.links[k]!;
    const { contribution } = linkLook(showing, link, moment);
    if (!contribution) return [];
    const points = bentWith(arrangement.plan.paths[k]!, shifts?.get(link.source), shifts?.get(link.target));
    return [<Traveller key={link.id} d={curve(points, arrangement.plan.down)} text={contribution} />];
  });
}

/** The local derivative of a selected or hovered edge, or the factor of one that is active. */
function label({ showing, arrangement, marked }: SceneProps, k: number, key: number): Label | null {
  const link = arrangement.links[k]!;
  const wanted = marked.hovered === link.id || isSelected(link, marked.selected);
  const moment = showing.timeline.at(showing.time);
  if (!wanted && (moment.kind !== "backward" || !link.uses.some((use) => use.node === moment.node)))
    return null;
  const look = linkLook(showing, link, moment);
  const text = (wanted && look.slope) || look.factor;
  return text ? { key, link: k, text } : null;
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
