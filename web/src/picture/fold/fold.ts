/** Folding: a graph of thousands of nodes as a few dozen boxes, each of which can be opened. */

import type { Graph } from "../../engine/graph";
import { kept } from "../shared/kept";
import { ROOT_KEY, byDepth, byLayer, byName, byRun, byShared, byWork, hasLayers, type Way } from "./keys";
import type { Effort } from "../shared/plan";

/** "auto" folds past `AUTOMATIC` nodes, by what suits the graph; "none" folds nothing. */
export type FoldMode = "auto" | "none" | "layer" | "name" | "shared" | "work" | "depth";

/** What is folded. Plain JSON, so that a link can carry it. */
export interface Folding {
  mode: FoldMode;
  /** Ids of the open groups. */
  open: readonly string[];
}

const KNOWN: Record<FoldMode, true> = {
  auto: true, none: true, layer: true, name: true, shared: true, work: true, depth: true,
};

/** The folding in a link, if it is one. */
export function asFolding(kept: unknown): Folding | undefined {
  const { mode, open } = Object(kept) as Partial<Folding>;
  const sound = Object.hasOwn(KNOWN, String(mode)) && Array.isArray(open);
  return sound ? { mode: mode!, open: open.filter((id) => typeof id === "string") } : undefined;
}

/** The folding without an open group and what was opened inside it. */
export function closed(folding: Folding, id: string): Folding {
  return { ...folding, open: folding.open.filter((other) => other !== id && !other.startsWith(`${id}/`)) };
}

/** Nodes that become one box. */
export interface Part {
  id: string;
  title: string;
  /** Nodes in order; a part with one member is that node. */
  members: number[];
  /** Ids of the open groups around it, outermost first. */
  around: readonly { id: string; title: string }[];
}

/** Graphs of up to so many nodes are not folded by default; a group opens into about so many. */
export const AUTOMATIC = 60;

interface Pending {
  part: Part;
  ways: (() => Way)[];
}

/** The parts of the graph: every node in exactly one, no cycle between them. */
export function fold(graph: Graph, folding: Folding, effort: Effort = { steps: 0 }): Part[] {
  const mode = resolve(graph, folding.mode);
  if (mode === "none") return graph.nodes.map((node) => single(node.index, []));
  const all = graph.nodes.map((node) => node.index);
  const whole: Part = { id: "", title: "", members: all, around: [] };
  const open = new Set(folding.open);
  const done: Part[] = [];
  const waiting: Pending[] = [{ part: whole, ways: waysOf(graph, mode).map((way) => () => way) }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { part, ways } = next;
    if (part.members.length === 1) done.push(single(part.members[0]!, part.around));
    else if (part.id && !open.has(part.id)) done.push(part);
    else for (const inner of divide(graph, part, ways, effort)) waiting.push(inner);
  }
  return done.sort((a, b) => a.members[0]! - b.members[0]!);
}

/** The mode that "auto" selects for this graph. */
export function resolve(graph: Graph, mode: FoldMode): FoldMode {
  if (mode !== "auto") return mode;
  if (graph.size <= AUTOMATIC) return "none";
  return suitable(graph);
}

/** The first mode with a readable number of boxes. */
const suitable = kept((graph: Graph): FoldMode => {
  for (const mode of ["layer", "work", "name", "shared"] as const) {
    if (mode === "layer" && !hasLayers(graph)) continue;
    const count = fold(graph, { mode, open: [] }).length;
    if (count >= 4 && count <= AUTOMATIC) return mode;
  }
  return "depth";
});

function single(index: number, around: Part["around"]): Part {
  return { id: `node ${index}`, title: "", members: [index], around };
}

function waysOf(graph: Graph, mode: FoldMode): Way[] {
  switch (mode) {
    case "layer":
      return byLayer(graph);
    case "name":
      return [byName(graph)];
    case "shared":
      return [byShared(graph)];
    case "work":
      return [byWork(graph)];
    default:
      return [byDepth(graph)];
  }
}

// --- dividing a group ---------------------------------------------------------------------------

/** The parts inside a group: by the next way that tells its members apart, at last one by one. */
function divide(graph: Graph, part: Part, ways: Pending["ways"], effort: Effort): Pending[] {
  const { members } = part;
  const small = members.length <= AUTOMATIC;
  const finer = small
    ? []
    : [() => byWork(graph), () => byDepth(graph, members), () => byRun(graph, members)];
  const candidates = [...ways, ...finer];
  for (let k = 0; k < candidates.length; k++) {
    const parts = staged(graph, part, candidates[k]!(), effort);
    const tooMany = k >= ways.length && parts.length > AUTOMATIC && k < candidates.length - 1;
    if (parts.length > 1 && parts.length < members.length && !tooMany) {
      return parts.map((found) => ({ part: found, ways: ways.slice(k + 1) }));
    }
  }
  const around = part.id ? [...part.around, { id: part.id, title: part.title }] : [];
  return members.map((i) => ({ part: single(i, around), ways: [] }));
}

/** Members by key. If one box would be both before and after another, as in a recurrence, the key is divided
 * into stages. Stages only grow along edges, and inside a stage no key comes back after it was left.
 * So there is no cycle between the parts. */
function staged(graph: Graph, part: Part, way: Way, effort: Effort): Part[] {
  const keys = (i: number) => (i === graph.root ? ROOT_KEY : way.keys[i]!);
  const stages = new Stages(graph, part.members, keys, effort);
  const titled: Way["title"] = (key, members) => (key === ROOT_KEY ? "" : way.title(key, members));
  const found = new Map<string, number[]>();
  for (const i of part.members) {
    const place = `${stages.of(i)} ${keys(i)}`;
    const members = found.get(place);
    if (members) members.push(i);
    else found.set(place, [i]);
  }
  return named([...found.values()], part, { ...way, title: titled }, keys);
}

function named(groups: number[][], part: Part, way: Way, keys: (i: number) => string): Part[] {
  const times = new Map<string, number>();
  const around = part.id ? [...part.around, { id: part.id, title: part.title }] : [];
  const prefix = part.id ? `${part.id}/` : "";
  return groups.map((members) => {
    const key = keys(members[0]!);
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    const again = time > 1 ? ` (${time})` : "";
    return {
      id: `${prefix}${way.name}:${key}${again}`,
      title: way.title(key, members) + again,
      members,
      around,
    };
  });
}

/** The stage of every member; see `staged`. */
class Stages {
  private readonly stage = new Map<number, number>();
  private readonly inside: ReadonlySet<number>;
  /** For each stage, the keys that follow each key. */
  private readonly after: Map<string, Set<string>>[] = [];

  constructor(
    private readonly graph: Graph,
    members: readonly number[],
    private readonly key: (i: number) => string,
    private readonly effort: Effort,
  ) {
    this.inside = new Set(members);
    for (const i of members) if (graph.nodes[i]!.inputs.length) this.place(i);
  }

  /** A leaf that no member of the group uses is in the first stage. */
  of(i: number): number {
    return this.stage.get(i) ?? 0;
  }

  /** Leaves are placed with the first node that uses them. */
  private place(i: number): void {
    const operands = this.graph.nodes[i]!.inputs.filter((j) => this.inside.has(j));
    let stage = 0;
    for (const j of operands) stage = Math.max(stage, this.of(j));
    if (!this.fits(i, operands, stage))
      stage = this.fits(i, operands, stage + 1) ? stage + 1 : this.after.length;
    this.stage.set(i, stage);
    for (const j of operands) this.link(j, i, stage);
  }

  private fits(i: number, operands: readonly number[], stage: number): boolean {
    return operands.every((j) => {
      const beside = (this.stage.get(j) ?? stage) === stage && this.key(j) !== this.key(i);
      return !beside || !this.leads(stage, this.key(i), this.key(j));
    });
  }

  private link(j: number, i: number, stage: number): void {
    if (!this.stage.has(j)) this.stage.set(j, stage);
    while (this.after.length <= stage) this.after.push(new Map());
    if (this.stage.get(j) !== stage || this.key(j) === this.key(i)) return;
    const from = this.after[stage]!.get(this.key(j)) ?? new Set<string>();
    this.after[stage]!.set(this.key(j), from.add(this.key(i)));
  }

  /** Whether one key is before another, in this stage so far. */
  private leads(stage: number, from: string, to: string): boolean {
    const edges = this.after[stage];
    if (!edges?.has(from)) return false;
    const seen = new Set([from]);
    for (const key of seen) {
      this.effort.steps++;
      if (key === to) return true;
      for (const next of edges.get(key) ?? []) seen.add(next);
    }
    return false;
  }
}
