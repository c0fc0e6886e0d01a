/** Paths as the lines of a list. Lines that read the same are merged. */

import { formatted, localSlopes, type Path, type Paths, type Run } from "../../engine";

/** Paths of up to this many nodes are shown whole. */
const WHOLE = 6;

/** One line of the list. */
export interface Line {
  words: string;
  /** The first path that it stands for. */
  path: Path;
  /** How many paths read like this and contribute the same. */
  count: number;
}

/** Returns the lines for the paths of a gradient, in the order of the paths. */
export function lines(run: Run, found: Paths): Line[] {
  const before = new Map<string, number>();
  const same = new Map<string, Line>();
  for (const path of found.paths) {
    const key = `${path.nodes.join()}/${path.slopes.join()}`;
    const which = before.get(key) ?? 0; // counts the paths over these nodes with these derivatives
    before.set(key, which + 1);
    const words = shortened(namesOf(run, path, which)).join(" → ");
    const line = `${words}/${formatted(path.contribution)}`;
    const known = same.get(line);
    if (known) known.count += 1;
    else same.set(line, { words, path, count: 1 });
  }
  return [...same.values()];
}

/** Shortens a long path to its two ends. */
export function shortened(names: string[]): string[] {
  if (names.length <= WHOLE) return names;
  return [...names.slice(0, 3), `… ${names.length - 5} …`, ...names.slice(-2)];
}

/** Returns the names along a path. Where a node uses another one twice, the name has the position of the operand.
 * Long paths are not distinguished like this, because most of their names are left out anyway. */
function namesOf(run: Run, { nodes, slopes }: Path, which: number): string[] {
  if (nodes.length > WHOLE) return nodes.map((node) => run.graph.nodes[node]!.name);
  let rest = which;
  return nodes.map((node, at) => {
    const name = run.graph.nodes[node]!.name;
    if (at === 0) return name;
    const uses = usesOf(run, nodes[at - 1]!, node);
    if (uses.length < 2) return name;
    const fitting = uses.filter(({ slope }) => Object.is(slope, slopes[at - 1]));
    const chosen = fitting[rest % fitting.length]!;
    rest = Math.floor(rest / fitting.length);
    return `${name} (operand ${chosen.position + 1})`;
  });
}

/** Returns the positions at which `consumer` uses `operand` and a gradient flows. */
function usesOf(run: Run, consumer: number, operand: number): { position: number; slope: number }[] {
  const { inputs } = run.graph.nodes[consumer]!;
  const positions = inputs.flatMap((input, position) => (input === operand ? [position] : []));
  if (positions.length < 2) return [];
  const slopes = localSlopes(run, consumer);
  return positions.flatMap((position) => {
    const slope = slopes[position];
    return slope === null || slope === undefined ? [] : [{ position, slope }];
  });
}
