/** The ways to fold: each gives every node a key, and nodes with one key may be in one box. */

import type { Graph } from "../../engine/graph";
import type { GraphNode } from "../../engine/node";
import { counted, pattern, tally } from "../shared/names";
import { sameWork } from "./work";

export const ROOT_KEY = "root";
/** Unnamed nodes that lead to no named one. */
const REST = "unnamed work";
const BANDS = 8;
const RUN = 50;

/** One level of folding: a key for each node, and the title of a box of that key. */
export interface Way {
  name: string;
  keys: readonly string[];
  title(key: string, members: readonly number[]): string;
}

// --- by layer -----------------------------------------------------------------------------------

/** "layers.0.neurons.3" -> ["layers.0", "layers.0.neurons.3"]: a number belongs to what it counts. */
export function steps(path: string): string[] {
  const found: string[] = [];
  let start = true;
  path.split(".").forEach((part, k, parts) => {
    const whole = parts.slice(0, k + 1).join(".");
    if (/^\d+$/.test(part) && !start) found[found.length - 1] = whole;
    else found.push(whole);
    start = false;
  });
  return found;
}

/** The place of every node in its model; without one of its own, the place of its parameters. */
export function places(graph: Graph): string[] {
  const found: string[] = [];
  const depth: number[] = [];
  for (const node of graph.nodes) {
    depth.push(1 + Math.max(-1, ...node.inputs.map((j) => depth[j]!)));
    found.push(node.group || ownPlace(node) || inherited(graph, node, found, depth));
  }
  return found;
}

/** "layers.0.weights.7" is in "layers.0"; "x3" has no place. */
function ownPlace(node: GraphNode): string {
  const path = node.label.split(".");
  const kept = /^\d+$/.test(path.at(-1)!) ? path.slice(0, -2) : path.slice(0, -1);
  return kept.some((part) => /\d/.test(part)) ? kept.join(".") : "";
}

/** An operation on a parameter belongs to the parameter's layer, others to that of the latest operand. */
function inherited(graph: Graph, node: GraphNode, found: string[], depth: number[]): string {
  const placed = node.inputs.filter((j) => found[j]);
  const leaves = placed.filter((j) => !graph.nodes[j]!.inputs.length);
  if (leaves.length) return found[leaves.at(-1)!]!;
  if (!placed.length) return "";
  const latest = placed.reduce((best, j) => (depth[j]! > depth[best]! ? j : best));
  return placed.reduce((path, j) => common(path, found[j]!), found[latest]!) || found[latest]!;
}

/** The common part of two paths. */
function common(a: string, b: string): string {
  if (a === b) return a;
  const [left, right] = [steps(a), steps(b)];
  let k = 0;
  while (k < left.length && left[k] === right[k]) k++;
  return k ? left[k - 1]! : "";
}

/** Whether the nodes have places in a model with layers. */
export function hasLayers(graph: Graph): boolean {
  return places(graph).some((path) => path !== "");
}

/** A way for each level of the model: its layers, then the neurons of a layer, and so on. */
export function byLayer(graph: Graph): Way[] {
  const paths = places(graph).map((path) => (path ? steps(path) : []));
  const inside = insideOf(graph);
  const deepest = paths.reduce((most, path) => Math.max(most, path.length), 0);
  const levels = Math.min(4, deepest);
  const title = (key: string) => key.split("/").at(-1)!;
  return Array.from({ length: levels }, (_, level) => ({
    name: "layer",
    keys: graph.nodes.map((node) => {
      const path = paths[node.index]!;
      return path[level] ?? path.at(-1) ?? inside[node.index]!;
    }),
    title,
  }));
}

/** Leaves outside all layers by their names, other nodes by what they lead to. */
function insideOf(graph: Graph): string[] {
  return graph.nodes.map((node) => (node.label && node.leaf ? pattern(node.label) : "outside the layers"));
}

// --- by name ------------------------------------------------------------------------------------

/** A node with a name, together with all unnamed nodes that lead to it. */
export function byName(graph: Graph): Way {
  const keys: string[] = new Array(graph.size).fill(REST);
  for (let i = graph.size - 1; i >= 0; i--) {
    const node = graph.nodes[i]!;
    const user = node.consumers[0];
    keys[i] = node.label ? pattern(node.label) : user ? keys[user.node]! : REST;
  }
  return { name: "name", keys, title: (key) => key };
}

// --- by shared subexpression --------------------------------------------------------------------

/** A result that is used more than once, together with the nodes that serve only it. */
export function byShared(graph: Graph): Way {
  const heads = graph.nodes.map((node) => node.index);
  for (let i = graph.size - 1; i >= 0; i--) {
    const users = new Set(graph.nodes[i]!.consumers.map((use) => use.node));
    const [user] = users;
    if (users.size === 1 && user !== graph.root) heads[i] = heads[user!]!;
  }
  return { name: "shared", keys: heads.map(String), title: (key) => graph.nodes[Number(key)]!.name };
}

// --- by the same work, by depth, in runs --------------------------------------------------------

export function byWork(graph: Graph): Way {
  return { name: "work", keys: sameWork(graph), title: (_, members) => titleOfWork(graph, members) };
}

/** What the members have in common: their name, or their operation. */
function titleOfWork(graph: Graph, members: readonly number[]): string {
  const names = new Set(members.map((i) => pattern(graph.nodes[i]!.label)));
  const [name] = names;
  if (name && names.size === 1) return name;
  const ops = new Set(members.map((i) => graph.nodes[i]!.op));
  if (ops.size === 1) return [...ops][0] || (graph.nodes[members[0]!]!.constant ? "constants" : "leaves");
  return `${tally(graph, members, 2)}`;
}

/** Bands of the distance from the root, for graphs that never do the same work twice. */
export function byDepth(graph: Graph, among: readonly number[] = graph.nodes.map((node) => node.index)): Way {
  const distance = new Map<number, number>();
  for (let k = among.length - 1; k >= 0; k--) {
    const users = graph.nodes[among[k]!]!.consumers.map((use) => distance.get(use.node) ?? -1);
    distance.set(among[k]!, 1 + users.reduce((most, d) => Math.max(most, d), -1));
  }
  const deepest = [...distance.values()].reduce((most, d) => Math.max(most, d), 0);
  const width = Math.ceil((deepest + 1) / BANDS);
  const band = (i: number) => Math.floor((deepest - (distance.get(i) ?? 0)) / width) * width;
  const keys = graph.nodes.map((node) => `${band(node.index)}`);
  return { name: "depth", keys, title: (key) => bandTitle(Number(key), width) };
}

function bandTitle(start: number, width: number): string {
  const first = `depth ${counted(start + 1)}`;
  return width > 1 ? `${first}–${counted(start + width)}` : first;
}

/** Neighbours in the order of the program, if no other way divides the nodes. */
export function byRun(graph: Graph, among: readonly number[]): Way {
  const width = Math.max(RUN, Math.ceil(among.length / RUN));
  const keys: string[] = new Array(graph.size).fill("");
  among.forEach((i, k) => {
    keys[i] = String(Math.floor(k / width));
  });
  const name = (i: number | undefined) => (i === undefined ? "" : graph.nodes[i]!.name);
  return { name: "run", keys, title: (_, members) => `${name(members[0])} … ${name(members.at(-1))}` };
}
