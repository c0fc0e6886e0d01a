/** The order inside each layer: few crossings, and operands from top to bottom. */

import { type Net, mean } from "./net";
import type { Effort } from "../shared/plan";

const ROUNDS = 12;
/** Larger pictures take half of the rounds, and the last result instead of the best one: counting
 * crossings would take too long, and so many edges cannot be followed by eye. */
const FINE = 800;
/** What one operand out of order costs, in crossings. */
const DISORDER = 1e-6;

/** The layers, each from top to bottom. */
export function ordered(net: Net, effort: Effort): number[][] {
  const { sizes, before, after, chains, layers } = net;
  const rank = new Float64Array(sizes.length);
  for (const layer of layers) rankAll(layer, rank);
  const fine = sizes.length <= FINE && chains.length > 0; // crossings are counted between adjacent layers
  let [best, least] = [copied(layers), fine ? costOf(net, rank) : 0];
  for (let round = 0; round < (fine ? ROUNDS : ROUNDS / 2); round++) {
    const rightward = round % 2 === 1;
    const reversed = round % 4 > 1; // equal means change places: this finds a way out of local minima
    for (const layer of rightward ? layers : [...layers].reverse())
      sortByMean(layer, rightward ? before : after, rank, reversed, effort);
    if (fine) exchange(net, rank, effort);
    const cost = fine ? costOf(net, rank) : 0;
    if (cost < least || !fine) [best, least] = [copied(layers), cost];
  }
  return best;
}

function copied(layers: readonly number[][]): number[][] {
  return layers.map((layer) => [...layer]);
}

function rankAll(layer: readonly number[], rank: Float64Array): void {
  layer.forEach((k, at) => (rank[k] = (at + 0.5) / layer.length));
}

function sortByMean(
  layer: number[],
  beside: readonly number[][],
  rank: Float64Array,
  reversed: boolean,
  effort: Effort,
): void {
  const wish = new Map(layer.map((k) => [k, mean(beside[k]!, rank, rank[k]!, effort)]));
  const sign = reversed ? -1 : 1;
  layer.sort((a, b) => wish.get(a)! - wish.get(b)! || sign * (rank[a]! - rank[b]!));
  rankAll(layer, rank);
}

/** Swaps neighbours as long as that removes crossings, or puts operands in order at no cost. */
function exchange(net: Net, rank: Float64Array, effort: Effort): void {
  for (let pass = 0, better = true; better && pass < 3; pass++) {
    better = false;
    for (const layer of net.layers) {
      for (let k = 1; k < layer.length; k++) {
        const [u, v] = [layer[k - 1]!, layer[k]!];
        effort.steps++;
        if (gain(net, u, v, rank) <= 0) continue;
        [layer[k - 1], layer[k]] = [v, u];
        [rank[u], rank[v]] = [rank[v]!, rank[u]!];
        better = true;
      }
    }
  }
}

/** What is gained if `v` changes places with `u` above it. */
function gain({ before, after }: Net, u: number, v: number, rank: Float64Array): number {
  const fewer = [before, after].reduce((sum, { [u]: a, [v]: b }) => {
    return sum + inversions(a!, b!, rank) - inversions(b!, a!, rank);
  }, 0);
  const user = after[u]!.find((k) => after[v]!.includes(k));
  return fewer || (user === undefined ? 0 : before[user]!.indexOf(u) - before[user]!.indexOf(v));
}

/** How many edges to `upper` cross edges to `lower`. */
function inversions(upper: readonly number[], lower: readonly number[], rank: Float64Array): number {
  let count = 0;
  for (const i of upper) for (const j of lower) if (rank[i]! > rank[j]!) count++;
  return count;
}

/** Crossings first, then operands out of order. */
function costOf({ before, layers }: Net, rank: Float64Array): number {
  let cost = 0;
  for (const layer of layers) {
    const above: number[] = [];
    for (const k of layer) {
      cost += inversions(above, before[k]!, rank);
      cost += DISORDER * before[k]!.filter((j, at, list) => at > 0 && rank[j]! < rank[list[at - 1]!]!).length;
      above.push(...before[k]!);
    }
  }
  return cost;
}
