/** What a box and an edge show at one time: plain values, so that only changes are drawn. */

import type { Graph } from "../../engine/graph";
import { formatted, long } from "../../engine/numbers";
import type { Run } from "../../engine/node";
import type { Moment, Timeline } from "../../engine/timeline";
import type { Part } from "../fold/fold";
import type { Link, Use } from "../layout/arrange";
import { type BoxLook, type Showing, doubt, glowOf } from "./glow";
import { groupLook } from "./group-look";
import { kept } from "../shared/kept";
import { counted } from "../shared/names";

export { contains, type BoxLook, type Glow, type Showing } from "./glow";

/** What is selected: a node, or the edge from operand `position` to `node`. */
export type Selection = { kind: "node"; node: number } | { kind: "edge"; node: number; position: number };

export type LinkGlow = "" | "forward" | "backward" | "blocked";

export interface LinkLook {
  glow: LinkGlow;
  /** No gradient ever passes. */
  dotted: boolean;
  /** The operand is a constant. */
  faint: boolean;
  /** "∂f/∂e = 10.0", once it can be computed. */
  slope: string;
  /** "× 10.0", the factor of the gradient in this step; "" in others. */
  factor: string;
  /** What the operand gets in this step; "" in others. */
  contribution: string;
  spoken: string;
}

// --- boxes --------------------------------------------------------------------------------------

export function boxLook(showing: Showing, box: Part, moment: Moment): BoxLook {
  return box.members.length === 1
    ? nodeLook(showing, box.members[0]!, moment)
    : groupLook(showing, box, moment);
}

function nodeLook(showing: Showing, index: number, moment: Moment): BoxLook {
  const { graph, run, timeline, time } = showing;
  const node = graph.nodes[index]!;
  const known = timeline.known(index, time);
  const gradient = timeline.gradient(index, time);
  const data = known ? dataText(run, index) : "";
  const grad =
    node.constant || gradient === undefined ? "" : gradient === null ? "none" : formatted(gradient);
  const partial = typeof gradient === "number" && time < lastArrival(timeline, index);
  const look = {
    data,
    grad,
    partial,
    staleData: known && run.stale[index]!,
    staleGrad: typeof gradient === "number" && run.staleGradients[index]!,
    glow: glowOf([index], moment),
    ...changes(showing, index, known, gradient),
  };
  return { ...look, spoken: spokenNode(graph, index, look) };
}

/** Formatted once per run: at most steps, most boxes show what they showed before. */
function dataText(run: Run, index: number): string {
  return (dataTexts(run)[index] ??= formatted(run.data[index]!));
}

const dataTexts = kept((_: Run): string[] => []);

/** The old values, if they are shown and differ. */
function changes(
  showing: Showing,
  index: number,
  known: boolean,
  gradient: unknown,
): Pick<BoxLook, "oldData" | "oldGrad"> {
  const { run, compare } = showing;
  if (!compare) return { oldData: "", oldGrad: "" };
  const data = known ? differing(compare.data[index] ?? null, run.data[index] ?? null) : "";
  const grad =
    gradient === undefined ? "" : differing(compare.gradients[index] ?? null, run.gradients[index] ?? null);
  return { oldData: data, oldGrad: grad };
}

function differing(before: number | null, after: number | null): string {
  if (Object.is(before, after)) return "";
  return before === null ? "none" : formatted(before);
}

function spokenNode(graph: Graph, index: number, look: Omit<BoxLook, "spoken">): string {
  const node = graph.nodes[index]!;
  if (node.constant && node.array) return `${node.name}, an array without a gradient, sum ${look.data}`;
  if (node.constant) return `${look.data}, a constant`;
  const what = node.inputs.length ? node.op : node.leaf && node.array ? "array" : "leaf";
  const root = index === graph.root ? ", the result" : "";
  const data = (look.data || "not yet") + doubt(look.staleData) + was(look.oldData);
  const sum = look.grad ? `${look.grad}${look.partial ? " so far" : ""}` : "not yet";
  const grad = sum + doubt(look.staleGrad) + was(look.oldGrad);
  const now =
    look.glow === "forward"
      ? ", being computed"
      : look.glow === "backward"
        ? ", propagating its gradient"
        : "";
  return `${node.name}, ${what}${root}, data ${data}, grad ${grad}${now}`;
}

function was(old: string): string {
  return old && ` (was ${old})`;
}

/** The tick in which the last contribution to a gradient arrives. */
function lastArrival(timeline: Timeline, index: number): number {
  const times = () => timeline.graph.nodes[index]!.consumers.map(({ node }) => timeline.timeOfBackward(node));
  return (arrivals(timeline)[index] ??= times().reduce((a, b) => (b > a && b < Infinity ? b : a), 0));
}

const arrivals = kept((_: Timeline): number[] => []);

// --- edges --------------------------------------------------------------------------------------

/** The passes of a run, by node. */
const passesOf = kept((run: Run) => new Map(run.backward.map((pass) => [pass.node, pass])));

export function linkLook(showing: Showing, link: Link, moment: Moment): LinkLook {
  const glow = linkGlow(link, moment, showing.graph);
  if (!link.alone)
    return {
      glow,
      dotted: false,
      faint: false,
      slope: "",
      factor: "",
      contribution: "",
      spoken: `${counted(link.uses.length)} edges`,
    };
  const use = link.uses[0]!;
  const faint = showing.graph.nodes[use.operand]!.constant;
  const dotted = !faint && isBlocked(showing.run, use);
  const slope = slopeText(showing, use);
  const factor = glow === "backward" ? factorText(showing, use) : "";
  const amount = glow === "backward" ? passesOf(showing.run).get(use.node)?.contributions[use.position]?.amount : null;
  const contribution = typeof amount === "number" ? formatted(amount) : "";
  return { glow, dotted, faint, slope, factor, contribution, spoken: spokenEdge(showing, use, slope, dotted) };
}

/** Whether no gradient ever passes. */
export function isBlocked(run: Run, use: Use): boolean {
  const pass = passesOf(run).get(use.node);
  return !!pass && pass.contributions[use.position]?.amount === null;
}

/** The activity of a link in this moment. */
export function linkGlow(link: Link, moment: Moment, { nodes }: Graph): LinkGlow {
  if (moment.kind !== "forward" && moment.kind !== "backward") return "";
  const use = link.uses.find((one) => one.node === moment.node);
  if (!use) return "";
  if (moment.kind === "forward") return "forward";
  if (nodes[use.operand]!.constant) return ""; // a constant takes no part in the backward pass
  return moment.pass.contributions[use.position]?.amount === null ? "blocked" : "backward";
}

function factorText({ run }: Showing, use: Use): string {
  const slope = passesOf(run).get(use.node)?.contributions[use.position]?.slope;
  return typeof slope === "number" ? `× ${formatted(slope)}` : "";
}

/** "∂f/∂e = 10.0", once the values that it needs are known. */
function slopeText({ graph, run, timeline, time }: Showing, use: Use): string {
  const slope = passesOf(run).get(use.node)?.contributions[use.position]?.slope;
  if (typeof slope !== "number" || !timeline.known(use.node, time)) return "";
  const texts = slopeTexts(run);
  const text = texts.get(use);
  if (text) return text;
  const [y, x] = [graph.nodes[use.node]!, graph.nodes[use.operand]!];
  texts.set(use, `∂${y.name}/∂${x.name} = ${long(slope)}`);
  return texts.get(use)!;
}

const slopeTexts = kept((_: Run) => new Map<Use, string>());

function spokenEdge({ graph }: Showing, use: Use, slope: string, dotted: boolean): string {
  const between = `edge from ${graph.nodes[use.operand]!.name} to ${graph.nodes[use.node]!.name}`;
  if (graph.nodes[use.operand]!.constant) return `${between}, a constant: it gets no gradient`;
  if (dotted) return `${between}, no gradient flows`;
  return slope ? `${between}, local derivative ${slope}` : between;
}
